import { html, type Markup } from '../../../html.ts'
import { type Grouping, groupName } from '../../../markets/industries.ts'
import type { ScreenedCompany } from '../../crossSection/table.ts'
import { exactFigure } from '../figures.ts'
import { metricLabel } from '../metricLabels.ts'
import { cellText, columnUnit, exactText, figureSet, medianOf, type ScreenColumn } from './figureSet.ts'
import { type Screen, screenPath } from './query.ts'

/** `Computer Software (Softw)`, `SIC 73`. */
export function groupText({ scheme }: Pick<Grouping, 'scheme'>, code: string): string {
  const name = groupName(scheme, code)
  return name === null ? `SIC ${code}` : scheme === 'sicDivision' ? name : `${name} (${code})`
}

/** The groups of the screened companies, the largest first: how many companies each has, and their medians. */
export function groupTable(
  companies: readonly ScreenedCompany[],
  columns: readonly ScreenColumn[],
  screen: Screen,
  grouping: Grouping,
  ofPage: boolean,
): Markup | false {
  if (companies.length === 0) return false
  const groups = new Map<string | null, ScreenedCompany[]>()
  for (const company of companies) {
    const members = groups.get(company.group)
    if (members === undefined) groups.set(company.group, [company])
    else members.push(company)
  }
  const rows = [...groups].sort(
    ([a, one], [b, other]) => other.length - one.length || ((a ?? '') < (b ?? '') ? -1 : 1),
  )
  return html`<section><h2 id="groups">By ${scheme(grouping)}</h2>
<p>${ofPage ? 'The companies on this page' : `All ${exactFigure(companies.length)} companies that fit`}, by the code that the latest filing up to the day states. A median is the middle figure of the companies that have it, or the mean of the two middle ones${columns.some(({ currency }) => currency !== null) && html`; amounts in another currency than ${columns.find(({ currency }) => currency !== null)?.currency} are left out`}.</p>
<div class="scroll groups" tabindex="0" role="region" aria-labelledby="groups"><table class="figures">
<thead><tr><th scope="col">Group</th><th scope="col">Companies</th>${columns.map(column => html`<th scope="col">${metricLabel(column.metric)}<small>median${columnUnit(column) !== '' && `, ${columnUnit(column)}`}</small></th>`)}</tr></thead>
<tbody>
${rows.map(([code, members]) => html`<tr data-group="${code ?? ''}"><th scope="row">${code === null ? 'No code stated, or in no group' : html`<a href="${screenPath(screen, { group: `${grouping.scheme}:${code}`, cursor: undefined })}">${groupText(grouping, code)}</a>`}</th><td>${exactFigure(members.length)}</td>${columns.map(column => medianCell(members, column))}</tr>\n`)}</tbody>
</table></div></section>`
}

const scheme = ({ scheme: name }: Grouping) =>
  name === 'sicDivision' ? 'sector' : name === 'ff49' ? 'industry' : 'SIC code'

function medianCell(members: readonly ScreenedCompany[], column: ScreenColumn): Markup {
  const set = figureSet(members, column)
  const median = medianOf(set)
  if (median === null) return html`<td></td>`
  const count = set.values.length
  return html`<td data-v="${median}" title="${exactText(column, median)}, of ${exactFigure(count)} ${count === 1 ? 'company' : 'companies'}">${cellText(column, median)}</td>`
}
