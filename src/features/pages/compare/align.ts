import { dayNumber, daysBefore, type IsoDate } from '../../../dates.ts'
import type { FundamentalsRow } from '../../fundamentals/schema.ts'
import { periodEnds } from '../../fundamentals/table.ts'
import type { Tab } from '../periodTabs.ts'

/** A calendar year or quarter, which holds the fiscal period of each company that ends in it. */
export interface Column {
  /** Sorts by time. */
  readonly key: string
  readonly label: string
  /** For the axis of a chart. */
  readonly short: string
}

/** A figure in its column. */
export interface Cell {
  readonly row: FundamentalsRow
  /** The end of its fiscal period. A cover count has a day of its own. */
  readonly end: IsoDate
  /** How many days the period has; null for balances, and if its first day is not known. */
  readonly days: number | null
  readonly column: Column
}

/**
 * Years of 52 and 53 weeks end on the weekday nearest to the end of a month. A period that ends in the first days of a
 * month therefore belongs to the month before: otherwise a company would have two years in one column and none in the next.
 */
export const firstDays = 7

const quarterNames = ['Jan–Mar', 'Apr–Jun', 'Jul–Sep', 'Oct–Dec']
const lastMonths = ['Mar', 'Jun', 'Sep', 'Dec']

export function columnOf(end: IsoDate, show: Tab): Column {
  const day = Number(end.slice(8)) <= firstDays ? daysBefore(end, firstDays) : end
  const year = day.slice(0, 4)
  if (show === 'years') return { key: year, label: year, short: year }
  const quarter = Math.floor((Number(day.slice(5, 7)) - 1) / 3)
  return {
    key: `${year}-${quarter}`,
    label: `${quarterNames[quarter]} ${year}`,
    short: `${lastMonths[quarter]} ${year}`,
  }
}

/** A company's figures by metric, in the order of their periods. */
export type Lines = ReadonlyMap<string, readonly Cell[]>

/** @param rows one vintage of each figure */
export function linesOf(rows: readonly FundamentalsRow[], show: Tab): Lines {
  const endOf = periodEnds(rows)
  const lines = new Map<string, Cell[]>()
  for (const row of rows) {
    const end = endOf(row)
    const days = typeof row.start === 'string' ? dayNumber(row.end) - dayNumber(row.start) + 1 : null
    const cell = { row, end, days, column: columnOf(end, show) }
    const known = lines.get(row.m)
    if (known === undefined) lines.set(row.m, [cell])
    else known.push(cell)
  }
  for (const line of lines.values()) line.sort((a, b) => (a.end < b.end ? -1 : a.end > b.end ? 1 : 0))
  return lines
}

/** The cells of a line by column. Of two periods in a column, which a company with a new year end has, the later one counts. */
export const byColumn = (line: readonly Cell[]): ReadonlyMap<string, Cell> =>
  new Map(line.map(cell => [cell.column.key, cell]))

/**
 * The columns in which any of the lines has a figure, the latest first.
 *
 * @param before only periods that ended by this day
 */
export function columnsOf(lines: Iterable<readonly Cell[]>, before?: IsoDate): Column[] {
  const columns = new Map<string, Column>()
  for (const line of lines)
    for (const { column, end } of line)
      if (before === undefined || end <= before) columns.set(column.key, column)
  return [...columns.values()].sort((a, b) => (a.key < b.key ? 1 : -1))
}

/** The lengths of a year and of a quarter in days: 52 and 53 weeks, and quarters of 12 to 14 weeks. */
const usualDays: Readonly<Record<Tab, readonly [number, number]>> = {
  years: [350, 380],
  quarters: [80, 100],
  ttm: [350, 380],
}

/** Whether a period is longer or shorter than its name says, as a company's first or changed fiscal year is. */
export const isUnusual = ({ days }: Cell, show: Tab): boolean =>
  days !== null && (days < usualDays[show][0] || days > usualDays[show][1])
