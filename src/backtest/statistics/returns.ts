/** A portfolio's record: one number per period. Returns are fractions of the equity at the period's start. */
export interface PeriodSeries {
  readonly gross: Float64Array
  /** gross - tradingCost - borrow. */
  readonly net: Float64Array
  /** 1/2 sum |dw|. */
  readonly turnover: Float64Array
  readonly tradingCost: Float64Array
  readonly borrow: Float64Array
  /** Sum of |w| over names held short. */
  readonly shortExposure: Float64Array
  /** Equal-weight return of every name with a known return. */
  readonly universe: Float64Array
  /** Held names that earned 0 because their return is unknown. */
  readonly heldWithoutReturn: Int32Array
  /** 1 where the portfolio holds names, 0 where it is empty. */
  readonly held: Uint8Array
}

export function allocateSeries(periods: number): PeriodSeries {
  return {
    gross: new Float64Array(periods),
    net: new Float64Array(periods),
    turnover: new Float64Array(periods),
    tradingCost: new Float64Array(periods),
    borrow: new Float64Array(periods),
    shortExposure: new Float64Array(periods),
    universe: new Float64Array(periods),
    heldWithoutReturn: new Int32Array(periods),
    held: new Uint8Array(periods),
  }
}

/** Equity curve: 1, then the running product of 1 + net. At or below 0 everything is lost: the curve ends there, with
 * that value as its last point, and `ruined` is true. T + 1 points, fewer after ruin. O(T).
 *
 * @param net per period, fractions */
export function equityCurve(net: Float64Array): { curve: Float64Array; ruined: boolean } {
  const curve = new Float64Array(net.length + 1)
  curve[0] = 1
  for (let t = 0; t < net.length; t++) {
    curve[t + 1] = curve[t] * (1 + net[t])
    if (curve[t + 1] <= 0) return { curve: curve.slice(0, t + 2), ruined: true }
  }
  return { curve, ruined: false }
}

/** Compound annual growth rate: end^(P / T) - 1, a fraction. -1 if the curve ended at or below 0. Null
 * without a period.
 *
 * @param end last point of an equity curve that starts at 1
 * @param periods T, all periods of the run
 * @param periodsPerYear P */
export function cagr(end: number, periods: number, periodsPerYear: number): number | null {
  if (periods === 0) return null
  return end <= 0 ? -1 : end ** (periodsPerYear / periods) - 1
}

/** Weighted returns that cancel sum to about 1e-17 instead of 0: a return up to this value is not a gain. */
const roundingZero = 1e-12

/** Hit rate: the fraction of periods with a return above 1e-12, the tolerance for rounding. Null without a
 * period. O(T). */
export function hitRate(returns: Float64Array): number | null {
  if (returns.length === 0) return null
  let won = 0
  for (let t = 0; t < returns.length; t++) if (returns[t] > roundingZero) won++
  return won / returns.length
}

interface YearOfReturns {
  readonly year: number
  /** January to December; null if no period began in the month. */
  readonly months: (number | null)[]
  readonly total: number
}

/** Net returns compounded by calendar month and year of each period's first day, fractions. One element per year with a
 * period, in the order of the periods. O(T).
 *
 * @param net per period, fractions
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
