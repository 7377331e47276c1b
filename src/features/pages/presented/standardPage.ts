import { html, type Markup } from '../../../html.ts'
import { searchForm } from '../../../http/pages/errorPage.ts'
import type { Page } from '../../../http/pages/shell.ts'
import type { CompanyKind } from '../../../standardLines/definition.ts'
import { type CheckedFigure, checkedFigures, checkText, resultText, stateMark } from '../checkedFigures.ts'
import { type Section, sectionLinks } from '../company/viewOptions.ts'
import { companyName, figureCard, sourceSection } from '../companyFrame.ts'
import type { CompanyVisitor } from '../deps.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { statementTitles } from './choices.ts'
import { statementUse } from './dataUse.ts'
import { cellOf, isOfPeriod } from './figureChoice.ts'
import { lineLabel, periodText } from './labels.ts'
import { lineCharts } from './lineChart.ts'
import { downloads, filingsSection, statementHead, withoutFilings } from './page.ts'
import { type StatementPageQuery, statementPath } from './query.ts'
import type { PresentedDeps } from './read.ts'
import { readStandardView, type StandardView } from './readStandard.ts'
import { exactValue, scaleText } from './scales.ts'
import { checkListOf, checksSection, missingSection } from './standardChecks.ts'
import { scaledLines, standardTable } from './standardTable.ts'

/** /companies/{id}/statements?view=standard: a statement in standard lines as known on a day, with what was checked. */
export async function standardPage(
  deps: PresentedDeps,
  visitor: CompanyVisitor,
  id: string,
  query: StatementPageQuery,
): Promise<Page> {
  const view = await readStandardView(deps, visitor, id, query)
  const { profile, statement, answer } = view
  const manifest = deps.markets.get(profile.market)
  const name = companyName(profile)
  const title = statementTitles[statement]
  const named = { ...(statement === 'income' ? {} : { statement }), view: 'standard' as const }
  return {
    title: `${name} (${profile.ticker}): ${title.toLowerCase()} in standard lines`,
    description: `${title} of ${name} (${profile.ticker}) under line names that all companies share, each figure with its filing and the identity that proves or contradicts it, as known on any day.`,
    canonical: `${deps.settings.baseUrl}${statementPath(profile.ticker, named)}`,
    styles: ['chart.css', 'company.css', 'statements.css', 'identity.css', useThisDataAssets.style],
    scripts: ['search.js', 'grid.js', 'bars.js', useThisDataAssets.script],
    main: html`${statementHead(view, query, manifest, visitor.seesPrices)}
${profile.note !== undefined && html`<p class="notice">${profile.note}</p>`}
${answer.columns.length === 0 ? html`<p class="notice">${answer.note ?? 'No filing presents this statement.'}</p>` : linesSection(view, query)}
${view.filingDays.length === 0 && withoutFilings(manifest, profile)}
${filingsSection(profile.market, answer.filings)}
${useThisData(statementUse(deps, visitor, view, query))}
${answer.count > 0 && downloads(deps, manifest, view, query)}
${sourceSection(answer, html`<p><a href="#use">Programs get the same figures</a>; the <a href="/docs">API reference</a> lists the parameters.</p>`)}
${searchForm('')}`,
  }
}

const sections: readonly Section[] = [
  { id: 'figure', title: 'One figure' },
  { id: 'checks', title: 'Checks in words' },
  { id: 'filings', title: 'Filings' },
  { id: 'source', title: 'Source' },
]

function linesSection(view: StandardView, query: StatementPageQuery): Markup {
  const { answer, statement } = view
  const checks = checkListOf(answer)
  const [latest] = answer.filings
  return html`<section class="statement-section"><h2 id="statement">${statementTitles[statement]} <small>${scaleText(scaledLines(answer))}</small></h2>
<p class="quiet legend">As known on ${answer.as_of}, under the standard names for ${kindsText(answer.columns.map(({ kind }) => kind))}. The latest figures are those of ${latest.form}, filed ${latest.filed}. Expenses and payments are positive.</p>
<ul class="marks quiet"><li>${stateMark('proved')} proved: an identity that the filing or its register’s schema states holds</li><li>${stateMark('consistent')} consistent: another identity holds</li><li>${stateMark('contradicted')} contradicted: an identity does not hold</li><li>no mark: no identity applies</li></ul>
<details class="how"><summary>How to read this table</summary><p class="quiet">Hover over a figure, or move to it with the keyboard, for its exact value, its filing and the identity; <a href="#checks">all identities</a> are listed below. Click a figure for the lines of the filing that it comes from, or a line’s name for a chart of the line. A dot means that the filing has no figure for the line. A state never changes a figure; the <a href="/docs/guides/figures-and-vintages#standard-lines">guide</a> explains the lines and the states.</p></details>
${answer.note !== undefined && html`<p class="quiet">${answer.note}</p>`}
${sectionLinks(sections)}
${standardTable(view, query, checks)}</section>
${chosenFigure(view, query)}
${missingSection(answer)}
${checksSection(checks)}`
}

const kindNames: Readonly<Record<CompanyKind, string>> = {
  industrial: 'industrial companies',
  bank: 'banks',
  insurer: 'insurers',
  reit: 'real estate investment trusts',
  utility: 'utilities',
}

const kindsText = (kinds: readonly CompanyKind[]): string =>
  [...new Set(kinds)].map(kind => kindNames[kind]).join(' or ')

/** The chosen figure with its check and its sources. Without a choice, a sentence explains how to choose one. */
function chosenFigure({ answer, profile, statement }: StandardView, query: StatementPageQuery): Markup {
  if (query.cell === undefined)
    return figureCard(
      html`<h2>One figure</h2><p class="quiet">Click a figure to see which lines of the filing it comes from, and every filing that states them.</p>`,
    )
  const choice = cellOf(query.cell)
  if (choice.period === null) return chosenLine(answer, choice.tag)
  const found = checkedFigures(answer).find(
    ({ line, column }) => line.name === choice.tag && isOfPeriod(choice, column.period),
  )
  if (found === undefined)
    return figureCard(
      html`<h2>One figure</h2><p>No figure of this line for this period was known on ${answer.as_of}.</p>`,
    )
  const { line, column, cell, filing } = found
  const source = filing === null ? column.accession : `${filing.form} filed ${filing.filed}`
  const { cell: _, filings: __, ...chosen } = query
  const address = (tag: string) =>
    statementPath(profile.ticker, {
      ...chosen,
      statement,
      view: 'as_known',
      cell: `${tag}~${column.period.end}~${column.period.quarters}`,
    })
  return figureCard(html`<h2>${line.label} <small>${periodText(column.period)}</small></h2>
<p>${exactValue(cell.value, cell.unit)}, in ${filing === null || filing.url === null ? source : html`<a href="${filing.url}" rel="noreferrer">${source}</a>`}.</p>
<p class="checked">${stateMark(cell.state)} ${checkSentence(found)}</p>
<p>${cell.lines.length === 1 ? 'It is this line of the filing' : 'It is made of these lines of the filing'}; a link leads to every filing that states the figure:</p>
<ul>${cell.lines.map(({ tag, label }) => html`<li><a href="${address(tag)}#figure">${lineLabel(label, tag)}</a> <code>${tag}</code></li>`)}</ul>`)
}

/** A line over the columns of the table. */
function chosenLine(answer: StandardView['answer'], name: string): Markup {
  const figures = checkedFigures(answer).filter(({ line }) => line.name === name)
  const [first] = figures
  if (first === undefined)
    return figureCard(
      html`<h2>One line</h2><p>No figure of this line was known on ${answer.as_of} in the filings of this table.</p>`,
    )
  const points = figures.map(({ column, cell, filing }) => ({
    period: column.period,
    value: cell.value,
    unit: cell.unit,
    source: `${filing === null ? column.accession : `${filing.form} filed ${filing.filed}`}; ${checkText(cell)}`,
  }))
  const charts = lineCharts(first.line.label, points)
  return figureCard(html`<h2>${first.line.label} <small>in the columns of this table</small></h2>
${charts.text === '' ? html`<p>The table has one period of each length, so there is nothing to draw. “Columns from” adds further filings.</p>` : html`<p class="quiet">Each bar is a figure of the table above. “Columns from” adds further filings.</p>\n${charts}`}`)
}

function checkSentence({ cell }: CheckedFigure): Markup {
  if (cell.identity === null) return html`<strong>Unchecked</strong>: no identity applies.`
  return html`<strong>${cell.state.charAt(0).toUpperCase()}${cell.state.slice(1)}</strong>: ${cell.identity}; ${resultText(cell)}.`
}
