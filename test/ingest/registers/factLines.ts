import { isoDate } from '../../../src/dates.ts'
import type { ReportedFact } from '../../../src/facts/reportedFact.ts'
import type { DocumentContent } from '../../../src/ingest/registers/registerInterface.ts'

export const factsOf = ({ parsed }: DocumentContent): readonly ReportedFact[] =>
  parsed.flatMap(({ reportedFacts }) => reportedFacts)

/** What a document states, sorted: `metric start..end value`, or `metric end value` for a balance sheet. */
export const factLines = (content: DocumentContent): string[] =>
  factsOf(content)
    .map(({ metric, start, end, value }) => {
      const days = start === null ? isoDate(end) : `${isoDate(start)}..${isoDate(end)}`
      return `${metric} ${days} ${value}`
    })
    .sort()

/** A fact with its tag and unit: `metric tag start..end value unit`. */
export const spellFact = ({ metric, tag, start, end, value, unit }: ReportedFact): string =>
  `${metric} ${tag} ${start === null ? '' : isoDate(start)}..${isoDate(end)} ${value} ${unit}`
