import type { BacktestScore } from '../figureScore.ts'
import type { BacktestDropped, BacktestResult } from '../result.ts'
import { count, percent, plural } from './numberFormat.ts'

type Config = BacktestResult['config']

/** Describes the configuration in a sentence or two. */
export function describeStrategy(config: Config): string {
  const share = percent(config.quantile, 1).replace('.0%', '%')
  const legs =
    config.direction === 'long_only'
      ? `Goes long the ${share} of names with the highest scores`
      : `Goes long the ${share} of names with the highest scores and short the ${share} with the lowest`
  const scope = config.neutral === null ? '' : `, within each ${config.neutral}`
  const tranches = config.holdDays / config.returnDays
  const period = plural(config.holdDays, 'trading day')
  const hold =
    tranches > 1
      ? `Each position is held for ${period}, in ${tranches} overlapping tranches.`
      : `Each position is held for ${period}, then the portfolio is rebuilt.`
  return `${legs}${scope}, ${weightings[config.weighting ?? 'equal']}. ${hold}${describeScores(config)}`
}

/** Which columns rank the names, and what is taken out of them; empty if the score ranks them as it is. */
function describeScores({ rankBy, neutralise }: Config): string {
  const columns = rankBy?.columns.join(', ')
  const ranked =
    rankBy === undefined
      ? ''
      : rankBy.combine === undefined
        ? ` The score is ${columns}.`
        : ` The score is ${rankBy.combine === 'rank_average' ? 'the mean rank' : 'the mean rank, weighted by training IC,'} of ${columns}.`
  const taken = [...(neutralise?.demean ?? []), ...(neutralise?.columns ?? [])]
  return taken.length === 0 ? ranked : `${ranked} Scores are neutralised for ${taken.join(', ')}.`
}

const weightings: Readonly<Record<NonNullable<Config['weighting']>, string>> = {
  equal: 'all at equal weight',
  rank: 'weighted by rank, with the most weight on the strongest',
  score: "weighted by the distance of each score from the date's mean",
}

const periodNames: Readonly<Record<NonNullable<BacktestScore['fiscal_period']>, string>> = {
  FY: 'full fiscal year',
  Q: 'single quarter',
  TTM: 'trailing twelve months',
  latest: 'period of any kind',
}

/** Describes how each date is scored, if the score is a metric of the companies. */
export function describeScore(score: BacktestScore): string {
  const { metric, definition, unit, max_age_days, n_names, n_assets, fiscal_period, known, checks } = score
  if (metric === undefined || max_age_days === undefined || fiscal_period === undefined)
    return describeChoice(score)
  const isByDay = known === 'filed before the date'
  const units = unit === 'pure' ? '' : `, in ${unit}`
  return [
    `The score is ${metric}${units}: each company's latest ${periodNames[fiscal_period]}, as ${isByDay ? known : `${known} of the date's session`}.`,
    isByDay
      ? 'Filings made on the date itself are not known yet.'
      : 'A filing counts from the time at which its register accepted it, or from the end of its day where that is not known.',
    `Fiscal years that ended more than ${plural(max_age_days, 'day')} before the date do not count.`,
    ...(checks === undefined ? [] : [`Only figures whose state is ${checks.split(',').join(' or ')} count.`]),
    `${count(n_assets)} of ${plural(n_names, 'name')} have such a figure on some date; the others are never ranked.`,
    "Where no source says which company had a ticker on a date, it means today's company, so companies since renamed, acquired or delisted are missing: the results have survivorship bias.",
    `${metric}: ${definition}`,
  ].join(' ')
}

/** Describes what filings say of names that have scores of the caller's own. */
function describeChoice({ group, universe, n_names, n_assets }: BacktestScore): string {
  return [
    ...(group === undefined
      ? []
      : [`Groups are ${group}, from the SIC codes that the filings before each date state.`]),
    ...(universe === undefined
      ? []
      : [`Only names that were ${universe.split(',').join(' or ')} before the date have a score.`]),
    `${count(n_assets)} of ${plural(n_names, 'name')} are companies that this chooses on some date.`,
  ].join(' ')
}

/** Describes what was excluded or earned nothing, one sentence each; empty if nothing was. */
export function describeDropped(dropped: BacktestDropped): string[] {
  return droppedPhrases
    .filter(({ key }) => dropped[key] > 0)
    .map(({ key, one, many }) => `${count(dropped[key])} ${dropped[key] === 1 ? one : many}.`)
}

interface DroppedPhrase {
  readonly key: keyof BacktestDropped
  readonly one: string
  readonly many: string
}

const droppedPhrases: readonly DroppedPhrase[] = [
  {
    key: 'rows_over_limit',
    one: 'row of an early date was excluded by source.limit',
    many: 'rows of early dates were excluded by source.limit',
  },
  {
    key: 'rows_off_step',
    one: 'row was skipped because the returns of neighbouring dates overlap',
    many: 'rows were skipped because the returns of neighbouring dates overlap',
  },
  {
    key: 'rows_without_score',
    one: 'row has no score and could not be ranked',
    many: 'rows have no score and could not be ranked',
  },
  {
    key: 'rows_without_return',
    one: 'ranked row has no known return',
    many: 'ranked rows have no known return',
  },
  {
    key: 'held_without_return',
    one: 'return of a held name was missing and counted as 0',
    many: 'returns of held names were missing and counted as 0',
  },
]
