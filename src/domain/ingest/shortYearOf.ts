import type { MetricRules, Statement } from '../../model/statement.ts'
import type { FiscalYear } from './fiscalCalendar.ts'
import { slackDays } from './fiscalYear.ts'
import { spanOf } from './span.ts'

interface KnownYears {
  readonly lastBefore: (day: number) => FiscalYear | null
  /** Another report has said that a year ends on the day. */
  readonly isKnown: (day: number) => boolean
}

/** A fiscal year that is none of twelve months: a change of its end leaves one, and so does a company's beginning. A
 * report that says it is on one (10-KT, 10-QT) closes it with its last day. So does an annual report whose own period goes on
 * where the year before ended and is no year, or that knows of no year at all.
 *
 * @param years what was known of fiscal years before the report, and the years that it states itself */
export function shortYearOf(
  form: string,
  statements: readonly Statement[],
  forms: Pick<MetricRules, 'annualForm' | 'transitionForm'>,
  years: KnownYears,
): FiscalYear | null {
  const isTransition = forms.transitionForm?.test(form) === true
  if (!isTransition && !forms.annualForm.test(form)) return null
  // Most reports state whole years and balances only.
  if (!isTransition && statements.every(({ start, end }) => start === null || spanOf(start, end) === 4))
    return null
  const end = lastDayOf(statements)
  if (end === null || (!isTransition && years.isKnown(end))) return null
  const last = years.lastBefore(end - slackDays)
  const starts = statements.flatMap(one =>
    one.start !== null && Math.abs(one.end - end) <= slackDays && spanOf(one.start, one.end) !== 4
      ? [one.start]
      : [],
  )
  if (last !== null) {
    const goesOn = starts.some(start => Math.abs(start - last.end - 1) <= slackDays)
    const isShort = isTransition ? spanOf(last.end + 1, end) !== 4 && end - last.end < 750 : goesOn
    return isShort ? { start: last.end + 1, end } : null
  }
  const isYear = statements.some(
    one => Math.abs(one.end - end) <= slackDays && spanOf(one.start, one.end) === 4,
  )
  return starts.length > 0 && (isTransition || !isYear) ? { start: Math.min(...starts), end } : null
}

/** The last day on which two figures of a report end: one alone may be a count of shares on its cover. */
function lastDayOf(statements: readonly Statement[]): number | null {
  const counts = new Map<number, number>()
  for (const { end } of statements) counts.set(end, (counts.get(end) ?? 0) + 1)
  const shared = [...counts].filter(([, count]) => count > 1).map(([end]) => end)
  const days = shared.length > 0 ? shared : [...counts.keys()]
  return days.length === 0 ? null : days.reduce((last, day) => Math.max(last, day))
}
