import type { BacktestScore } from '../model/backtestResult.ts'
import { count, counted } from './figures.ts'

/** What the score of each date is, where it is a figure of the companies. */
export function scoreWords({ metric, definition, unit, max_age_days, n_assets }: BacktestScore): string {
  const units = unit === 'pure' ? '' : `, in ${unit}`
  return `The score is ${metric}${units}: of each company the latest full fiscal year, as filed before the date; what was filed on the date itself is not known yet. Years that ended more than ${counted(max_age_days, 'day')} before the date do not count. ${count(n_assets)} of the names have such a figure on some date. ${metric}: ${definition}`
}
