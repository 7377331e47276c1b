import { html, type Markup } from '../../../html.ts'
import { searchForm } from '../../../http/pages/errorPage.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { lastWholeDay } from '../../../instants.ts'
import type { Manifest } from '../../../markets/manifest.ts'
import type { ContentSince } from '../../../wholeFilings/knownFilingQueries.ts'
import { type Section, sectionLinks } from '../company/viewOptions.ts'
import { companyAddress, companyHead, companyName, companyParts, sourceSection } from '../companyFrame.ts'
import type { CompanyVisitor } from '../deps.ts'
import { isDownloadable } from '../downloads.ts'
import { formNote } from '../names/forms.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { statementLinks, statementTitles, viewForms } from './choices.ts'
import { statementUse } from './dataUse.ts'
import { figureSection } from './figure.ts'
import { type StatementPageQuery, statementDownloadPath, statementPath } from './query.ts'
import { type PresentedDeps, readStatementView, type StatementChoices, type StatementView } from './read.ts'
import { scaleText } from './scales.ts'
import { headingLinks, statementTable } from './table.ts'

/** /companies/{id}/statements: a statement as the company presented it, in one filing or as known on a day. */
export async function statementPage(
  deps: PresentedDeps,
  visitor: CompanyVisitor,
  id: string,
  query: StatementPageQuery,
): Promise<Page> {
  const view = await readStatementView(deps, visitor, id, query)
  const { profile, statement, read } = view
  const { answer } = read
  const manifest = deps.markets.get(profile.market)
  const name = companyName(profile)
  const title = statementTitles[statement]
  const named = statement === 'income' ? {} : { statement }
  return {
    title: `${name} (${profile.ticker}): ${title.toLowerCase()} as presented`,
    description: `${title} of ${name} (${profile.ticker}) as the company presented it: its own lines, order and words, every figure exactly as stated, with its filing, as known on any day.`,
    canonical: `${deps.settings.baseUrl}${statementPath(profile.ticker, named)}`,
    styles: ['chart.css', 'company.css', 'statements.css', 'identity.css', useThisDataAssets.style],
    scripts: ['search.js', 'grid.js', 'bars.js', useThisDataAssets.script],
    main: html`${statementHead(view, query, manifest, visitor.seesPrices)}
${profile.note !== undefined && html`<p class="notice">${profile.note}</p>`}
${answer.count === 0 ? html`<p class="notice">${answer.note ?? 'No filing presents this statement.'}</p>` : presented(view, query)}
${view.filingDays.length === 0 && withoutFilings(manifest, profile)}
${answer.count > 0 && figureSection(view, query, manifest)}
${filingsSection(profile.market, view.filings)}
${useThisData(statementUse(deps, visitor, view, query))}
${answer.count > 0 && downloads(deps, manifest, view, query)}
${sourceSection(answer, html`<p><a href="#use">Programs get the same figures</a>; the <a href="/docs">API reference</a> lists the parameters.</p>`)}
${searchForm('')}`,
  }
}

/** The heading and the choices of a page of a statement. A company without filings has nothing to choose from. */
export function statementHead(
  view: StatementChoices,
  query: StatementPageQuery,
  manifest: Manifest | undefined,
  seesPrices: boolean,
): Markup {
  const { profile, filingDays } = view
  const has = filingDays.length > 0
  return html`${companyHead(profile, manifest)}
${companyParts(profile.ticker, 'statements', query, knownContent(filingDays), lastWholeDay(view.asOf), seesPrices)}
${has && statementLinks(view, query)}
${has && viewForms(view, query)}`
}

/** The day of the first filing on record in full, from which there may be statements and segments. */
export function knownContent(filingDays: StatementChoices['filingDays']): ContentSince {
  const since = filingDays[0]?.day ?? null
  return { statements: since, segments: since }
}

/** Why a page has nothing to show, in the words of the market's manifest if it has some. */
export const withoutFilings = (
  manifest: Manifest | undefined,
  { ticker, metrics }: StatementChoices['profile'],
): Markup =>
  metrics.length === 0
    ? html`<p>${manifest?.filed.undated ?? 'No filing of this company is on record.'}</p>`
    : html`<p>No filing of this company is on record in full. Its <a href="${companyAddress(ticker)}">key figures</a> are.</p>`

function presented(view: StatementView, query: StatementPageQuery): Markup {
  const { answer } = view.read
  const [latest] = answer.filings
  const title = answer.title ?? statementTitles[view.statement]
  const words = scaleText(answer.data)
  const [restated, outdated] = [hasRestated(view), hasOutdated(view)]
  return html`<section class="statement-section"><h2 id="statement">${titleText(title)} <small>${words}</small></h2>
<p class="quiet legend">${query.view === 'as_filed' ? html`As filed on ${latest.filed}, in ${latest.form} ${latest.accession}.` : html`As known on ${answer.as_of}. The latest presentation is that of ${latest.form}, filed ${latest.filed}; earlier filings add the columns that name them.`}</p>
<details class="how"><summary>How to read this table</summary><p class="quiet">Hover over a figure, or move to it with the keyboard, for its exact value and filing. Click it for every filing that states it, or a line’s name for a chart of the line. A dot means that the filing states no figure, a dash that it states nil.</p></details>
${(restated || outdated) && html`<p class="quiet legend changes">${restated && html`A <span class="restated mark-sample">corner above</span> marks a restated figure. `}${outdated && html`A <span class="outdated mark-sample">corner below</span> marks a figure that a later filing states otherwise. `}<label><input type="checkbox" id="changes"> Show changes</label></p>`}
${answer.note !== undefined && html`<p class="quiet">${answer.note}</p>`}
${laterNote(view, query)}
${view.leftOut > 0 && html`<p class="quiet">Restatements are found in the latest filings; ${view.leftOut} earlier ones are not compared.</p>`}
${sectionLinks([...headingLinks(answer), ...pageSections])}
${statementTable(view, query)}</section>`
}

const pageSections: readonly Section[] = [
  { id: 'figure', title: 'One figure' },
  { id: 'filings', title: 'Filings' },
  { id: 'source', title: 'Source' },
]

/** A day may be later than the latest statements on record: some sources have the figures of a filing alone. */
function laterNote({ read }: StatementView, { view, fp, fy }: StatementPageQuery): Markup | false {
  if (view === 'as_filed' || fp !== undefined || fy !== undefined) return false
  const [{ filed }] = read.answer.filings
  const later = read.known.filter(filing => filing.filed > filed && filing.lines === 0)
  if (later.length === 0) return false
  const filings = later.length === 1 ? '1 later filing is' : `${later.length} later filings are`
  const names = later.slice(0, maxNamed).map(filing => `${filing.form} filed ${filing.filed}`)
  return html`<p class="quiet">${filings} on record without statements, so ${later.length === 1 ? 'it adds' : 'they add'} no columns: ${names.join(', ')}${later.length > maxNamed && ', and earlier ones'}.</p>`
}

const maxNamed = 3

/** Titles in documents are often in capitals, except what they have in parentheses. */
export function titleText(title: string): string {
  const [main = ''] = title.split('(')
  if (main !== main.toUpperCase()) return title
  return main.charAt(0) + main.slice(1).toLowerCase() + title.slice(main.length)
}

const hasRestated = ({ others }: StatementView) => others.some(row => row.some(cell => cell?.before != null))

const hasOutdated = ({ others }: StatementView) => others.some(row => row.some(cell => cell?.after != null))

export function filingsSection(market: string, filings: StatementView['filings']): Markup {
  if (filings.length === 0) return html``
  return html`<section><h2 id="filings">Filings of this table</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="filings"><table>
<thead><tr><th scope="col">Filed</th><th scope="col">Accepted (UTC)</th><th scope="col">Form</th><th scope="col">Period to</th><th scope="col">Document</th></tr></thead>
<tbody>
${filings.map(({ filed, accepted_at, form, period_end, accession, url }) => html`<tr><td>${filed}</td><td>${acceptedText(accepted_at)}</td><td>${form}${formNote(market, form)}</td><td>${period_end ?? ''}</td><td>${url === null ? accession : html`<a href="${url}" rel="noreferrer">${accession}</a>`}</td></tr>\n`)}</tbody>
</table></div></section>`
}

const acceptedText = (instant: string | null) =>
  instant === null ? 'time not known' : instant.slice(0, 16).replace('T', ' ')

export function downloads(
  { settings }: Pick<PresentedDeps, 'settings'>,
  manifest: Manifest | undefined,
  { profile, statement }: StatementChoices,
  { cell: _, ...query }: StatementPageQuery,
): Markup {
  if (!isDownloadable(settings, manifest)) return html``
  return html`<section><h2 id="download">Download</h2>
<p>This table as a file with a row per figure: ${query.view === 'standard' ? 'name, period, value, unit, accuracy, state, identity, the lines it comes from and filing' : 'label, tag, period, the value as stated, unit, accuracy and filing'}.</p>
<p class="buttons">${(['csv', 'json', 'parquet'] as const).map(format => html`<a class="button" href="${statementDownloadPath(profile.ticker, { ...query, statement, format })}" download>${format}</a> `)}</p></section>`
}
