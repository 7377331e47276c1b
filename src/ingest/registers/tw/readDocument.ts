import { Failure } from '../../../errors.ts'
import type { Contribution, Statement } from '../../../facts/reportedFact.ts'
import { dayOf, isRecord, textOf } from '../../reading/fields.ts'
import type { DocumentContent } from '../register.ts'
import { leaveOut, type ReadCells, readCell, startCells } from './cells.ts'
import { twRules } from './concepts.ts'
import {
  filerOf,
  filingOf,
  isCode,
  isQuarter,
  isSecondaryListing,
  type Quarter,
  type Table,
  yearOfRepublic,
} from './deadlines.ts'

type Row = Record<string, unknown>

const heading = {
  made: '出表日期',
  year: '年度',
  quarter: '季別',
  code: '公司代號',
  name: '公司名稱',
} as const
const headings: ReadonlySet<string> = new Set(Object.values(heading))

/** Reads a table of the TWSE's open data: `t187ap06` income statements, `t187ap07` balance sheets, one row a company, of
 * the quarter that was the last when the table was made. */
export function readTable(document: unknown, fileName: string): DocumentContent {
  const left = leftOutWhole(document)
  if (left !== null) return { contributions: [], figuresRead: 0, malformed: 0, leftOut: left }
  if (!Array.isArray(document)) {
    throw new Failure('body_invalid', 'A table of the TWSE is an array of rows, one a company.')
  }
  const cells = startCells()
  const best = new Map<string, Placed>()
  for (const [index, row] of document.entries()) {
    const table = isRecord(row) ? tableOf(row) : null
    if (!isRecord(row) || table === null) {
      throw new Failure(
        'body_invalid',
        `row ${index + 1}: an income statement has 基本每股盈餘（元） and a balance sheet 每股參考淨值; this row has neither.`,
      )
    }
    const placed = placeRow(row, table)
    if (placed === null) {
      leaveOut(cells, 'a row without a company, year, quarter or day', countRow(row, cells))
      continue
    }
    if (isSecondaryListing(placed.quarter.code)) {
      leaveOut(cells, 'a secondary listing, whose days its home country sets', countRow(row, cells))
      continue
    }
    const key = `${placed.quarter.code} ${placed.quarter.year} ${placed.quarter.quarter} ${table}`
    const known = best.get(key)
    const other = known === undefined || placed.madeOn > known.madeOn ? known : placed
    if (other !== placed) best.set(key, placed)
    if (other !== undefined)
      leaveOut(cells, 'another row of the company and quarter', countRow(other.row, cells))
  }
  const contributions = [...best.values()].map(placed => readRow(placed, fileName, cells))
  const { figuresRead, malformed, leftOut } = cells
  return { contributions, figuresRead, malformed, leftOut: Object.fromEntries(leftOut) }
}

interface Placed {
  readonly row: Row
  readonly table: Table
  readonly quarter: Quarter
  readonly madeOn: number
}

function placeRow(row: Row, table: Table): Placed | null {
  const code = textOf(row[heading.code]) ?? ''
  const year = wholeOf(row[heading.year]) + yearOfRepublic
  const quarter = wholeOf(row[heading.quarter])
  const madeOn = dayOfRepublic(textOf(row[heading.made]))
  if (!isCode(code) || !(year >= 1990 && year <= 2200) || !isQuarter(quarter) || !(madeOn > 0)) return null
  return { row, table, quarter: { code, year, quarter }, madeOn }
}

/** A number of up to three digits; NaN for anything else. */
function wholeOf(cell: unknown): number {
  const text = textOf(cell) ?? ''
  return /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
}

/** `1150817` is 2026-08-17. */
function dayOfRepublic(text: string | null): number {
  const [, year, month, date] = /^(\d{2,3})(\d\d)(\d\d)$/.exec(text ?? '') ?? []
  return year === undefined ? Number.NaN : dayOf(`${Number(year) + yearOfRepublic}-${month}-${date}`)
}

function readRow({ row, table, quarter, madeOn }: Placed, fileName: string, cells: ReadCells): Contribution {
  const name = textOf(row[heading.name])
  const filing = filingOf(quarter, table, filerOf(fileName, name, row))
  const own: ReadCells = { ...startCells(), leftOut: cells.leftOut }
  for (const [column, cell] of Object.entries(row)) {
    if (!headings.has(column)) readCell(plainColumn(column), cell, quarter, filing, own)
  }
  cells.figuresRead += own.figuresRead
  cells.malformed += own.malformed
  return {
    profile: {
      market: 'TW',
      issuerId: quarter.code,
      ...(name === null ? {} : { name }),
      tickers: [`${quarter.code}.TW`],
      registers: true,
    },
    statements: bestOfEach(own),
    filings: [],
    pulledOn: madeOn,
  }
}

/** One statement a metric: the profit of the whole company is one of the owners' only where that is missing. Both, read
 * again, would each look like an edit of the other. */
function bestOfEach({ statements, leftOut }: ReadCells): readonly Statement[] {
  const best = new Map<string, Statement>()
  for (const statement of statements) {
    const { metric, tag } = statement
    const other = best.get(metric)
    if (other === undefined || twRules.rank(metric, tag) < twRules.rank(metric, other.tag)) {
      best.set(metric, statement)
    }
  }
  leaveOut({ leftOut }, 'a column that only stands in for another', statements.length - best.size)
  return [...best.values()]
}

/** Brackets are full-width in some tables and not in others. */
const plainColumn = (column: string) => column.trim().replaceAll('(', '（').replaceAll(')', '）')

function tableOf(row: Row): Table | null {
  const columns = new Set(Object.keys(row).map(plainColumn))
  if (columns.has('每股參考淨值')) return 'position'
  return columns.has('基本每股盈餘（元）') ? 'income' : null
}

/** How many figures a row has that is not read; they count as read, and then as left out. */
function countRow(row: Row, cells: ReadCells): number {
  const count = Object.entries(row).filter(
    ([column, cell]) => !headings.has(column) && typeof cell === 'string' && cell.trim() !== '',
  ).length
  cells.figuresRead += count
  return count
}

/** What else the exchange serves under the same roof has no statements. */
function leftOutWhole(document: unknown): Record<string, number> | null {
  if (Array.isArray(document) && document.every(row => isRecord(row) && 'ClosingPrice' in row)) {
    return document.length > 0 ? { 'a day of trading': document.length } : null
  }
  if (!isRecord(document)) return null
  if ('swagger' in document || 'openapi' in document) return { 'a description of the interface': 1 }
  if (Array.isArray(document.data) && 'fields' in document && 'stat' in document) {
    return { 'a day of trading': document.data.length }
  }
  return null
}
