import type { BacktestResult } from '../model/backtestResult.ts'
import { counted, percent } from './figures.ts'

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
