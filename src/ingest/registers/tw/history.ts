import { Failure } from '../../../errors.ts'
import type { Contribution, Statement } from '../../../facts/reportedFact.ts'
import { dayOf } from '../../reading/fields.ts'
import type { DocumentContent } from '../register.ts'
import { leaveOut, readCell, startCells } from './cells.ts'
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

const places = ['company_id', 'fiscal_year', 'fiscal_quarter', 'period_start', 'period_end'] as const

/** What the columns are called at the register. Its net income is that of the whole company, minority interests included. */
const columns: Readonly<Record<string, string>> = {
  revenue: '營業收入',
  cost_of_revenue: '營業成本',
  operating_income: '營業利益（損失）',
  net_income: '本期淨利（淨損）',
  total_comprehensive_income: '本期綜合損益總額',
  eps: '基本每股盈餘（元）',
}

/** Reads an archive of income statements as CSV, cumulative like the register's own table and in its units: one row a
 * company and quarter. It tells neither industries nor foreign companies apart, so the later deadline counts. */
export function readHistory(text: string): DocumentContent {
  const [head = '', ...lines] = text.split(/\r?\n/)
  const names = head.replace(/^\uFEFF/, '').split(',')
  const missing = [...places, 'eps'].filter(name => !names.includes(name))
  if (missing.length > 0) {
    throw new Failure(
      'body_invalid',
      `line 1: an archive of income statements has columns ${missing.join(', ')}.`,
    )
  }
  const cells = startCells()
  const companies = new Map<string, Statement[]>()
  const rows: { row: ReadonlyMap<string, string>; quarter: Quarter; figures: string[] }[] = []
  const seen = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const values = line.split(',')
    if (values.length !== names.length || line.includes('"')) {
      throw new Failure(
        'body_invalid',
        `line ${index + 2}: ${names.length} cells without quotation marks are needed, there are ${values.length}.`,
      )
    }
    const row = new Map(names.map((name, place) => [name, values[place] ?? '']))
    const quarter = quarterOf(row)
    const figures = Object.keys(columns).filter(name => (row.get(name) ?? '') !== '')
    const reason = quarter === null ? 'a row that is not of a year to date' : reasonAgainst(quarter, seen)
    if (quarter === null || reason !== null) {
      cells.figuresRead += figures.length
      leaveOut(cells, reason ?? '', figures.length)
      continue
    }
    seen.add(keyOf(quarter))
    rows.push({ row, quarter, figures })
  }
  for (const { row, quarter, figures } of rows) {
    const filing = filingOf(quarter, 'income', filerOf(quarter, seen))
    const own = { ...startCells(), leftOut: cells.leftOut }
    for (const name of figures) readCell(columns[name] ?? name, row.get(name), quarter, filing, own)
    cells.figuresRead += own.figuresRead
    cells.malformed += own.malformed
    companies.set(quarter.code, [...(companies.get(quarter.code) ?? []), ...own.statements])
  }
  const contributions = [...companies].map(
    ([code, statements]): Contribution => ({
      profile: { market: 'TW', issuerId: code, tickers: [`${code}.TW`], registers: true },
      statements,
      filings: [],
    }),
  )
  const { figuresRead, malformed, leftOut } = cells
  return { contributions, figuresRead, malformed, leftOut: Object.fromEntries(leftOut) }
}

const keyOf = ({ code, year, quarter }: Quarter) => `${code} ${year} ${quarter}`

/** Why a row is not read; null where it is. */
function reasonAgainst(quarter: Quarter, seen: ReadonlySet<string>): string | null {
  if (seen.has(keyOf(quarter))) return 'another row of the company and quarter'
  return isSecondaryListing(quarter.code) ? 'a secondary listing, whose days its home country sets' : null
}

/** A listed company reports its first and third quarter: one that skipped either was not listed all year. Banks, insurers,
 * brokers and financial holdings, and a few others, are listed under codes that begin with 28, 58 or 60. */
function filerOf(quarter: Quarter, seen: ReadonlySet<string>): Filer {
  const has = (number: Quarter['quarter']) => seen.has(keyOf({ ...quarter, quarter: number }))
  const wasUnlisted = (!has(1) && (has(2) || has(3) || has(4))) || (!has(3) && has(4))
  if (wasUnlisted) return 'unlisted'
  return /^(28|58|60)/.test(quarter.code) ? 'holding' : 'half-year later'
}

/** null: the row does not say which year to date it is, or contradicts itself. */
function quarterOf(row: ReadonlyMap<string, string>): Quarter | null {
  const code = row.get('company_id') ?? ''
  const year = /^\d{4}$/.test(row.get('fiscal_year') ?? '') ? Number(row.get('fiscal_year')) : Number.NaN
  const quarter = /^\d$/.test(row.get('fiscal_quarter') ?? '') ? Number(row.get('fiscal_quarter')) : 0
  if (!isCode(code) || !(year >= 1990 && year <= 2200) || !isQuarter(quarter)) return null
  const found: Quarter = { code, year, quarter }
  const isYearToDate =
    dayOf(row.get('period_start')) === firstDay(found) && dayOf(row.get('period_end')) === lastDay(found)
  return isYearToDate ? found : null
}
