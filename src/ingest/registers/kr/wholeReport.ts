import { startOfMonths } from '../../../dates.ts'
import type { FilingPart, StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import {
  type Dimension,
  type FigureContext,
  plainDecimal,
  type ReportedFigure,
  type Statement,
  type StatementKind,
  type StatementLine,
} from '../../../wholeFilings/wholeFiling.ts'
import { textOf, textOfScalar } from '../../reading/fields.ts'
import { shown } from '../../reading/namedFaults.ts'
import type { Tally } from '../registerInterface.ts'
import { type Closing, monthsOf, periodEnd } from './closingMonth.ts'
import { nameMark, type Sheet, sheetOf } from './concepts.ts'
import {
  accessionOf,
  amountOf,
  type Column,
  columns,
  type Line,
  type ReportLines,
  type Span,
  sheetOfDivision,
  spansOf,
  statesMonths,
  tagOf,
} from './figures.ts'

/** The axis of the register's XBRL that tells consolidated from separate accounts, and its default member. */
const accountsAxis = 'ifrs-full:ConsolidatedAndSeparateFinancialStatementsAxis'
const consolidated = 'ifrs-full:ConsolidatedMember'
const separate = 'ifrs-full:SeparateMember'

/**
 * The axis of `account_detail` in a statement of changes in equity, whose text names a component and those that
 * contain it. The member is this text.
 */
const equityAxis = 'ifrs-full:ComponentsOfEquityAxis'

/**
 * Not an axis of the register: a figure has it, with the name of its column, if the column does not say for certain
 * which days it covers. The days of its context are those of the column's heading, or the longest ones possible.
 */
const columnAxis = 'opendart:column'

const kinds: Readonly<Record<string, StatementKind>> = { BS: 'BS', IS: 'IS', CIS: 'CI', CF: 'CF', SCE: 'EQ' }

/** The filings of a company in full. The consolidated and the separate accounts of a receipt are one filing. */
export function wholeFilingsOf(
  reports: readonly ReportLines[],
  closing: Closing,
  tally: Tally,
): StatedFiling[] {
  const byReceipt = Map.groupBy(reports, ({ receipt }) => receipt)
  return [...byReceipt.values()].map(ofReceipt => {
    const [{ receipt, corpCode }] = ofReceipt
    const inOrder = [...ofReceipt].sort((a, b) => Number(a.isSolo) - Number(b.isSolo))
    const drafts = inOrder.map(report => new ReportDraft(report, closing, tally))
    const scopes = new Set(ofReceipt.map(({ isSolo }) => isSolo))
    return {
      market: 'KR',
      issuerId: corpCode,
      whole: {
        accession: accessionOf(receipt),
        taxonomies: new Map(),
        figures: drafts.flatMap(({ figures }) => figures),
        statements: drafts.flatMap(({ statements }) => statements),
        sums: [],
        defaultMembers: new Map([[accountsAxis, consolidated]]),
      },
      source: 'dataSet',
      periodEnd: Math.max(...ofReceipt.map(({ year, report }) => periodEnd(closing, year, report))),
      ...(scopes.size === 1 ? { part: partOf(inOrder[0]) } : {}),
    }
  })
}

/** A file may state one of the two, and another file the other one. */
const partOf = ({ isSolo }: ReportLines): FilingPart => ({
  axis: accountsAxis,
  member: isSolo ? separate : null,
  roleStart: roleOf(isSolo, ''),
})

const roleOf = (isSolo: boolean, division: string) => `${isSolo ? 'OFS' : 'CFS'}/${division}`

interface Cell {
  readonly context: FigureContext
  readonly unit: string
  readonly value: string
}

interface PlacedLine {
  readonly line: Line
  readonly order: number
}

class ReportDraft {
  readonly figures: ReportedFigure[] = []
  readonly statements: Statement[] = []
  readonly #report: ReportLines
  readonly #closing: Closing
  readonly #tally: Tally
  readonly #contexts = new Map<string, FigureContext>()
  /** The values of each concept so far. */
  readonly #values = new Map<string, Map<FigureContext, string>>()
  readonly #incomeTags: ReadonlySet<string>

  constructor(report: ReportLines, closing: Closing, tally: Tally) {
    this.#report = report
    this.#closing = closing
    this.#tally = tally
    const isIncome = ({ sj_div }: Line) => sj_div === 'IS' || sj_div === 'CIS'
    this.#incomeTags = new Set(report.lines.filter(isIncome).map(tagOf))
    const byDivision = Map.groupBy(report.lines, line => textOf(line.sj_div) ?? '')
    for (const [division, lines] of byDivision) this.#addStatement(division, inOrder(lines))
  }

  #addStatement(division: string, placed: readonly PlacedLine[]): void {
    const { isSolo } = this.#report
    const lines: StatementLine[] = []
    const names = new LineNames(division)
    const spans = this.#spansOf(division)
    for (const { line, order } of placed) {
      const cells = this.#cellsOf(line, division, spans)
      const concept = this.#unambiguous(names.conceptOf(line, order), `${division}${order}`, cells)
      for (const cell of cells) this.#add(concept, cell)
      const last = lines.at(-1)
      if (last?.order === order && last.concept === concept) continue
      const label = textOf(line.account_nm)
      lines.push({ order, concept, depth: null, label, labelRole: null, negated: false })
    }
    this.statements.push({
      role: roleOf(isSolo, division),
      title: textOf(placed[0].line.sj_nm),
      kind: kinds[division] ?? null,
      parenthetical: false,
      ...(isSolo ? { dimensions: [{ axis: accountsAxis, member: separate }] } : {}),
      lines,
    })
  }

  /** A code under which an earlier line states something else is made different by the statement and the line. */
  #unambiguous(concept: string, line: string, cells: readonly Cell[]): string {
    const stated = this.#values.get(concept)
    const contradicts = ({ context, value }: Cell) => (stated?.get(context) ?? value) !== value
    return cells.some(contradicts) ? `${concept}#${line}` : concept
  }

  #add(concept: string, { context, unit, value }: Cell): void {
    this.figures.push({ concept, context, unit, decimals: null, value })
    const stated = this.#values.get(concept) ?? new Map<FigureContext, string>()
    this.#values.set(concept, stated.set(context, value))
  }

  #cellsOf(line: Line, division: string, spans: ReadonlyMap<Column, ColumnSpan>): Cell[] {
    const cells: Cell[] = []
    const { receipt, location } = this.#report
    const currency = textOf(line.currency)
    const moment = momentOf(line, division)
    for (const column of columns) {
      const amount = amountOf(line[column])
      if (amount === null) continue
      const value = plainDecimal(amount)
      const span = spans.get(column)
      const fault = (text: string) =>
        this.#tally.faults.add(
          `${location}receipt ${receipt}, ${division} ${tagOf(line)}, ${column}: ${text}`,
        )
      if (value === null) fault(`${shown(line[column])} is not a finite number`)
      else if (isRounded(line[column])) fault(`${shown(line[column])} is a number of more than 15 digits`)
      else if (currency === null) fault(`its currency is ${shown(line.currency)}`)
      else if (span !== undefined) {
        const isCertain = span.isCertain && (moment !== null || !this.#mayBeShorter(line, division))
        const context = this.#contextOf(atMoment(span, moment), line, division, isCertain ? null : column)
        cells.push({ context, unit: unitOf(line, currency), value })
      }
    }
    return cells
  }

  #contextOf({ start, end }: Span, line: Line, division: string, column: Column | null): FigureContext {
    const component = division === 'SCE' ? componentOf(line) : null
    const key = `${start} ${end} ${column} ${component}`
    const known = this.#contexts.get(key)
    if (known !== undefined) return known
    const dimensions: Dimension[] = [
      ...(component === null ? [] : [{ axis: equityAxis, member: component }]),
      ...(this.#report.isSolo ? [{ axis: accountsAxis, member: separate }] : []),
      ...(column === null ? [] : [{ axis: columnAxis, member: column }]),
    ]
    const context = { start, end, quarters: null, dimensions }
    this.#contexts.set(key, context)
    return context
  }

  /**
   * True for a line of cash flows, or of changes in all equity, that the income statement has too, in a report on six
   * or nine months: in many of them the register repeats the figure of the last three months instead of that of the
   * year to date. It has no such choice for the components of equity.
   */
  #mayBeShorter(line: Line, division: string): boolean {
    const { report } = this.#report
    if (report !== '11012' && report !== '11014') return false
    const isWhole = division === 'CF' || (division === 'SCE' && componentOf(line) === null)
    return isWhole && this.#incomeTags.has(tagOf(line))
  }

  /** The days of every column, certain or not. */
  #spansOf(division: string): ReadonlyMap<Column, ColumnSpan> {
    const { report, year, lines } = this.#report
    const closing = this.#closing
    const sheet = sheetOfWhole(division)
    const isKnown = sheet !== 'income' || statesMonths(report, division, lines)
    const certain = isKnown ? spansOf(sheet, report, year, closing) : new Map<Column, Span>()
    const over = (yearsBack: number, code: typeof report): Span => {
      const end = periodEnd(closing, year - yearsBack, code)
      return { start: sheet === 'position' ? null : startOfMonths(end, monthsOf[code]), end }
    }
    const nominal: Readonly<Record<Column, Span>> = {
      thstrm_amount: over(0, report),
      thstrm_add_amount: over(0, report),
      frmtrm_amount: over(1, '11011'),
      frmtrm_q_amount: over(1, report),
      frmtrm_add_amount: over(1, report),
      bfefrmtrm_amount: over(2, '11011'),
    }
    return new Map(
      columns.map((column): [Column, ColumnSpan] => {
        const span = certain.get(column)
        return [column, { ...(span ?? nominal[column]), isCertain: span !== undefined }]
      }),
    )
  }
}

interface ColumnSpan extends Span {
  readonly isCertain: boolean
}

/** Changes in equity have the columns of a cash flow statement: the year to date and nothing shorter. */
const sheetOfWhole = (division: string): Sheet => sheetOfDivision[division] ?? 'cashFlow'

/**
 * The lines by their number in the statement. A line that a second response repeats is dropped; in a statement of
 * changes in equity the components of one line share its number.
 */
function inOrder(lines: readonly Line[]): PlacedLine[] {
  const seen = new Set<string>()
  const placed: PlacedLine[] = []
  lines.forEach((line, at) => {
    const { ord, account_id, account_nm, account_detail } = line
    const amounts = columns.map(column => amountOf(line[column]))
    const key = JSON.stringify([ord, account_id, account_nm, account_detail, ...amounts])
    const isNumbered = /^\d{1,6}$/.test(textOfScalar(ord))
    if (isNumbered && seen.has(key)) return
    seen.add(key)
    placed.push({ line, order: isNumbered ? Number(ord) : at + 1 })
  })
  return placed.sort((a, b) => a.order - b.order)
}

/**
 * Names the lines of one statement: by the tag of their mapped figures, by their code, or by their name together
 * with the statement, because the same name means different things in different statements. Of lines that share a
 * name the second one has the number 2.
 */
class LineNames {
  readonly #division: string
  readonly #orders = new Map<string, number[]>()

  constructor(division: string) {
    this.#division = division
  }

  conceptOf(line: Line, order: number): string {
    const tag = tagOf(line)
    if (!tag.startsWith(nameMark)) return tag.replace('_', ':')
    const code = textOf(line.account_id) ?? ''
    const isMapped = sheetOf(tag) !== undefined && sheetOf(tag) === sheetOfDivision[this.#division]
    const isOwnCode = /^(?!ifrs|dart)[A-Za-z]\w*_\w+$/.test(code)
    const name = isMapped ? tag : isOwnCode ? code : `${nameMark}${this.#division}:${spacelessName(line)}`
    const orders = this.#orders.get(name) ?? []
    if (!orders.includes(order)) orders.push(order)
    this.#orders.set(name, orders)
    const number = orders.indexOf(order) + 1
    return number === 1 ? name : `${name}#${number}`
  }
}

const maxNameLength = 300

/** A name without spaces and numbering; text in brackets stays: it tells current from non-current accounts. */
const spacelessName = (line: Line) =>
  (textOf(line.account_nm) ?? '')
    .slice(0, maxNameLength)
    .replace(/\s+/g, '')
    .replace(/^[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫIVX\d]+[.．)]/, '')

/**
 * The component of equity; null for the column of all equity, which the register calls by the accounts (`consolidated
 * financial statements`).
 */
function componentOf(line: Line): string | null {
  const detail = textOf(line.account_detail)?.replace(/\s+/g, ' ') ?? '-'
  return detail === '-' || /^(연결|별도)재무제표 \[[^|]*\]$/.test(detail) ? null : detail
}

/** Where in the period of its column a figure is: cash and equity at its beginning and at its end are balances. */
function momentOf(line: Line, division: string): 'beginning' | 'end' | null {
  if (division !== 'CF' && division !== 'SCE') return null
  const tag = tagOf(line)
  if (/AtBeginningOfPeriod/.test(tag)) return 'beginning'
  if (/AtEndOfPeriod/.test(tag) || tag === 'ifrs-full_Equity' || tag === 'ifrs-full_CashAndCashEquivalents')
    return 'end'
  if (!tag.startsWith(nameMark)) return null
  const name = spacelessName(line)
  if (division === 'CF') {
    if (/^[당전]?[분반]?기초.*현금/.test(name)) return 'beginning'
    return /^당?[분반]?기말.*현금/.test(name) ? 'end' : null
  }
  if (/기초|전기말|^수정후/.test(name)) return 'beginning'
  return /기말/.test(name) ? 'end' : null
}

function atMoment(span: Span, moment: 'beginning' | 'end' | null): Span {
  if (moment === null || span.start === null) return span
  return { start: null, end: moment === 'beginning' ? span.start - 1 : span.end }
}

/** The API states the currency of amounts per share, too. */
const unitOf = (line: Line, currency: string): string => (isPerShare(line) ? `${currency}/shares` : currency)

/**
 * Codes continue after `PerShare` for preference shares and for discontinued operations, and many lines have
 * no code. In their names `주당` is `per share`, unless it belongs to holders (`주주`, `소유주`) and `당기` (of this
 * period).
 */
const isPerShare = (line: Line): boolean =>
  /PerShare/.test(textOf(line.account_id) ?? '') ||
  (sheetOfDivision[textOf(line.sj_div) ?? ''] === 'income' &&
    /(?<!(?:소유|주))주당|[통선]주주당(?![기분반])/.test(spacelessName(line)))

/** JSON numbers with more digits than a double has were rounded when they were parsed. */
const isRounded = (value: unknown) =>
  typeof value === 'number' && String(value).replace(/e.*|\D/g, '').length > 15
