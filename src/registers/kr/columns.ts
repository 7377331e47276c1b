import { startOfMonths } from '../../model/months.ts'
import { type Closing, monthsOf, periodEnd, type Report } from './closing.ts'
import type { Sheet } from './concepts.ts'

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
  /** null: a day's standing. */
  readonly start: number | null
  readonly end: number
}

/** The period of each column of a report's sheet; a column that is missing here names none. An interim income statement
 * has three months and, added up, the year to date; a cash flow statement the year to date only. Whole years beside an
 * interim period are not taken: of some filers they hold a part of the year. */
export function spansOf(
  sheet: Sheet,
  report: Report,
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
  if (sheet === 'cashFlow') {
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
