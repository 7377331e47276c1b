/** Calmar ratio: compound annual growth over the size of the largest drawdown, here over the whole run rather
 * than 36 months. Null without growth rate or drawdown.
 *
 * @see Young, T. W. (1991), Calmar Ratio: A Smoother Tool, Futures 20(1) */
export function calmar(growthPerYear: number | null, drawdown: number): number | null {
  return growthPerYear === null || drawdown === 0 ? null : growthPerYear / -drawdown
}
