const dayMs = 86_400_000

/** The month end nearest to a day: what a register that rounds period ends makes of it. A day as far from one as
 * from the other goes to the later. */
export function nearestMonthEnd(day: number): number {
  const date = new Date(day * dayMs)
  const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0) / dayMs
  const last = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 0) / dayMs
  return day - last < next - day ? last : next
}

/** The first day of the `months` months that end on a month end. */
export function startOfMonths(monthEnd: number, months: number): number {
  const date = new Date(monthEnd * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1 - months, 1) / dayMs
}

/** The same day of another month, or its last; the end of a month stays one. */
export function addMonths(day: number, months: number): number {
  const date = new Date(day * dayMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const isMonthEnd = new Date((day + 1) * dayMs).getUTCDate() === 1
  const last = Date.UTC(year, month + months + 1, 0) / dayMs
  return isMonthEnd ? last : Math.min(last, Date.UTC(year, month + months, date.getUTCDate()) / dayMs)
}

/** The last day of a month; `month` counts from 1 and may leave the year: 0 is December of the year before. */
export const endOfMonth = (year: number, month: number): number => Date.UTC(year, month, 0) / dayMs
