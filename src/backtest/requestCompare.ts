import { type Static, Type } from '@sinclair/typebox'

/** Which vintages of a metric's figures count, and from which day on. */
export const vintageChoices = ['as_known', 'first_filed', 'final'] as const
export type VintageChoice = (typeof vintageChoices)[number]

/** The choices that a result may show next to its own, which is `as_known`. */
export type OtherChoice = Exclude<VintageChoice, 'as_known'>

/** What each choice ranks by, as a sentence that reads after `On each date:`. */
export const choiceMeanings: Readonly<Record<VintageChoice, string>> = {
  as_known: 'the latest period that was known before the date, in the vintage that was known then.',
  first_filed:
    'the latest period that was first filed before the date, with its value as first filed; later amendments and restatements are ignored.',
  final:
    'the latest period that ended before the date, in the last vintage on record, as in a database without filing dates. It looks ahead, on purpose.',
}

export const BacktestCompare = Type.Array(Type.Union(vintageChoices.map(choice => Type.Literal(choice))), {
  minItems: 2,
  maxItems: 3,
  uniqueItems: true,
  description:
    'With a metric as the score, source.score or score.asOf: runs the configuration once for each of these choices of vintages, on the same rows, to show what restatements and early dating would have been worth. as_known: the latest period in the vintage that was known before each date, as without compare. first_filed: the latest period that was first filed before the date, with its value as first filed; later amendments and restatements are ignored. final: a period counts from the day after it ended, in the last vintage on record at the data version, as in a database without filing dates; it looks ahead, on purpose. The result itself stays that of as_known. Not with sweep, score.at or batches.',
  examples: [['as_known', 'first_filed', 'final']],
})
export type BacktestCompare = Static<typeof BacktestCompare>
