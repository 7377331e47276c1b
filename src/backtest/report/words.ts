import type { BacktestDropped, BacktestResult, BacktestScore } from '../result.ts'
import { count, counted, percent } from './figures.ts'

const words: readonly { readonly key: keyof BacktestDropped; readonly one: string; readonly many: string }[] =
  [
    {
      key: 'rows_over_limit',
      one: 'row of an early date was left out by source.limit',
      many: 'rows of early dates were left out by source.limit',
    },
    {
      key: 'rows_off_step',
      one: 'row was stepped over, because the returns of neighbouring dates overlap',
      many: 'rows were stepped over, because the returns of neighbouring dates overlap',
    },
    {
      key: 'rows_without_score',
      one: 'row had no score and could not be ranked',
      many: 'rows had no score and could not be ranked',
    },
    {
      key: 'rows_without_return',
      one: 'ranked row had no known return',
      many: 'ranked rows had no known return',
    },
    {
      key: 'held_without_return',
      one: 'time a held name earned 0 for want of a return',
      many: 'times a held name earned 0 for want of a return',
    },
  ]

/** What was left out or earned nothing, one sentence each; empty where nothing was. */
export function droppedWords(dropped: BacktestDropped): string[] {
  return words
    .filter(({ key }) => dropped[key] > 0)
    .map(({ key, one, many }) => `${count(dropped[key])} ${dropped[key] === 1 ? one : many}.`)
}

/** What the score of each date is, where it is a figure of the companies. */
export function scoreWords({
  metric,
  definition,
  unit,
  max_age_days,
  n_names,
  n_assets,
}: BacktestScore): string {
  const units = unit === 'pure' ? '' : `, in ${unit}`
  return `The score is ${metric}${units}: of each company the latest full fiscal year, as filed before the date; what was filed on the date itself is not known yet. Years that ended more than ${counted(max_age_days, 'day')} before the date do not count. ${count(n_assets)} of ${counted(n_names, 'name')} have such a figure on some date; the others are never ranked. Names are found by the tickers of today, so companies that were renamed, taken over or delisted since are missing: the universe leans to survivors. ${metric}: ${definition}`
}

type Config = BacktestResult['config']

const weightingWords: Readonly<Record<NonNullable<Config['weighting']>, string>> = {
  equal: 'all with the same weight',
  rank: 'the strongest with the most weight, by rank',
  score: 'weighted by the distance of their score from the mean of the date',
}

/** What the configuration does, in a sentence or two. */
export function strategyWords(config: Config): string {
  const share = percent(config.quantile, 1).replace('.0%', '%')
  const legs =
    config.direction === 'long_only'
      ? `Buys the ${share} of names with the highest scores`
      : `Buys the ${share} of names with the highest scores and sells the lowest ${share} short`
  const scope = config.neutral === 'market' ? ', inside each market' : ''
  const tranches = config.holdDays / config.returnDays
  const hold =
    tranches > 1
      ? `Each is held for ${counted(config.holdDays, 'trading day')}, in ${tranches} tranches that overlap.`
      : `Each is held for ${counted(config.holdDays, 'trading day')}, then the book is formed anew.`
  return `${legs}${scope}, ${weightingWords[config.weighting ?? 'equal']}. ${hold}`
}
