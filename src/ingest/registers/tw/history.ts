import { Failure } from '../../../errors.ts'
import type { Filing, ReportedFact } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { dayOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { DocumentContent } from '../registerInterface.ts'
import {
  type Filer,
  filingOf,
  firstDay,
  isCode,
  isQuarter,
  isSecondaryListing,
  lastDay,
  type Quarter,
} from './deadlines.ts'
import { FigureTally, readReport } from './figures.ts'

const requiredColumns = [
  'company_id',
  'fiscal_year',
  'fiscal_quarter',
  'period_start',
  'period_end',
  'eps',
] as const

const days = ['period_start', 'period_end'] as const

/**
 * The register's own column names. Its net income is that of the whole company, including minority interests.
 */
const registerColumns: Readonly<Record<string, string>> = {
  revenue: '營業收入',
  cost_of_revenue: '營業成本',
  operating_income: '營業利益（損失）',
  net_income: '本期淨利（淨損）',
  total_comprehensive_income: '本期綜合損益總額',
  eps: '基本每股盈餘（元）',
}

/**
 * Reads an archive of income statements as CSV, cumulative like the register's own table and in its units:
 * one row per company and quarter. It distinguishes neither industries nor foreign companies, so the later
 * deadline counts.
 */
export function readHistory(text: string): DocumentContent {
  const tally = new FigureTally()
  const rows = rowsToRead(text, tally)
  const quarters = new Set(rows.map(({ quarter }) => keyOf(quarter)))
  const companies = new Map<string, { readonly reportedFacts: ReportedFact[]; readonly filings: Filing[] }>()
  const wholeFilings: StatedFiling[] = []
  for (const { cells, quarter, figures, line } of rows) {
    const filing = filingOf(quarter, 'income', filerOf(quarter, quarters))
    const report = readReport(
      {
        quarter,
        table: 'income',
        filing,
        location: `line ${line}`,
        cells: figures.map(name => ({
          column: registerColumns[name] ?? name,
          label: name,
          cell: cells.get(name),
        })),
      },
      tally,
    )
    const ofCompany = companies.get(quarter.code) ?? { reportedFacts: [], filings: [] }
    companies.set(quarter.code, ofCompany)
    ofCompany.reportedFacts.push(...report.reportedFacts)
    if (report.whole === null) continue
    wholeFilings.push({ ...report.whole, source: 'figures' })
    if (report.reportedFacts.length === 0) ofCompany.filings.push(filing)
  }
  const parsed = [...companies].map(([code, ofCompany]) => ({
    profile: { market: 'TW', issuerId: code, tickers: [`${code}.TW`], registers: true },
    ...ofCompany,
  }))
  return { parsed, wholeFilings, ...tally.content }
}

interface HistoryRow {
  readonly cells: ReadonlyMap<string, string>
  readonly quarter: Quarter
  /** The names of non-empty figure columns. */
  readonly figures: readonly string[]
  /** In the document, counted from 1. */
  readonly line: number
}

/** The rows to read; the others are counted. */
function rowsToRead(text: string, tally: FigureTally): HistoryRow[] {
  const [head = '', ...lines] = text.split(/\r?\n/)
  const names = head.replace(/^\uFEFF/, '').split(',')
  const missing = requiredColumns.filter(name => !names.includes(name))
  if (missing.length > 0) {
    throw new Failure(
      'body_invalid',
      `line 1: an archive of income statements must have the columns ${missing.join(', ')}.`,
    )
  }
  const rows: HistoryRow[] = []
  const seen = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const values = line.split(',')
    const fault = values.length !== names.length ? `has ${values.length} cells` : 'has a quotation mark'
    if (values.length !== names.length || line.includes('"')) {
      throw new Failure(
        'body_invalid',
        `line ${index + 2} ${fault}; a line has ${names.length} cells without quotation marks.`,
      )
    }
    const cells = new Map(names.map((name, index) => [name, values[index] ?? '']))
    const quarter = quarterOf(cells)
    const figures = Object.keys(registerColumns).filter(name => (cells.get(name) ?? '') !== '')
    const faultyDay = days.find(column => Number.isNaN(dayOf(cells.get(column))))
    if (faultyDay !== undefined) {
      tally.figuresRead += figures.length
      tally.faults.add(
        `line ${index + 2}: ${faultyDay} is ${shown(cells.get(faultyDay))}, not a day`,
        figures.length,
      )
      continue
    }
    const reason = reasonLeftOut(quarter, seen)
    if (quarter === null || reason !== null) {
      tally.figuresRead += figures.length
      tally.leftOut.add(reason ?? '', figures.length)
      continue
    }
    seen.add(keyOf(quarter))
    rows.push({ cells, quarter, figures, line: index + 2 })
  }
  return rows
}

const keyOf = ({ code, year, quarter }: Quarter) => `${code} ${year} ${quarter}`

/** The reason why a row is not read; null if it is. */
function reasonLeftOut(quarter: Quarter | null, seen: ReadonlySet<string>): string | null {
  if (quarter === null) return 'a row that is not for a year to date'
  if (seen.has(keyOf(quarter))) return 'another row of the same company and quarter'
  return isSecondaryListing(quarter.code)
    ? 'a secondary listing, whose deadlines its home country sets'
    : null
}

/** Null if the row does not state its year to date or contradicts itself. */
function quarterOf(cells: ReadonlyMap<string, string>): Quarter | null {
  const code = cells.get('company_id') ?? ''
  const year = /^\d{4}$/.test(cells.get('fiscal_year') ?? '') ? Number(cells.get('fiscal_year')) : Number.NaN
  const quarter = /^\d$/.test(cells.get('fiscal_quarter') ?? '') ? Number(cells.get('fiscal_quarter')) : 0
  if (!isCode(code) || !(year >= 1990 && year <= 2200) || !isQuarter(quarter)) return null
  const found: Quarter = { code, year, quarter }
  const isYearToDate =
    dayOf(cells.get('period_start')) === firstDay(found) && dayOf(cells.get('period_end')) === lastDay(found)
  return isYearToDate ? found : null
}

/**
 * A listed company reports its first and third quarter, so one that skipped either was not listed all year.
 * Banks, insurers, brokers, financial holdings and a few others are listed under codes that begin with 28, 58
 * or 60.
 */
function filerOf(quarter: Quarter, quarters: ReadonlySet<string>): Filer {
  const has = (number: Quarter['quarter']) => quarters.has(keyOf({ ...quarter, quarter: number }))
  const wasUnlisted = (!has(1) && (has(2) || has(3) || has(4))) || (!has(3) && has(4))
  if (wasUnlisted) return 'unlisted'
  return /^(28|58|60)/.test(quarter.code) ? 'holding' : 'half-year later'
}
