import type { BacktestResult } from '../../model/backtestResult.ts'

export type YearRow = NonNullable<BacktestResult['monthly']>[number]

/** The month-by-year table: the result's own, or the same from the curve where that gives exactly the same: every
 * period is on it, with a value above 0. Else null. */
export function monthlyOf(result: BacktestResult): readonly YearRow[] | null {
  if (result.monthly !== undefined) return result.monthly
  const { equity_curve: curve, equity_dates: dates, n_periods } = result
  if (curve.length !== n_periods + 1 || dates.length !== curve.length) return null
  const years = new Map<number, (number | null)[]>()
  for (let i = 0; i < n_periods; i++) {
    const before = curve[i]
    const after = curve[i + 1]
    if (before === null || after === null || before <= 0 || after <= 0) return null
    const year = Number(dates[i].slice(0, 4))
    const month = Number(dates[i].slice(5, 7)) - 1
    const growth = years.get(year) ?? new Array<number | null>(12).fill(null)
    growth[month] = (growth[month] ?? 1) * (after / before)
    years.set(year, growth)
  }
  return [...years].map(([year, growth]) => ({
    year,
    months: growth.map(g => (g === null ? null : g - 1)),
    total: growth.reduce<number>((product, g) => product * (g ?? 1), 1) - 1,
  }))
}
