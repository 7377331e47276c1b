import type { BacktestScore } from '../model/backtestResult.ts'
import { count, counted } from './figures.ts'

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
