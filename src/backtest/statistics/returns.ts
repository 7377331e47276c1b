/** 1, then the running product of 1 + net. At or below 0 the money is gone: the curve ends there, with that
 * value as its last point, and `ruined` is true. Shape: at most T + 1 points. */
export function equityCurve(net: Float64Array): { curve: Float64Array; ruined: boolean } {
  const curve = new Float64Array(net.length + 1)
  curve[0] = 1
  for (let t = 0; t < net.length; t++) {
    curve[t + 1] = curve[t] * (1 + net[t])
    if (curve[t + 1] <= 0) return { curve: curve.slice(0, t + 2), ruined: true }
  }
  return { curve, ruined: false }
}

/** Compound annual growth rate: end^(P / T) - 1. -1 where the curve ended at or below 0. Null without a period.
 *
 * @param end last point of an equity curve that starts at 1
 * @param periods T, all periods of the run */
export function cagr(end: number, periods: number, periodsPerYear: number): number | null {
  if (periods === 0) return null
  return end <= 0 ? -1 : end ** (periodsPerYear / periods) - 1
}

/** Largest fall from a running peak: min of equity / peak - 1, a fraction <= 0. The curve's first point, 1, is
 * a peak too. Below -1 only where a leveraged book lost more than everything. */
export function maxDrawdown(curve: Float64Array): number {
  let peak = curve[0]
  let worst = 0
  for (let i = 0; i < curve.length; i++) {
    if (curve[i] > peak) peak = curve[i]
    worst = Math.min(worst, curve[i] / peak - 1)
  }
  return worst
}

/** Calmar ratio: compound annual growth over the size of the largest drawdown, here over the whole run rather
 * than 36 months. Null without growth rate or drawdown.
 *
 * @see Young, T. W. (1991), Calmar Ratio: A Smoother Tool, Futures 20(1) */
export function calmar(growthPerYear: number | null, drawdown: number): number | null {
  return growthPerYear === null || drawdown === 0 ? null : growthPerYear / -drawdown
}

/** Share of periods with a return above 0. Null without a period. */
export function hitRate(returns: Float64Array): number | null {
  if (returns.length === 0) return null
  let won = 0
  for (let t = 0; t < returns.length; t++) if (returns[t] > 0) won++
  return won / returns.length
}

export interface YearOfReturns {
  readonly year: number
  /** January to December; null where no period began in the month. */
  readonly months: (number | null)[]
  readonly total: number
}

/** Net returns compounded by the calendar month of the period's first day, one line per year from the first to the
 * last.
 *
 * @param days first day of each period, since 1970-01-01 */
export function monthlyReturns(net: Float64Array, days: Int32Array): YearOfReturns[] {
  const years = new Map<number, (number | null)[]>()
  for (let t = 0; t < net.length; t++) {
    const date = new Date(days[t] * 86_400_000)
    const year = date.getUTCFullYear()
    const months = years.get(year) ?? new Array<number | null>(12).fill(null)
    years.set(year, months)
    const month = date.getUTCMonth()
    months[month] = (months[month] ?? 1) * (1 + net[t])
  }
  return [...years].map(([year, growth]) => ({
    year,
    months: growth.map(g => (g === null ? null : g - 1)),
    total: growth.reduce<number>((product, g) => product * (g ?? 1), 1) - 1,
  }))
}
