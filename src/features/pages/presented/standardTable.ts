import { html, type Markup } from '../../../html.ts'
import {
  type CheckedStatement,
  checkText,
  type StandardCell,
  type StandardLine,
  standardCellName,
  stateMark,
} from '../checkedFigures.ts'
import { queryText } from '../companyFrame.ts'
import type { StatementPageQuery } from './query.ts'
import type { StandardView } from './readStandard.ts'
import { cellText, exactValue, type FigureLine, kindsOf, type Scales, scalesOf } from './scales.ts'
import type { CheckList } from './standardChecks.ts'
import { blank, filingLink, spansOf } from './table.ts'

/** The tag of a figure tells amounts per share, which data sets state in plain dollars. */
export const scaledLines = ({ data }: CheckedStatement): FigureLine[] =>
  data.map(({ cells, name }) => ({
    tag: cells.find(cell => cell !== null)?.lines.at(0)?.tag ?? name,
    cells,
  }))

/** A statement in standard lines. Every cell has a mark for its state and refers to the identity in words. */
export function standardTable(view: StandardView, query: StatementPageQuery, checks: CheckList): Markup {
  const { answer } = view
  const lines = scaledLines(answer)
  const scales = scalesOf(lines)
  const depthOf = depths(answer)
  return html`<div class="scroll whole" tabindex="0" role="region" aria-labelledby="statement"><table class="presented standard">
<thead>
<tr><th scope="col" rowspan="2" class="line">Line</th>${spansOf(answer.columns).map(({ text, count }) => html`<th scope="colgroup" colspan="${count}">${text}</th>`)}</tr>
<tr>${answer.columns.map(({ period, accession }) => html`<th scope="col">${period.end}${period.fy !== null && period.fp !== null && html`<small>${period.fp} ${period.fy}</small>`}${filingLink(answer.filings, query, accession)}</th>`)}</tr>
</thead>
<tbody>
${answer.data.map((line, at) => {
  const depth = depthOf(line)
  const isTotal = answer.data.some(({ parent }) => parent === line.name)
  const classes = [...(depth === 0 ? [] : [`in${depth}`]), ...(isTotal ? ['total'] : [])].join(' ')
  return html`<tr data-line="${line.name}"${classes !== '' && html` class="${classes}"`}><th scope="row"><a href="${queryText({ ...query, cell: line.name })}#figure" title="${line.name}: ${signText[line.sign]}">${line.label}</a></th>${line.cells.map((cell, column) => (cell === null ? blank(whyBlank(answer, line, column)) : figureCell(view, query, { line, cell, column, scales, scaled: lines[at], checks })))}</tr>
`
})}</tbody>
</table></div>
`
}

function whyBlank(
  { columns, filings, missing }: CheckedStatement,
  { name }: StandardLine,
  column: number,
): string {
  const { accession } = columns[column]
  const filing = filings.find(each => each.accession === accession)
  const source = filing === undefined ? accession : `${filing.form} filed ${filing.filed}`
  return missing.some(each => each.name === name && each.accession === accession)
    ? `The ${source} has several lines that could be meant`
    : `No line of the ${source} is this one`
}

const signText: Readonly<Record<StandardLine['sign'], string>> = {
  amount: 'as stated',
  cost: 'a positive figure lowers profit or equity',
  outflow: 'a positive figure is money paid',
  signed: 'a positive figure is a gain, or money received',
}

/** Deeper lines are indented like this one. */
const maxDepth = 7

/** How many of the shown lines contain a line. */
function depths({ data }: CheckedStatement): (line: StandardLine) => number {
  const lines = new Map(data.map(line => [line.name, line]))
  const depthOf = ({ parent }: StandardLine): number => {
    const containing = parent === null ? undefined : lines.get(parent)
    return containing === undefined ? 0 : Math.min(depthOf(containing) + 1, maxDepth)
  }
  return depthOf
}

interface CellContext {
  readonly line: StandardLine
  readonly cell: StandardCell
  readonly column: number
  readonly scales: Scales
  readonly scaled: FigureLine
  readonly checks: CheckList
}

function figureCell(
  { answer }: StandardView,
  query: StatementPageQuery,
  { line, cell, column, scales, scaled, checks }: CellContext,
): Markup {
  const { period, accession } = answer.columns[column]
  const filing = answer.filings.find(each => each.accession === accession)
  const source = filing === undefined ? accession : `${filing.form} filed ${filing.filed}`
  const title = `${exactValue(cell.value, cell.unit)}, ${source}; ${checkText(cell)}`
  const address = queryText({ ...query, cell: standardCellName(line, period) })
  const id = checks.idOf(cell)
  const text = cellText(cell.value, cell.unit, kindsOf(scaled), scales)
  return html`<td data-v="${cell.value}" data-state="${cell.state}" title="${title}"${text.startsWith('(') && html` class="negative"`}><a href="${address}#figure"${id !== null && html` aria-describedby="${id}"`}>${text}${id !== null && html`${stateMark(cell.state)}<span class="hidden"> ${cell.state}</span>`}</a></td>`
}
