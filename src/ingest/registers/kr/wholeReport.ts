import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import {
  type Dimension,
  type FigureContext,
  plainDecimal,
  type ReportedFigure,
  type Statement,
  type StatementKind,
  type StatementLine,
} from '../../../wholeFilings/wholeFiling.ts'
import { textOf } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { Tally } from '../registerInterface.ts'
import { type Closing, periodEnd } from './closingMonth.ts'
import { amountOf, type Column, columns, type Line, spansOf } from './columns.ts'
import type { Sheet } from './concepts.ts'
import { isMapped, isOfUnknownLength, type ReportLines } from './figures.ts'

/** The axis on which the register's own taxonomy separates a company's accounts from those of its group. */
const separateAccounts: Dimension = {
  axis: 'ifrs-full:ConsolidatedAndSeparateFinancialStatementsAxis',
  member: 'ifrs-full:SeparateMember',
}

/** Its members are texts of `account_detail`, such as `자본 [member]|비지배지분 [member]`. */
const equityAxis = 'ifrs-full:ComponentsOfEquityAxis'

/**
 * The axis of amounts whose period the register does not state with certainty. Its members are names of columns
 * (`frmtrm_amount`), and the context then has the last day of the report alone.
 */
const columnAxis = 'dart:column'

const sheets: Readonly<Record<string, { readonly sheet: Sheet | 'equity'; readonly kind: StatementKind }>> = {
  BS: { sheet: 'position', kind: 'BS' },
  IS: { sheet: 'income', kind: 'IS' },
  CIS: { sheet: 'income', kind: 'CI' },
  CF: { sheet: 'cashFlow', kind: 'CF' },
  SCE: { sheet: 'equity', kind: 'EQ' },
}

/** The reports of one company in full, one filing for each receipt. */
export function wholeReports(
  corpCode: string,
  reports: readonly ReportLines[],
  closing: Closing,
  tally: Tally,
): StatedFiling[] {
  const byReceipt = Map.groupBy(reports, ({ receipt }) => receipt)
  return [...byReceipt].map(([receipt, parts]): StatedFiling => {
    const filing = new WholeReport(closing, tally)
    // The group's accounts come first: lines of both may have a code in common, and no figures.
    for (const part of parts.toSorted((a, b) => Number(a.isSolo) - Number(b.isSolo))) filing.add(part)
    const { figures, statements } = filing
    return {
      market: 'KR',
      issuerId: corpCode,
      whole: {
        accession: `KR:${receipt}`,
        taxonomies: new Map(),
        figures,
        statements,
        sums: [],
        defaultMembers: new Map(),
      },
      source: 'dataSet',
      periodEnd: Math.max(...parts.map(({ year, report }) => periodEnd(closing, year, report))),
    }
  })
}

class WholeReport {
  readonly figures: ReportedFigure[] = []
  readonly statements: Statement[] = []
  readonly #closing: Closing
  readonly #tally: Tally
  readonly #contexts = new Map<string, FigureContext>()
  /** The value of each context and concept. */
  readonly #stated = new Map<FigureContext, Map<string, string>>()

  constructor(closing: Closing, tally: Tally) {
    this.#closing = closing
    this.#tally = tally
  }

  add(report: ReportLines): void {
    const divisions = Map.groupBy(report.lines, line => textOf(line.sj_div) ?? '')
    for (const [division, lines] of divisions) this.#addStatement(report, division, lines)
  }

  #addStatement(report: ReportLines, division: string, lines: readonly Line[]): void {
    const placed: PlacedLine[] = []
    const inOrder = lines.map(line => ({ line, order: orderOf(line) })).sort((a, b) => a.order - b.order)
    const contextOf = this.#contextsOf(report, division)
    for (const { line, order } of inOrder) {
      const label = textOf(line.account_nm)
      const cells = this.#cellsOf(report, division, line, contextOf)
      const concept = this.#conceptOf(division, line, order, cells)
      for (const { context, unit, value } of cells) {
        this.figures.push({ concept, context, unit, decimals: null, value })
        this.#stated.get(context)?.set(concept, value)
      }
      const last = placed.at(-1)
      // A statement of changes in equity repeats an account for each component.
      if (last?.statedOrder !== order || last.concept !== concept)
        placed.push({ statedOrder: order, concept, label })
    }
    this.statements.push({
      role: report.isSolo ? `OFS:${division}` : division,
      title: textOf(lines[0].sj_nm),
      kind: sheets[division]?.kind ?? null,
      parenthetical: false,
      ...(report.isSolo ? { dimensions: [separateAccounts] } : {}),
      lines: placed.map(
        ({ concept, label }, at): StatementLine => ({
          order: at + 1,
          concept,
          depth: null,
          label,
          labelRole: null,
          negated: false,
        }),
      ),
    })
  }

  #cellsOf(
    report: ReportLines,
    division: string,
    line: Line,
    contextOf: (line: Line, column: Column) => FigureContext,
  ): Cell[] {
    const cells: Cell[] = []
    for (const column of columns) {
      const amount = amountOf(line[column])
      if (amount === null) continue
      const value = plainDecimal(amount)
      if (value !== null) cells.push({ context: contextOf(line, column), unit: unitOf(line), value })
      else if (!isMapped(line, report.isSolo))
        this.#tally.faults.add(
          `receipt ${report.receipt}, ${division} ${shown(line.account_nm)}, ${column}: ${shown(line[column])} is not a decimal number`,
        )
    }
    return cells
  }

  /**
   * A standard code (`ifrs-full:Assets`, `ifrs_` in older filings) or, without one, statement and name
   * (`BS:기타수취채권`), since a name may mean another account in each statement. Filers also use a code or a
   * name for several lines. A line whose figures contradict an earlier one's is therefore called by its name, and
   * if that is taken by its number, too: `BS:기타수취채권#27`.
   */
  #conceptOf(division: string, line: Line, order: number, cells: readonly Cell[]): string {
    const name = `${division}:${(textOf(line.account_nm) ?? '').slice(0, maxNameLength)}`
    const fits = (concept: string) =>
      cells.every(({ context, value }) => (this.#stated.get(context)?.get(concept) ?? value) === value)
    const code = codeOf(line)
    if (code !== null && fits(code)) return code
    return fits(name) ? name : `${name}#${order}`
  }

  /** The context of each column of a statement, for a line. */
  #contextsOf(report: ReportLines, division: string): (line: Line, column: Column) => FigureContext {
    const sheet = sheets[division]?.sheet
    const isCertain = sheet !== undefined && !isOfUnknownLength(report, division)
    const spans = isCertain ? spansOf(sheet, report.report, report.year, this.#closing) : null
    const reportEnd = periodEnd(this.#closing, report.year, report.report)
    return (line, column) => {
      const span = spans?.get(column)
      const dimensions: Dimension[] = []
      if (span === undefined) dimensions.push({ axis: columnAxis, member: column })
      if (sheet === 'equity') {
        const component = textOf(line.account_detail)
        if (component !== null && component !== '-') dimensions.push({ axis: equityAxis, member: component })
      }
      if (report.isSolo) dimensions.push(separateAccounts)
      if (span === undefined || span.start === null)
        return this.#context(null, span?.end ?? reportEnd, dimensions)
      switch (balanceOf(line)) {
        case 'opening':
          return this.#context(null, span.start - 1, dimensions)
        case 'closing':
          return this.#context(null, span.end, dimensions)
        default:
          return this.#context(span.start, span.end, dimensions)
      }
    }
  }

  /** @param dimensions sorted by axis */
  #context(start: number | null, end: number, dimensions: readonly Dimension[]): FigureContext {
    const key = `${start} ${end} ${dimensions.map(({ axis, member }) => `${axis} ${member}`).join(' ')}`
    const known = this.#contexts.get(key)
    if (known !== undefined) return known
    const context = { start, end, quarters: null, dimensions }
    this.#contexts.set(key, context)
    this.#stated.set(context, new Map())
    return context
  }
}

interface PlacedLine {
  readonly statedOrder: number
  readonly concept: string
  readonly label: string | null
}

interface Cell {
  readonly context: FigureContext
  readonly unit: string
  readonly value: string
}

const maxNameLength = 300

/** Lines without a number come last, in the order of the file. */
const orderOf = (line: Line): number =>
  /^\d{1,9}$/.test(String(line.ord ?? '')) ? Number(line.ord) : Number.MAX_SAFE_INTEGER

/** Null for accounts without a standard code. */
function codeOf(line: Line): string | null {
  const parts = /^([a-z][\w-]*?)_(\w+)$/i.exec(textOf(line.account_id) ?? '')
  if (parts === null) return null
  // The prefix that the taxonomy of IFRS had in the first years.
  return `${parts[1] === 'ifrs' ? 'ifrs-full' : parts[1]}:${parts[2]}`
}

/** The API states the currency of amounts per share, too. */
function unitOf(line: Line): string {
  const currency = textOf(line.currency) ?? ''
  return /PerShare$/.test(textOf(line.account_id) ?? '') ? `${currency}/shares` : currency
}

/** A balance among flows: cash and equity at the beginning and at the end of the period. */
function balanceOf(line: Line): 'opening' | 'closing' | null {
  const code = textOf(line.account_id) ?? ''
  if (/AtBeginningOfPeriod(Cf)?$/.test(code)) return 'opening'
  return /AtEndOfPeriod(Cf)?$/.test(code) || /_Equity$/.test(code) ? 'closing' : null
}
