import { html, type Markup } from '../../../html.ts'
import { shownValue } from '../../../wholeFilings/layOut.ts'
import type { OtherValue } from '../../statements/otherValues.ts'
import type { StatementAnswer } from '../../statements/statementSchema.ts'
import type { Section } from '../company/viewOptions.ts'
import { queryText } from '../companyFrame.ts'
import type { UnitKind } from '../numbers.ts'
import { cellName } from './figureChoice.ts'
import { lengthText, lineLabel, membersLabel } from './labels.ts'
import type { StatementPageQuery } from './query.ts'
import type { StatementView } from './read.ts'
import { cellText, exactValue, kindsOf, type Scales, scalesOf } from './scales.ts'

type Line = StatementAnswer['data'][number]
type Column = StatementAnswer['columns'][number]
type Cell = NonNullable<Line['cells'][number]>

/**
 * A statement as a table: in the order, words and signs of the company. Its columns are periods, or in a statement of
 * equity components, whose rows repeat for each period.
 *
 * @param query of the page, which the links of the cells extend
 */
export function statementTable(view: StatementView, query: StatementPageQuery): Markup {
  const { answer } = view.read
  const scales = scalesOf(answer.data)
  const lines = answer.data.map((line, at) => ({ line, at }))
  const groups = groupsOf(lines)
  const indentOf = indents(answer.data)
  return html`<div class="scroll whole" tabindex="0" role="region" aria-labelledby="statement"><table class="presented">
${tableHead(view, query)}
${groups.map(
  ({ title, rows }) => html`<tbody>
${title !== null && html`<tr class="group"><th scope="rowgroup">${title}</th>${fillers(answer.columns.length)}</tr>\n`}\
${rows.map(({ line, at }) => lineRow(view, query, scales, { line, at, indentOf }))}</tbody>
`,
)}</table></div>
`
}

const fillers = (columns: number) => html`<td colspan="${columns}"></td>`

interface NumberedLine {
  readonly line: Line
  /** From 0. */
  readonly at: number
}

/** Lines of one period of a statement of equity, or of the same members, have a heading of their own. */
function groupsOf(lines: readonly NumberedLine[]) {
  const groups: { title: string | null; key: string; rows: NumberedLine[] }[] = []
  for (const each of lines) {
    const { dimensions, period } = each.line
    const key = JSON.stringify([dimensions, period])
    const last = groups.at(-1)
    if (last?.key === key) last.rows.push(each)
    else {
      const title = groupTitle(each.line) ?? (last === undefined ? null : 'Whole company')
      groups.push({ key, title, rows: [each] })
    }
  }
  return groups
}

function groupTitle({ dimensions, period }: Line): string | null {
  const parts = [
    ...(period === null ? [] : [`${lengthText(period)} ${period.end}${labelText(period)}`]),
    ...(dimensions.length === 0 ? [] : [membersLabel(dimensions)]),
  ]
  return parts.length === 0 ? null : parts.join(', ')
}

const labelText = ({ fy, fp }: { readonly fy: number | null; readonly fp: string | null }) =>
  fy === null || fp === null ? '' : ` (${fp} ${fy})`

function tableHead(view: StatementView, query: StatementPageQuery): Markup {
  const { columns } = view.read.answer
  const isEquity = columns.some(({ period }) => period === null)
  const lengths = isEquity ? [] : spansOf(columns)
  return html`<thead>
${lengths.length > 0 && html`<tr><th scope="col" rowspan="2" class="line">Line</th>${lengths.map(({ text, count }) => html`<th scope="colgroup" colspan="${count}">${text}</th>`)}</tr>\n`}\
<tr>${lengths.length === 0 && html`<th scope="col" class="line">Line</th>`}${columns.map(column => columnHead(view, query, column))}</tr>
</thead>`
}

/** Neighbouring columns of the same length. */
export function spansOf(columns: readonly Pick<Column, 'period'>[]) {
  const spans: { text: string; count: number }[] = []
  for (const { period } of columns) {
    const text = period === null ? '' : lengthText(period)
    const last = spans.at(-1)
    if (last?.text === text) last.count++
    else spans.push({ text, count: 1 })
  }
  return spans
}

function columnHead(view: StatementView, query: StatementPageQuery, column: Column): Markup {
  const { period, dimensions, accession } = column
  if (period === null)
    return html`<th scope="col" class="component">${dimensions.length === 0 ? 'Total' : membersLabel(dimensions)}</th>`
  const label = period.fy === null || period.fp === null ? null : `${period.fp} ${period.fy}`
  return html`<th scope="col">${period.end}${label !== null && html`<small>${label}</small>`}${query.view !== 'as_filed' && filingLink(view.filings, query, accession)}</th>`
}

/** Leads from the head of a column to its filing alone. */
export function filingLink(
  filings: StatementView['filings'],
  query: StatementPageQuery,
  accession: string,
): Markup | false {
  const filing = filings.find(each => each.accession === accession)
  if (filing === undefined) return false
  const path = queryText(filedQuery(query, accession))
  return html`<small><a href="${path}" title="The filing ${accession} alone, filed ${filing.filed}">${filing.form}, filed ${filing.filed}</a></small>`
}

/** The same statement in one filing alone. */
const filedQuery = ({ statement, as_of, tz }: StatementPageQuery, accession: string): StatementPageQuery => ({
  ...(statement === undefined ? {} : { statement }),
  view: 'as_filed',
  ...(as_of === undefined ? {} : { as_of }),
  ...(tz === undefined ? {} : { tz }),
  accession,
})

interface LinePosition extends NumberedLine {
  readonly indentOf: (depth: number | null) => number
}

/** Deeper lines are indented like this one. */
const maxIndent = 7

/**
 * How far lines are indented: by depth, without the levels that no line has. Lines whose source states no depth are
 * indented like the figures of the uppermost level.
 */
function indents(lines: readonly Line[]): LinePosition['indentOf'] {
  const depths = lines.flatMap(({ depth }) => depth ?? [])
  const levels = [...new Set(depths)].sort((a, b) => a - b)
  const uppermost = Math.min(...lines.flatMap(({ depth, heading }) => (heading ? [] : (depth ?? []))))
  return depth => Math.max(0, Math.min(levels.indexOf(depth ?? uppermost), maxIndent))
}

function lineRow(
  view: StatementView,
  query: StatementPageQuery,
  scales: Scales,
  { line, at, indentOf }: LinePosition,
): Markup {
  const { depth, label, tag, heading, total } = line
  const indent = indentOf(depth)
  const classes = [
    ...(indent === 0 ? [] : [`in${indent}`]),
    ...(heading ? ['heading'] : []),
    ...((total ?? isNamedTotal(label)) ? ['total'] : []),
  ].join(' ')
  const text = lineLabel(label, tag)
  const shown = heading
    ? html`<span id="${lineId(line)}">${text}</span>`
    : html`<a href="${queryText({ ...query, cell: tag })}#figure" title="${tag}">${text}</a>`
  return html`<tr${classes !== '' && html` class="${classes}"`}><th scope="row">${shown}${line.opening && !/begin/i.test(text) && html`<small>at the beginning of the period</small>`}${formerly(line, query)}</th>${heading ? fillers(view.read.answer.columns.length) : line.cells.map((cell, column) => figureCell(view, query, scales, { cell, at, column, kindOf: kindsOf(line) }))}</tr>
`
}

const lineId = ({ line }: Line) => `line-${line}`

/** Links to the headings of a long statement. */
export function headingLinks({ data }: Pick<StatementAnswer, 'data'>): readonly Section[] {
  // A statement of equity repeats its headings for every period.
  const headings = data.filter(({ heading, period }) => heading && period === null)
  // The outermost heading is the title of the statement.
  const links = headings
    .filter(line => line.line > 1)
    .map(line => ({ id: lineId(line), title: lineLabel(line.label, line.tag).replace(/:$/, '') }))
  return data.length < minLinesForLinks ? [] : links.slice(0, maxHeadingLinks)
}

/** Shorter statements fit the screen. */
const minLinesForLinks = 20
const maxHeadingLinks = 12

/** Data sets do not say which lines are totals. The company's own words do. */
const isNamedTotal = (label: string | null) => label !== null && /^total\b/i.test(label)

/** The former names of a renamed line, with the filing that has each and how the line was recognised. */
const formerly = ({ other_tags, label: now, tag: nowTag }: Line, query: StatementPageQuery) =>
  other_tags.map(({ tag, label, accession, equal_at: equal }) => {
    const title = `${tag} in ${accession}, recognised by equal values in the periods to ${equal.join(' and ')}`
    const former = lineLabel(label, tag)
    const text = former === lineLabel(now, nowTag) ? tag : former
    return html`<small>formerly <a href="${queryText(filedQuery(query, accession))}" title="${title}">${text}</a></small>`
  })

interface CellPosition {
  readonly cell: Cell | null
  readonly at: number
  readonly column: number
  readonly kindOf: (unit: string) => UnitKind
}

function figureCell(
  { read, others }: StatementView,
  query: StatementPageQuery,
  scales: Scales,
  { cell, at, column, kindOf }: CellPosition,
): Markup {
  const known = read.table.rows[at].cells[column]
  if (cell === null || known === null) return blankCell(read.answer, column)
  const { before = null, after = null } = others[at][column] ?? {}
  const shownOf = (other: OtherValue | null) =>
    other === null
      ? null
      : cellText(shownValue(read.table.rows[at].line, other.figure), cell.unit, kindOf, scales)
  const [former, later] = [shownOf(before), shownOf(after)]
  const address = queryText({ ...query, cell: cellName(known.figure) })
  const text = cellText(cell.shown, cell.unit, kindOf, scales)
  const classes = [
    ...(before === null ? [] : ['restated']),
    ...(after === null ? [] : ['outdated']),
    ...(text.startsWith('(') ? ['negative'] : []),
  ].join(' ')
  return html`<td data-v="${cell.value ?? 'nil'}" title="${titleOf(read.answer, cell, before, after)}"${classes !== '' && html` class="${classes}"`}><a href="${address}#figure">${text}</a>${former !== null && html`<s><span class="hidden">before: </span>${former}</s>`}${later !== null && html`<span class="later"><span class="hidden">later filing: </span>${later}</span>`}</td>`
}

/** Why a cell has no figure. */
function blankCell({ columns, filings }: StatementAnswer, column: number): Markup {
  const { period, accession } = columns[column]
  const filing = filings.find(each => each.accession === accession)
  const source = filing === undefined ? accession : `${filing.form} filed ${filing.filed}`
  return blank(period === null ? 'No figure is stated here' : `The ${source} states no figure on this line`)
}

export const blank = (why: string): Markup =>
  html`<td class="blank" title="${why}"><span class="hidden">not stated</span></td>`

function titleOf(
  { filings }: StatementAnswer,
  cell: Cell,
  before: OtherValue | null,
  after: OtherValue | null,
): string {
  const filing = filings.find(({ accession }) => accession === cell.accession)
  const source = filing === undefined ? cell.accession : `${filing.form} filed ${filing.filed}`
  return [
    `${exactValue(cell.value, cell.unit)}, ${source}`,
    ...(before === null ? [] : [`before: ${otherText(before)}`]),
    ...(after === null ? [] : [`later: ${otherText(after)}`]),
  ].join('; ')
}

const otherText = ({ figure, filing }: OtherValue) =>
  `${exactValue(figure.value, figure.unit)}, ${filing.form} filed ${filing.filed}`
