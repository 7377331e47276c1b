import { html, type Markup } from '../../html.ts'
import type { StandardStatementAnswer } from '../statements/standardSchema.ts'
import { companyAddress, queryText } from './companyFrame.ts'
import { exactDecimal } from './numbers.ts'

export type StandardLine = StandardStatementAnswer['data'][number]
export type StandardColumn = StandardStatementAnswer['columns'][number]
export type StandardCell = NonNullable<StandardLine['cells'][number]>
type Filing = StandardStatementAnswer['filings'][number]

/** A figure of a standard line with what was checked of it. */
export interface CheckedFigure {
  readonly answer: Pick<StandardStatementAnswer, 'ticker' | 'statement' | 'fy' | 'fp'>
  readonly line: StandardLine
  readonly column: StandardColumn
  readonly cell: StandardCell
  /** The filing that states it. */
  readonly filing: Filing | null
}

/** The figures of an answer, line by line. */
export const checkedFigures = (answer: StandardStatementAnswer): CheckedFigure[] =>
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

export type Check = Pick<StandardCell, 'state' | 'identity' | 'difference' | 'unit'>

/** Characters, because colour alone would not tell everybody. What is unchecked has none. */
export const marks: Readonly<Record<Check['state'], string>> = {
  proved: '✓',
  consistent: '=',
  contradicted: '≠',
  unchecked: '',
}

export const stateMark = (state: Check['state']): Markup | false =>
  state !== 'unchecked' && html`<span class="mark ${state}" aria-hidden="true">${marks[state]}</span>`

/** Whether the identity holds, and what it lacks: `off by 3,000 USD (left side larger)`. */
export function resultText({ state, difference, unit }: Check): string {
  const holds = state !== 'contradicted'
  if (difference === null) return holds ? 'holds' : 'does not hold'
  if (Number(difference) === 0) return 'holds exactly'
  const isLess = difference.startsWith('-')
  const size = exactDecimal(isLess ? difference.slice(1) : difference)
  const gap = `off by ${size} ${unit} (${isLess ? 'right' : 'left'} side larger)`
  return holds ? `holds to its rounding, ${gap}` : gap
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
