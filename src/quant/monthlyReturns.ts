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
