import { startOfMonths } from '../../../dates.ts'
import { type Closing, monthsOf, periodEnd, type ReportCode } from './closingMonth.ts'
import type { Sheet } from './concepts.ts'

/** A line of a statement, with the API's field names. */
export type Line = Record<string, unknown>

/** The text of an amount; null if there is none. */
export function amountOf(value: unknown): string | null {
  const text = value === undefined || value === null ? '' : String(value).trim()
  return text === '' || text === '-' ? null : text
}

export const countAmounts = (line: Line): number =>
  columns.reduce((sum, column) => sum + (amountOf(line[column]) === null ? 0 : 1), 0)

/** The columns of a line that hold amounts, with the API's names. */
export const columns = [
  'thstrm_amount',
  'thstrm_add_amount',
  'frmtrm_amount',
  'frmtrm_q_amount',
  'frmtrm_add_amount',
  'bfefrmtrm_amount',
] as const
export type Column = (typeof columns)[number]

export interface Span {
  /** Null for an instant. */
  readonly start: number | null
  readonly end: number
}

/**
 * The period of each column of a report's sheet; columns not listed have no certain period. An interim income
 * statement has three months and the year to date; a cash flow statement and a statement of changes in equity
 * have only the year to date. The whole-year column of an interim report has none: some filers put a part
 * of the year in it.
 */
export function spansOf(
  sheet: Sheet | 'equity',
  report: ReportCode,
  year: number,
  closing: Closing,
): ReadonlyMap<Column, Span> {
  const months = monthsOf[report]
  const over = (yearsBack: number, length: number): Span => {
    const end = periodEnd(closing, year - yearsBack, report)
    return { start: startOfMonths(end, length), end }
  }
  const on = (yearsBack: number): Span => ({
    start: null,
    end: yearsBack === 0 ? periodEnd(closing, year, report) : periodEnd(closing, year - yearsBack, '11011'),
  })
  if (sheet === 'position') {
    return new Map([
      ['thstrm_amount', on(0)],
      ['frmtrm_amount', on(1)],
      ['bfefrmtrm_amount', on(2)],
    ])
  }
  if (report === '11011') {
    return new Map([
      ['thstrm_amount', over(0, 12)],
      ['frmtrm_amount', over(1, 12)],
      ['bfefrmtrm_amount', over(2, 12)],
    ])
  }
  if (sheet === 'cashFlow' || sheet === 'equity') {
    return new Map([
      ['thstrm_amount', over(0, months)],
      ['frmtrm_q_amount', over(1, months)],
    ])
  }
  return new Map([
    ['thstrm_amount', over(0, 3)],
    ['thstrm_add_amount', over(0, months)],
    ['frmtrm_q_amount', over(1, 3)],
    ['frmtrm_add_amount', over(1, months)],
  ])
}
