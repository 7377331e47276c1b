import { addBusinessDays } from './calendar.ts'
import type { Dataset, ReturnSpans } from './dataset.ts'

/** How long the returns of rows are, where their ends are not known from closes or a calendar. */
export interface ReturnLength {
  /** Trading days over which a return is earned. */
  readonly returnDays: number
  /** Business days between the dates of the rows. */
  readonly medianGap: number
}

/** The days on which the returns of some periods end, where they are known; undefined: they follow from `returnDays`.
 *
 * @param periods date indices */
export const periodEnds = ({ returnSpans }: Pick<Dataset, 'returnSpans'>, periods: Int32Array) =>
  returnSpans && Int32Array.from(periods, date => returnSpans.to[date])

/** The days on which the returns of some periods and of all before them are known, for choices between records; undefined:
 * they follow from `returnDays`.
 *
 * @param periods date indices, ascending */
export function trainingEnds(
  data: Pick<Dataset, 'returnSpans' | 'knownDays'>,
  periods: Int32Array,
): Int32Array | undefined {
  const { knownDays } = data
  if (knownDays === undefined) return periodEnds(data, periods)
  let latest = knownDays[periods[0]]
  return Int32Array.from(periods, date => {
    latest = Math.max(latest, knownDays[date])
    return latest
  })
}

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

/** Later than any date: the rows do not show when the return ends, or is known. */
export const never = 2_147_483_647

/** The day on which the returns of each date have ended. Whatever is decided on a date may use the returns that ended on an
 * earlier day, and no others: every weight that depends on past returns gets them through here.
 *
 * - Returns that were computed from closes or compounded on a calendar end on the date of their exit.
 * - Returns that were sent end `returnDays` weekdays after their date, and on the date that comes ceil(returnDays /
 *   medianGap) dates after it, whichever is later. Weekdays alone would end a return too early over a holiday, on which no
 *   market trades and no row is dated. Those that prices gave end as many days later as they begin. */
export function returnEndDays(
  { days, returnSpans, returnLag = 0 }: Pick<Dataset, 'days' | 'returnSpans' | 'returnLag'>,
  { returnDays, medianGap }: ReturnLength,
): Int32Array {
  if (returnSpans !== undefined) return returnSpans.to
  const tradingDays = returnDays + returnLag
  const dates = Math.ceil(tradingDays / medianGap)
  return days.map((day, date) =>
    date + dates < days.length ? Math.max(addBusinessDays(day, tradingDays), days[date + dates]) : never,
  )
}
