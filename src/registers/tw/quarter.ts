import { endOfMonth } from '../../model/months.ts'
import type { Filing } from '../../model/statement.ts'
import { deadline, type Filer } from './deadline.ts'

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

/** The tables do not say when a company filed: it is taken to be the last lawful day. The two are read and edited apart, so
 * the balance sheet goes by a number of its own. */
export function filingOf(quarter: Quarter, table: Table, filer: Filer): Filing {
  const report = `TW:${quarter.code}:${quarter.year}Q${quarter.quarter}`
  return {
    accession: table === 'income' ? report : `${report}:balance`,
    form: `Q${quarter.quarter}`,
    filed: deadline(quarter, filer),
    acceptedAt: null,
  }
}
