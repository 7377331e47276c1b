import { addBusinessDays } from './calendar.ts'
import type { Dataset, ReturnSpans } from './dataset.ts'

/** How long the returns of rows are, where their ends are not known from closes or a calendar. */
export interface ReturnLength {
  /** Trading days over which a return is earned. */
  readonly returnDays: number
  /** Dates of the rows by which it has been earned, from `returnDatesOf`. */
  readonly returnDates: number
}

/** ceil(returnDays / medianGap).
 *
 * @param medianGap business days between the dates of the rows */
export const returnDatesOf = (returnDays: number, medianGap: number): number =>
  Math.ceil(returnDays / medianGap)

/** The days on which the returns of some periods end, where they are known; undefined: they follow from `returnDays`.
 *
 * @param periods date indices */
export const periodEnds = ({ returnSpans }: Pick<Dataset, 'returnSpans'>, periods: Int32Array) =>
  returnSpans && Int32Array.from(periods, date => returnSpans.to[date])

/** The spans of some periods, likewise. */
export function spansOf(
  { returnSpans }: Pick<Dataset, 'returnSpans'>,
  periods: Int32Array,
): ReturnSpans | undefined {
  if (returnSpans === undefined) return undefined
  const { from, to, dates } = returnSpans
  const ofPeriods = (column: Int32Array) => Int32Array.from(periods, date => column[date])
  return { from: ofPeriods(from), to: ofPeriods(to), ...(dates ? { dates: ofPeriods(dates) } : {}) }
}

/** Later than any date: the rows do not show when the return ends. */
const never = 2_147_483_647

/** The day on which the returns of each date have ended. Whatever is decided on a date may use the returns that ended on an
 * earlier day, and no others: every weight that depends on past returns gets them through here.
 *
 * - Returns that were computed from closes or compounded on a calendar end on the date of their exit.
 * - Returns that were sent end `returnDays` weekdays after their date, and on the date that comes `returnDates` dates after
 *   it, whichever is later. Weekdays alone would end a return too early over a holiday, on which no market trades and no
 *   row is dated. */
export function returnEndDays(
  { days, returnSpans }: Pick<Dataset, 'days' | 'returnSpans'>,
  { returnDays, returnDates }: ReturnLength,
): Int32Array {
  if (returnSpans !== undefined) return returnSpans.to
  return days.map((day, date) =>
    date + returnDates < days.length
      ? Math.max(addBusinessDays(day, returnDays), days[date + returnDates])
      : never,
  )
}
