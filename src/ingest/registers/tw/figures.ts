import type { Filing, ReportedFact } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import {
  type FigureContext,
  plainDecimal,
  type ReportedFigure,
  type Statement,
  type StatementLine,
} from '../../../wholeFilings/wholeFiling.ts'
import { numberOf, textOfScalar, unitOf } from '../../reading/fields.ts'
import { asWritten } from '../../reading/json.ts'
import { shown } from '../../reading/namedFaults.ts'
import { type DocumentContent, Tally } from '../registerInterface.ts'
import { usesOfTag } from './concepts.ts'
import { firstDay, lastDay, type Quarter, type Table } from './deadlines.ts'

/** Counts the figures of a document. */
export class FigureTally extends Tally {
  figuresRead = 0

  get content(): Omit<DocumentContent, 'parsed' | 'wholeFilings'> {
    return { figuresRead: this.figuresRead, ...this.counts }
  }
}

/** A company's row of a table or an archive. */
export interface ReportRow {
  readonly quarter: Quarter
  readonly table: Table
  readonly filing: Filing
  /** For messages: `line 12`. */
  readonly location: string
  /** In the order of the document. */
  readonly cells: readonly {
    /** The register's name of the column. */
    readonly column: string
    /** The document's name of the column. */
    readonly label: string
    readonly cell: unknown
  }[]
}

interface Report {
  readonly reportedFacts: readonly ReportedFact[]
  /** Null if the row states no figure. */
  readonly whole: Omit<StatedFiling, 'source'> | null
}

/**
 * The figures of a row: money in thousands of Taiwan dollars, per-share figures in dollars. Income is the year to date,
 * whose length distinguishes the quarter from half a year, nine months and the year.
 */
export function readReport(row: ReportRow, tally: FigureTally): Report {
  const { quarter, table, filing } = row
  const end = lastDay(quarter)
  const context: FigureContext = {
    start: table === 'income' ? firstDay(quarter) : null,
    end,
    quarters: null,
    dimensions: [],
  }
  const reportedFacts: ReportedFact[] = []
  const figures: ReportedFigure[] = []
  const lines: StatementLine[] = []
  for (const [order, { column, label, cell }] of row.cells.entries()) {
    const text = textOfCell(cell)
    if (text === '') continue
    tally.figuresRead++
    const unit = unitOfColumn(column)
    const value = plainValue(text, unit)
    if (value === null) {
      const { code, year, quarter: number } = quarter
      tally.faults.add(
        `${row.location}: ${code}, ${year} Q${number}, ${column}: ${shown(cell)} is not a finite number`,
      )
      continue
    }
    figures.push({ concept: column, context, unit, decimals: null, value })
    lines.push({ order, concept: column, depth: null, label, labelRole: null, negated: false })
    const facts = factsOf(column, value, quarter, filing)
    if (facts === null) tally.leftOut.add('a column without a metric')
    else for (const fact of facts) reportedFacts.push(fact)
  }
  if (figures.length === 0) return { reportedFacts, whole: null }
  const whole = {
    accession: filing.accession,
    taxonomies: none,
    figures,
    statements: [{ ...statementOf[table], lines }],
    sums: [],
    defaultMembers: none,
  }
  return { reportedFacts, whole: { market: 'TW', issuerId: quarter.code, whole, periodEnd: end } }
}

/** Tables have neither taxonomies nor dimensions. */
const none: ReadonlyMap<string, string> = new Map()

/** The table that a row is from, by the exchange's number and title: its income statement ends in comprehensive income. */
const statementOf: Readonly<Record<Table, Omit<Statement, 'lines'>>> = {
  income: { role: 't187ap06', title: '綜合損益表', kind: 'IS', parenthetical: false },
  position: { role: 't187ap07', title: '資產負債表', kind: 'BS', parenthetical: false },
}

/** Per share in dollars, a number of shares, or thousands of dollars. */
function unitOfColumn(column: string): 'TWD/shares' | 'shares' | 'TWD' {
  if (column.includes('每股')) return 'TWD/shares'
  return column.includes('股數') ? 'shares' : 'TWD'
}

/**
 * The value as a plain decimal number, with amounts of money in dollars; null if the text is not a finite
 * number. The exponent is appended to the text, because a multiplication would add the noise of binary
 * fractions.
 */
function plainValue(text: string, unit: string): string | null {
  if (Number.isNaN(numberOf(text))) return null
  if (unit !== 'TWD') return plainDecimal(text)
  return /e/i.test(text) ? null : plainDecimal(`${text}e3`)
}

/** Null for a column without a metric. */
function factsOf(column: string, value: string, quarter: Quarter, filing: Filing): ReportedFact[] | null {
  const uses = usesOfTag(column)
  if (uses === undefined) return null
  return uses.flatMap(({ metric, tag, concept }): ReportedFact[] => {
    const unit = unitOf('TWD', concept.unitKind)
    if (unit === null) return []
    const start = concept.kind === 'flow' ? firstDay(quarter) : null
    return [
      { metric, tag, unit, start, end: lastDay(quarter), value: numberOf(value), rounded: false, filing },
    ]
  })
}

/** Empty if the cell states nothing. */
export const textOfCell = (cell: unknown): string =>
  cell === undefined || cell === null ? '' : textOfScalar(asWritten(cell)).trim()
