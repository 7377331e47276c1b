import { endOfMonth } from '../../model/months.ts'
import type { Filing } from '../../model/statement.ts'

/** The year to date of a company at the end of a quarter, as one of the two tables states it. */
export interface Quarter {
  readonly code: string
  /** Of the common era. */
  readonly year: number
  readonly quarter: 1 | 2 | 3 | 4
}

export type Table = 'income' | 'position'

/** Taiwan counts years of the Republic: 115 is 2026. */
export const yearOfRepublic = 1911

const dayMs = 86_400_000
const day = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date) / dayMs

export const isQuarter = (value: number): value is Quarter['quarter'] =>
  value === 1 || value === 2 || value === 3 || value === 4

export const isCode = (text: string): boolean => /^[0-9A-Z]{4,6}$/.test(text)

export const firstDay = ({ year }: Quarter): number => day(year, 1, 1)
export const lastDay = ({ year, quarter }: Quarter): number => endOfMonth(year, quarter * 3)

/** The statutory deadline of the report (Securities and Exchange Act, article 36). The tables do not say when a company
 * filed. */
export function deadline({ year, quarter }: Quarter, isFinancial: boolean): number {
  switch (quarter) {
    case 1:
      return day(year, 5, 15)
    case 2:
      return isFinancial ? day(year, 8, 31) : day(year, 8, 14)
    case 3:
      return day(year, 11, 14)
    case 4:
      return day(year + 1, 3, 31)
  }
}

/** Codes under which banks, insurers, brokers and financial holdings are listed, and a few others: where a source does not
 * tell the industry the later deadline holds for all of them. */
export const mayBeFinancial = (code: string): boolean => /^(28|58|60)/.test(code)

/** The two tables are read and edited apart, so the balance sheet goes by a number of its own. */
export function filingOf(quarter: Quarter, table: Table, isFinancial: boolean): Filing {
  const report = `TW:${quarter.code}:${quarter.year}Q${quarter.quarter}`
  return {
    accession: table === 'income' ? report : `${report}:balance`,
    form: `Q${quarter.quarter}`,
    filed: deadline(quarter, isFinancial),
    acceptedAt: null,
  }
}
