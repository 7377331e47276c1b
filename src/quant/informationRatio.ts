import { sharpe } from './sharpe.ts'

/** Annualised information ratio: the Sharpe ratio of net return minus the equal-weight universe's return, period
 * by period. Null with fewer than two periods or no deviation.
 *
 * @see Grinold, R. C. and Kahn, R. N. (2000), Active Portfolio Management, chapter 5 */
export function informationRatio(
  net: Float64Array,
  universe: Float64Array,
  periodsPerYear: number,
): number | null {
  const active = new Float64Array(net.length)
  for (let t = 0; t < net.length; t++) active[t] = net[t] - universe[t]
  return sharpe(active, periodsPerYear)
}
