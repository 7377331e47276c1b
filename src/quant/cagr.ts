/** Compound annual growth rate: end^(P / T) - 1. -1 where the curve ended at or below 0. Null without a period.
 *
 * @param end last point of an equity curve that starts at 1
 * @param periods T, all periods of the run */
export function cagr(end: number, periods: number, periodsPerYear: number): number | null {
  if (periods === 0) return null
  return end <= 0 ? -1 : end ** (periodsPerYear / periods) - 1
}
