import { dayNumber, endOfMonth } from '../../../dates.ts'
import type { Filing } from '../../../facts/reportedFact.ts'

/**
 * The kind of filer, which determines the deadline. A filer that may be of two kinds counts as the one with
 * the later deadline.
 * - `general`: a domestic listed company of general industry;
 * - `half-year later`: a listed bank, broker or insurer, a foreign company whose primary listing is here, a
 *   mixed group;
 * - `holding`: a financial holding company;
 * - `unlisted`: a public company that is not listed.
 */
export type Filer = 'general' | 'half-year later' | 'holding' | 'unlisted'

/** The last day for the first, second and third quarter and, in the next year, for the year. */
type LastDays = readonly [string, string, string, string]

/**
 * Securities and Exchange Act, article 36: 45 days after a quarter, three months after the year. Its second
 * paragraph sets other limits. Financial holdings: 60 days after the first and third quarter. Financial
 * institutions and, since 2021, foreign companies: two months after the half-year. Companies that are not
 * listed: four months after the year.
 */
const lastDays: Readonly<Record<Filer, LastDays>> = {
  general: ['05-15', '08-14', '11-14', '03-31'],
  'half-year later': ['05-15', '08-31', '11-14', '03-31'],
  holding: ['05-30', '08-31', '11-29', '03-31'],
  unlisted: ['05-30', '08-31', '11-29', '04-30'],
}

/**
 * Before 2013 the Act gave consolidated reports 75 days after the half-year and four months after the year.
 */
const lastDaysBefore2013: LastDays = ['05-30', '09-13', '11-29', '04-30']

/** The last day on which the report of a quarter may lawfully be filed. */
export function deadline({ year, quarter }: Quarter, filer: Filer): number {
  const days = year < 2013 ? lastDaysBefore2013 : lastDays[filer]
  return workingDayFrom(dayNumber(`${quarter === 4 ? year + 1 : year}-${days[quarter - 1]}`))
}

/**
 * The exchange's listings (L) and those over the counter (O), each by kind of industry: general, banks,
 * brokers, financial holdings, insurers, mixed groups.
 */
const tableName = /t187ap0[67]_([A-Z])_(ci|basi|bd|fh|ins|mim)(?![a-z])/

/** Columns that only financial institutions have. */
const financialColumns = [
  '利息淨收益',
  '支出及費用',
  '存放央行及拆借銀行同業',
  '存放央行及拆借金融同業',
  '保險負債',
]

/**
 * The kind of filer of a row, from the name of the table, the company's name and the columns. If these do not
 * decide, the later deadline counts. A table under another file name may contain unlisted companies. A row
 * without a name may be of a foreign company, whose name ends in KY.
 */
export function filerOf(
  fileName: string,
  name: string | null,
  row: Readonly<Record<string, unknown>>,
): Filer {
  const [, market, industry] = tableName.exec(fileName) ?? []
  if (market !== 'L' && market !== 'O') return 'unlisted'
  const isFinancial = financialColumns.some(column => column in row)
  if (industry === 'fh' || (isFinancial && (industry === 'ci' || industry === 'mim'))) return 'holding'
  return industry === 'ci' && name !== null && !/[KＫ][YＹ]\s*$/i.test(name) ? 'general' : 'half-year later'
}

/** Depositary receipts (codes 91..): the deadlines of their reports depend on their home country. */
export const isSecondaryListing = (code: string): boolean => /^91\d{2}([0-9A-Z]{2})?$/.test(code)

/** A company's year to date at the end of a quarter. */
export interface Quarter {
  readonly code: string
  /** Gregorian year. */
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

/**
 * The tables do not state when a company filed, so the last lawful day counts. Income statement and balance
 * sheet are observed and edited independently, so the balance sheet has its own accession.
 */
export function filingOf(quarter: Quarter, table: Table, filer: Filer): Filing {
  const report = `TW:${quarter.code}:${quarter.year}Q${quarter.quarter}`
  return {
    accession: table === 'income' ? report : `${report}:balance`,
    form: `Q${quarter.quarter}`,
    filed: deadline(quarter, filer),
    acceptedAt: null,
  }
}

const lunar = new Intl.DateTimeFormat('en-u-ca-chinese', {
  month: 'numeric',
  day: 'numeric',
  timeZone: 'UTC',
})

/**
 * The first day from `day` on which a report can be due. A time limit that ends on a Saturday, a Sunday or a
 * holiday is extended to the next working day (Administrative Procedure Act, article 48). Of all holidays,
 * only the Dragon Boat Festival can fall on a deadline. A working Saturday, and the Friday off that it makes
 * up for, count as days off, because assuming a later due day is safe.
 */
function workingDayFrom(day: number): number {
  let found = day
  while (isWeekend(found) || isDragonBoatBreak(found)) found++
  return found
}

/** 1970-01-01 was a Thursday. */
const weekday = (day: number) => (day + 4) % 7
const isWeekend = (day: number) => weekday(day) === 0 || weekday(day) === 6

/**
 * The fifth day of the fifth lunar month. An adjacent Friday or Monday is also off, as a bridge day or in
 * lieu of a festival on a weekend.
 */
function isDragonBoatBreak(day: number): boolean {
  if (isFestival(day)) return true
  if (weekday(day) === 5) return isFestival(day - 1) || isFestival(day + 1)
  return weekday(day) === 1 && (isFestival(day - 1) || isFestival(day + 1))
}

/** By day, because a lunar date takes microseconds to find and the thousands of rows of a table have a few due days. */
const festivals = new Map<number, boolean>()

function isFestival(day: number): boolean {
  const known = festivals.get(day)
  if (known !== undefined) return known
  const found = lunar.format(day * dayMs) === '5/5'
  festivals.set(day, found)
  return found
}
