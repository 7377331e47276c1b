import { html, type Markup } from '../../html.ts'
import type { IdentitySides } from '../../standardLines/lineCheck.ts'
import { differenceOfDecimals } from '../../wholeFilings/decimals.ts'
import type { StandardStatementAnswer } from '../statements/standardSchema.ts'
import type { StandardStatementRead } from '../statements/standardStatement.ts'
import { companyAddress, queryText } from './companyFrame.ts'
import { exactDecimal } from './numbers.ts'

type AnswerLine = StandardStatementAnswer['data'][number]
export type StandardColumn = StandardStatementAnswer['columns'][number]
type Filing = StandardStatementAnswer['filings'][number]

/** A cell of an answer, with both sides of its identity where the page has read them. */
export interface StandardCell extends NonNullable<AnswerLine['cells'][number]> {
  readonly sides?: IdentitySides | null
}
export interface StandardLine extends Omit<AnswerLine, 'cells'> {
  readonly cells: readonly (StandardCell | null)[]
}
export interface CheckedStatement extends Omit<StandardStatementAnswer, 'data'> {
  readonly data: readonly StandardLine[]
}

export const withSides = ({
  answer,
  sides,
}: Pick<StandardStatementRead, 'answer' | 'sides'>): CheckedStatement => ({
  ...answer,
  data: answer.data.map((line, at) => ({
    ...line,
    cells: line.cells.map((cell, column) => cell && { ...cell, sides: sides[at][column] }),
  })),
})

/** A figure of a standard line with what was checked of it. */
export interface CheckedFigure {
  readonly answer: Pick<CheckedStatement, 'ticker' | 'statement' | 'fy' | 'fp'>
  readonly line: StandardLine
  readonly column: StandardColumn
  readonly cell: StandardCell
  /** The filing that states it. */
  readonly filing: Filing | null
}

/** The figures of an answer, line by line. */
export const checkedFigures = (answer: CheckedStatement): CheckedFigure[] =>
  answer.data.flatMap(line =>
    line.cells.flatMap((cell, at) => {
      const column = answer.columns[at]
      const filing = answer.filings.find(({ accession }) => accession === column.accession) ?? null
      return cell === null ? [] : [{ answer, line, column, cell, filing }]
    }),
  )

/** A figure of a standard line as addresses name it: `assets~2009-09-26~0`. */
export const standardCellName = (
  { name }: Pick<StandardLine, 'name'>,
  { end, quarters }: Pick<StandardColumn['period'], 'end' | 'quarters'>,
): string => `${name}~${end}~${quarters}`

export type Check = Pick<StandardCell, 'state' | 'identity' | 'difference' | 'unit' | 'sides'>

/** Characters, because colour alone would not tell everybody. What is unchecked has none. */
export const marks: Readonly<Record<Check['state'], string>> = {
  proved: '✓',
  consistent: '=',
  contradicted: '≠',
  unchecked: '',
}

export const stateMark = (state: Check['state']): Markup | false =>
  state !== 'unchecked' && html`<span class="mark ${state}" aria-hidden="true">${marks[state]}</span>`

/** Whether the identity holds. */
export function verdictOf({ state, difference }: Check): string {
  if (state === 'contradicted') return 'does not hold'
  if (difference === null) return 'holds'
  return Number(difference) === 0 ? 'holds exactly' : 'holds to its rounding'
}

/** Both sides in figures, and by how much they differ: `48,140,000,000 = 48,140,000,000 USD`. */
export function sidesText({ state, difference, unit, sides }: Check): string | null {
  if (sides == null) return gapText(difference, unit)
  const isEqual = Number(difference ?? 0) === 0
  const both = `${exactDecimal(sides.left)} ${isEqual ? '=' : state === 'contradicted' ? '≠' : '≈'} ${exactDecimal(sides.right)} ${sides.unit}`
  if (isEqual) return both
  // In the order of the words of the identity, which need not be that of the difference.
  const gap = gapText(differenceOfDecimals(sides.left, sides.right), sides.unit)
  const tolerance = `${roundingSize.format(sides.tolerance)} ${sides.unit}`
  return `${both}, ${gap}; ${state === 'contradicted' ? `rounding explains at most ${tolerance}` : `rounding may explain up to ${tolerance}`}`
}

const roundingSize = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 })

function gapText(difference: string | null, unit: string): string | null {
  if (difference === null || Number(difference) === 0) return null
  const isLess = difference.startsWith('-')
  return `off by ${exactDecimal(isLess ? difference.slice(1) : difference)} ${unit} (${isLess ? 'right' : 'left'} side larger)`
}

/** `holds exactly: 48,140,000,000 = 48,140,000,000 USD`. */
export function resultText(check: Check): string {
  const sides = sidesText(check)
  return sides === null ? verdictOf(check) : `${verdictOf(check)}: ${sides}`
}

/** `proved: Total assets = Total liabilities and equity; holds exactly`. */
export const checkText = (check: Check): string =>
  check.identity === null
    ? 'unchecked: no identity applies'
    : `${check.state}: ${check.identity}; ${resultText(check)}`

/** What was checked of a figure, for the list of its filings. The link leads to it in standard lines. */
export function checkedParagraph(
  { answer, line, column, cell, filing }: CheckedFigure,
  day: { readonly as_of?: string; readonly tz?: string },
): Markup {
  const { ticker, statement, fy, fp } = answer
  const query = queryText({
    statement,
    view: 'standard',
    as_of: day.as_of,
    tz: day.tz,
    ...(fy === null || fp === null ? {} : { fp, fy }),
    cell: standardCellName(line, column.period),
  })
  const link = html`the standard line <a href="${companyAddress(ticker)}/statements${query}#figure">${line.label}</a>${filing !== null && ` of the ${filing.form} filed ${filing.filed}`}`
  const others = cell.lines.length - 1
  return html`<p class="checked">${
    others === 0
      ? html`As ${link}, this figure is`
      : html`With ${others} other ${others === 1 ? 'figure' : 'figures'}, this figure makes ${link}, which is`
  } ${stateMark(cell.state)} <strong>${cell.state}</strong>${checkText(cell).slice(cell.state.length)}.</p>`
}
