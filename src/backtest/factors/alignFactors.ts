import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { addBusinessDays, businessDaysBetween } from '../dataset/calendar.ts'
import type { ReturnSpans } from '../dataset/dataset.ts'
import type { FactorSeries } from './factorSeries.ts'

/** Why a period has no factor returns. */
export type UnmatchedReason = 'outside' | 'missing' | 'interval' | 'end_unknown'

export interface AlignedFactors {
  /** Index of each period that has all returns, ascending. */
  readonly matched: Int32Array
  /** One array per factor, an element per matched period. */
  readonly returns: readonly Float64Array[]
  readonly rf: Float64Array | null
  /** The other periods: the reason, and the days on which they start. */
  readonly unmatched: ReadonlyMap<UnmatchedReason, readonly number[]>
}

/** When the periods of a record start, and over what their returns are earned. */
export interface RecordPeriods {
  /** The first day of each period, ascending. */
  readonly days: Int32Array
  /** Trading days of a return. */
  readonly returnDays: number
  /** The median gap of the dates of the rows, in business days; 1 for daily dates. */
  readonly medianDateGap: number
  /** The days on which the returns begin and end, if they were computed from closes or compounded on a calendar. */
  readonly spans?: ReturnSpans | undefined
}

/** Longer holes in a daily file are missing rows: the longest closure of the New York Stock Exchange since 1926 was
 * that of March 1933, from the 3rd to the 15th. */
const longestClosureDays = 12
/** Weekdays between a period's first day and the end of its month on which no market need trade. */
const maxHolidays = 3
const tradingDaysPerMonth = 21

/** The factor returns over exactly the interval in which each period earns its return: after the close of its first
 * day, up to the close of its last.
 *
 * - The rows of most records follow one another: a return ends on the day on which the next one begins. Daily factors
 *   after the first day, up to and including the first day of the next period, are compounded, prod(1 + f) - 1.
 * - Where the rows are daily, the return states its number of trading days. Then the days of the factors in between
 *   must be exactly as many. Where they are not, the calendars differ, or dates are missing, and no interval is known
 *   to be the right one.
 * - Where a return spans fewer or more days than there are between two dates, its own number of trading days counts.
 * - The last period ends `returnDays` trading days later if the rows are daily or weekly, and otherwise at the end of
 *   a month, if all periods begin at the end of one.
 * - Monthly factors match periods that begin at the end of a month and end at the end of one.
 * - Returns that were computed from closes, or compounded on a calendar, have stated intervals, see `ReturnSpans`: daily
 *   factors after the day of the entry, up to the day of the exit, are compounded. If the rows' own daily returns were
 *   compounded, there must be as many factor days as dates of the rows. Monthly factors match intervals that begin and end
 *   at the end of a month.
 *
 * Returns that begin `entryLag` trading days after the day of their row end as many days later, too, and so do the daily
 * factors: by as many rows.
 *
 * Where prices give the returns, the intervals are known exactly: a return enters at the close of the first trading day on
 * or after its date, plus `entryLag`, and the daily factors of the next `returnDays` days are compounded.
 *
 * A period without an exact match is left out and counted; nothing is filled in. */
export function alignFactors(series: FactorSeries, record: RecordPeriods): AlignedFactors {
  const { spans: stated } = record
  const find =
    series.frequency === 'monthly'
      ? monthlyRows(series, record)
      : stated === undefined
        ? dailyRows(series, record)
        : statedRows(series, stated)
  const matched: number[] = []
  const spans: { first: number; end: number }[] = []
  const unmatched = new Map<UnmatchedReason, number[]>()
  for (let t = 0; t < record.days.length; t++) {
    const rows = find(t)
    const reason = typeof rows === 'string' ? rows : hasUnknown(series, rows) ? 'missing' : null
    if (reason === null && typeof rows !== 'string') {
      matched.push(t)
      spans.push(rows)
    } else if (reason !== null) {
      const days = unmatched.get(reason) ?? []
      days.push(record.days[t])
      unmatched.set(reason, days)
    }
  }
  const compounded = (values: Float64Array) => Float64Array.from(spans, span => compound(values, span))
  return {
    matched: Int32Array.from(matched),
    returns: series.returns.map(compounded),
    rf: series.rf === null ? null : compounded(series.rf),
    unmatched,
  }
}

/** Rows `first .. end` of the factors. */
interface Rows {
  readonly first: number
  readonly end: number
}

/** The rows `entryLag` trading days later. */
function afterEntryLag({ days, entryLag }: FactorSeries, { first, end }: Rows): Rows | UnmatchedReason {
  if (entryLag === 0) return { first, end }
  if (end + entryLag > days.length || isHole(days, days[end - 1], end, end + entryLag)) return 'outside'
  return { first: first + entryLag, end: end + entryLag }
}

/** A single return is taken as it is: (1 + f) - 1 would round it. */
function compound(values: Float64Array, { first, end }: Rows): number {
  if (end - first === 1) return values[first]
  let grown = 1
  for (let i = first; i < end; i++) grown *= 1 + values[i]
  return grown - 1
}

function hasUnknown({ returns, rf }: FactorSeries, { first, end }: Rows): boolean {
  for (const values of rf === null ? returns : [...returns, rf])
    for (let i = first; i < end; i++) if (Number.isNaN(values[i])) return true
  return false
}

type FindRows = (period: number) => Rows | UnmatchedReason

function statedRows({ days }: FactorSeries, { from, to, dates }: ReturnSpans): FindRows {
  return t => {
    const first = firstAfter(days, from[t])
    const end = firstAfter(days, to[t])
    if (!covers(days, from[t], to[t]) || isHole(days, from[t], first, end, to[t])) return 'outside'
    return dates !== undefined && end - first !== dates[t] ? 'interval' : { first, end }
  }
}

function dailyRows(series: FactorSeries, record: RecordPeriods): FindRows {
  if (series.isPriced) return pricedRows(series, record)
  const { days, returnDays, medianDateGap } = record
  const isDaily = medianDateGap === 1
  const isStated = !isDaily && !isContiguous(returnDays, medianDateGap)
  return t => {
    const after = firstAfter(series.days, days[t])
    if (isStated || (isDaily && t + 1 === days.length)) {
      const end = after + returnDays
      if (end > series.days.length || isHole(series.days, days[t], after, end)) return 'outside'
      return t + 1 < days.length && series.days[end - 1] > days[t + 1]
        ? 'interval'
        : afterEntryLag(series, { first: after, end })
    }
    const last = t + 1 < days.length ? days[t + 1] : lastEnd(days, returnDays, medianDateGap)
    if (last === null) return 'end_unknown'
    const end = firstAfter(series.days, last)
    if (!covers(series.days, days[t], last) || isHole(series.days, days[t], after, end, last))
      return 'outside'
    return isDaily && end - after !== returnDays ? 'interval' : afterEntryLag(series, { first: after, end })
  }
}

function pricedRows(series: FactorSeries, { days, returnDays }: RecordPeriods): FindRows {
  return t => {
    const trading = firstAfter(series.days, days[t] - 1)
    const entry = trading + series.entryLag
    const end = entry + 1 + returnDays
    const isCovered = series.days[0] <= days[t] && end <= series.days.length
    return isCovered && !isHole(series.days, days[t], trading, end) ? { first: entry + 1, end } : 'outside'
  }
}

/** Whether each return ends where the next one begins: it spans about as many trading days as there are from one used
 * date to the next. A weekly row with the return of a day does not. */
function isContiguous(returnDays: number, medianDateGap: number): boolean {
  const spanned = Math.max(1, Math.round(returnDays / medianDateGap)) * medianDateGap
  return returnDays >= 0.8 * spanned && returnDays <= 1.25 * spanned
}

/** Whether a file has rows from the first weekday after `from` on, and up to the last weekday that is not after
 * `to`. */
function covers(days: Int32Array, from: number, to: number): boolean {
  const lastWeekday =
    businessDaysBetween(to, to + 1) === 1 ? to : to - (businessDaysBetween(to - 1, to) === 1 ? 1 : 2)
  return days[0] <= addBusinessDays(from, 1) && days[days.length - 1] >= lastWeekday
}

/** Whether rows are missing from day `from` on, among those in between, or up to day `to`. */
function isHole(days: Int32Array, from: number, first: number, end: number, to = from): boolean {
  if (first >= end) return true
  let before = from
  for (let i = first; i < end; i++) {
    if (days[i] - before > longestClosureDays) return true
    before = days[i]
  }
  return to - before > longestClosureDays
}

/** The day on which the last period ends; null if it does not follow from the dates. */
function lastEnd(days: Int32Array, returnDays: number, medianDateGap: number): number | null {
  const start = days[days.length - 1]
  if (medianDateGap <= 5) return addBusinessDays(start, returnDays)
  const months = Math.round(returnDays / tradingDaysPerMonth)
  if (months < 1 || !days.every(isMonthEnd)) return null
  return monthEndAfter(start, months)
}

function monthlyRows(series: FactorSeries, { days, returnDays, spans }: RecordPeriods): FindRows {
  const months = Math.round(returnDays / tradingDaysPerMonth)
  return t => {
    const start = spans?.from[t] ?? days[t]
    const next = spans?.to[t] ?? (t + 1 < days.length ? days[t + 1] : null)
    if (months < 1 || !isMonthEnd(start) || (next !== null && !isMonthEnd(next))) return 'interval'
    const last = monthEndAfter(next ?? start, next === null ? months : 0)
    const first = firstAfter(series.days, monthEndAfter(start, 0))
    const end = firstAfter(series.days, last)
    const expected = monthsBetween(start, last)
    if (expected !== months) return 'interval'
    return end - first === expected ? { first, end } : 'outside'
  }
}

/** Whether at most a few weekdays, which may be holidays, separate a day from the end of its month. */
const isMonthEnd = (day: number): boolean =>
  businessDaysBetween(day + 1, monthEndAfter(day, 0) + 1) <= maxHolidays

const msPerDay = 86_400_000

/** The last day of the month that is `months` after the month of a day. */
function monthEndAfter(day: number, months: number): number {
  const date = new Date(day * msPerDay)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0) / msPerDay
}

function monthsBetween(from: number, to: number): number {
  const [a, b] = [new Date(from * msPerDay), new Date(to * msPerDay)]
  return 12 * (b.getUTCFullYear() - a.getUTCFullYear()) + b.getUTCMonth() - a.getUTCMonth()
}

/** The index of the first of some ascending days after a day. */
function firstAfter(days: Int32Array, day: number): number {
  let [low, high] = [0, days.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (days[middle] <= day) low = middle + 1
    else high = middle
  }
  return low
}

const maxShownDates = 5

/** Periods beyond the coefficients that a regression requires. */
const minFreePeriods = 10

/** Rejects factors that match too few periods for a regression. */
export function requireMatches(
  aligned: AlignedFactors,
  series: FactorSeries,
  { days, returnDays }: RecordPeriods,
): void {
  const { matched, unmatched } = aligned
  const needed = series.names.length + 1 + minFreePeriods
  if (matched.length >= needed) return
  const spans = `The factors are ${series.frequency}, from ${isoDate(series.days[0])} to ${isoDate(series.days[series.days.length - 1])}; the record has ${days.length} periods of ${returnDays} trading days, from ${isoDate(days[0])} to ${isoDate(days[days.length - 1])}.`
  const reasons = [...unmatched].map(
    ([reason, at]) =>
      `${at.length} ${unmatchedReasons[reason]} (${at.slice(0, maxShownDates).map(isoDate).join(', ')}${at.length > maxShownDates ? ', ...' : ''})`,
  )
  throw new Failure(
    'backtest_impossible',
    `factors matches ${matched.length} of ${days.length} periods exactly; a regression on ${series.names.length} factors needs at least ${needed}. ${spans} ${reasons.length === 0 ? '' : `Periods without a match: ${reasons.join('; ')}. `}${series.frequency === 'monthly' ? 'Monthly factors match periods from one month end to another; send daily factors for others.' : 'Send factors that cover the record.'}`,
    { param: 'factors' },
  )
}

export const unmatchedReasons: Readonly<Record<UnmatchedReason, string>> = {
  outside: 'not covered by the factors',
  missing: 'with a factor return that is missing',
  interval: 'of another interval than any factor returns: the calendars differ, or dates are missing',
  end_unknown: 'whose end does not follow from the dates',
}
