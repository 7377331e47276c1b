import { Failure } from '../../../errors.ts'
import type { ParsedDocument, ReportedFact } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { dayOf, isRecord, textOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { DocumentContent, LeftOut } from '../registerInterface.ts'
import { rules } from './concepts.ts'
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
import { FigureTally, readReport, textOfCell } from './figures.ts'

type Row = Record<string, unknown>

const heading = {
  made: '出表日期',
  year: '年度',
  quarter: '季別',
  code: '公司代號',
  name: '公司名稱',
} as const
const headings: ReadonlySet<string> = new Set(Object.values(heading))

/**
 * Reads a table of the TWSE's open data: `t187ap06` has income statements, `t187ap07` balance sheets. A table
 * has one row per company, for the latest quarter at the time it was made.
 */
export function readTable(document: unknown, fileName: string): DocumentContent {
  const tally = new FigureTally()
  if (isOtherKind(document, tally.leftOut)) return { parsed: [], ...tally.content }
  if (!Array.isArray(document)) {
    throw new Failure('body_invalid', 'A table of the TWSE must be an array of rows, one per company.')
  }
  const latest = new Map<string, Placed>()
  for (const [index, row] of document.entries()) {
    const table = isRecord(row) ? tableOf(row) : null
    if (!isRecord(row) || table === null) {
      throw new Failure(
        'body_invalid',
        `row ${index + 1}: an income statement has 基本每股盈餘（元） and a balance sheet 每股參考淨值; this row has neither.`,
      )
    }
    const made = textOf(row[heading.made])
    if (made !== null && !(dayOfRepublic(made) > 0)) {
      tally.faults.add(
        `row ${index + 1}: ${heading.made} is ${shown(made)}, not a day`,
        countFigures(row, tally),
      )
      continue
    }
    const placed = placeRow(row, table, index)
    if (placed === null) {
      leaveOutRow('a row without a company, year, quarter or day', row, tally)
      continue
    }
    const { code, year, quarter } = placed.quarter
    if (isSecondaryListing(code)) {
      leaveOutRow('a secondary listing, whose deadlines its home country sets', row, tally)
      continue
    }
    const key = `${code} ${year} ${quarter} ${table}`
    const known = latest.get(key)
    const isLatest = known === undefined || placed.madeOn > known.madeOn
    if (isLatest) latest.set(key, placed)
    const other = isLatest ? known : placed
    if (other !== undefined) leaveOutRow('another row of the same company and quarter', other.row, tally)
  }
  const wholeFilings: StatedFiling[] = []
  const parsed = [...latest.values()].map(placed => parseRow(placed, fileName, tally, wholeFilings))
  return { parsed, wholeFilings, ...tally.content }
}

interface Placed {
  readonly row: Row
  readonly table: Table
  readonly quarter: Quarter
  readonly madeOn: number
  /** In the document, counted from 0. */
  readonly index: number
}

function placeRow(row: Row, table: Table, index: number): Placed | null {
  const code = textOf(row[heading.code]) ?? ''
  const year = wholeOf(row[heading.year]) + yearOfRepublic
  const quarter = wholeOf(row[heading.quarter])
  const madeOn = dayOfRepublic(textOf(row[heading.made]))
  if (!isCode(code) || !(year >= 1990 && year <= 2200) || !isQuarter(quarter) || !(madeOn > 0)) return null
  return { row, table, quarter: { code, year, quarter }, madeOn, index }
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

function parseRow(
  { row, table, quarter, madeOn, index }: Placed,
  fileName: string,
  tally: FigureTally,
  wholeFilings: StatedFiling[],
): ParsedDocument {
  const name = textOf(row[heading.name])
  const filing = filingOf(quarter, table, filerOf(fileName, name, row))
  const cells = Object.entries(row).flatMap(([column, cell]) =>
    headings.has(column) ? [] : [{ column: plainColumn(column), label: column.trim(), cell }],
  )
  const report = readReport({ quarter, table, filing, location: `row ${index + 1}`, cells }, tally)
  if (report.whole !== null) wholeFilings.push({ ...report.whole, source: 'dataSet', seenOn: madeOn })
  const reportedFacts = preferredOf(report.reportedFacts, tally.leftOut)
  return {
    profile: {
      market: 'TW',
      issuerId: quarter.code,
      ...(name === null ? {} : { name }),
      tickers: [`${quarter.code}.TW`],
      registers: true,
    },
    reportedFacts,
    filings: report.whole !== null && reportedFacts.length === 0 ? [filing] : [],
    observedOn: madeOn,
  }
}

/**
 * One fact per metric: the profit of the whole company is used only if the owners' profit is missing. If both
 * were stored, each would look like an edit of the other when the table is observed again.
 */
function preferredOf(facts: readonly ReportedFact[], leftOut: LeftOut): readonly ReportedFact[] {
  const preferred = new Map<string, ReportedFact>()
  for (const fact of facts) {
    const { metric, tag } = fact
    const other = preferred.get(metric)
    if (other === undefined || rules.rank(metric, tag) < rules.rank(metric, other.tag))
      preferred.set(metric, fact)
  }
  leftOut.add('a column that is only a substitute for another one', facts.length - preferred.size)
  return [...preferred.values()]
}

/** Brackets are full-width in some tables and not in others. */
const plainColumn = (column: string) => column.trim().replaceAll('(', '（').replaceAll(')', '）')

function tableOf(row: Row): Table | null {
  const columns = new Set(Object.keys(row).map(plainColumn))
  if (columns.has('每股參考淨值')) return 'position'
  return columns.has('基本每股盈餘（元）') ? 'income' : null
}

/** Counts the figures of a skipped row as read and then as left out. */
function leaveOutRow(reason: string, row: Row, tally: FigureTally): void {
  tally.leftOut.add(reason, countFigures(row, tally))
}

/** Counts the figures of a skipped row as read, and returns their number. */
function countFigures(row: Row, tally: FigureTally): number {
  const figures = Object.entries(row).filter(
    ([column, cell]) => !headings.has(column) && textOfCell(cell) !== '',
  ).length
  tally.figuresRead += figures
  return figures
}

/** Recognises other documents that the exchange serves at the same address, and counts their records. */
function isOtherKind(document: unknown, leftOut: LeftOut): boolean {
  if (Array.isArray(document) && document.every(row => isRecord(row) && 'ClosingPrice' in row)) {
    leftOut.add('a day of trading', document.length)
    return document.length > 0
  }
  if (!isRecord(document)) return false
  if ('swagger' in document || 'openapi' in document) {
    leftOut.add('a description of the interface')
    return true
  }
  if (Array.isArray(document.data) && 'fields' in document && 'stat' in document) {
    leftOut.add('a day of trading', document.data.length)
    return true
  }
  return false
}
