import { html, type Markup } from '../../../html.ts'
import { searchForm } from '../../../http/pages/errorPage.ts'
import type { Page } from '../../../http/pages/shell.ts'
import type { Manifest } from '../../../markets/manifest.ts'
import { companyHead, companyName, companyParts } from '../companyFrame.ts'
import type { Visitor } from '../deps.ts'
import { isDownloadable } from '../downloads.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { statementLinks, statementTitles, viewForms } from './choices.ts'
import { statementUse } from './dataUse.ts'
import { figureSection } from './figure.ts'
import { type StatementPageQuery, statementDownloadPath, statementPath } from './query.ts'
import { type PresentedDeps, readStatementView, type StatementChoices, type StatementView } from './read.ts'
import { scaleText } from './scales.ts'
import { statementTable } from './table.ts'

/** /companies/{id}/statements: a statement as the company presented it, in one filing or as known on a day. */
export async function statementPage(
  deps: PresentedDeps,
  visitor: Visitor,
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
    styles: ['company.css', 'statements.css', useThisDataAssets.style],
    scripts: ['search.js', useThisDataAssets.script],
    main: html`${companyHead(profile, manifest)}
${companyParts(profile.ticker, 'statements', query)}
${statementLinks(view, query)}
${viewForms(view, query, deps.today())}
${useThisData(statementUse(deps, visitor, view, query))}
${profile.note !== undefined && html`<p class="notice">${profile.note}</p>`}
${answer.count === 0 ? html`<p class="notice">${answer.note ?? 'No filing presents this statement.'}</p>` : presented(view, query)}
${answer.count > 0 && figureSection(view, query, manifest)}
${filingsSection(view.filings)}
${answer.count > 0 && downloads(deps, manifest, view, query)}
<section><h2 id="source">Source and terms</h2>
<p>${answer.attribution}</p>
${answer.licence !== undefined && html`<p>${answer.licence}</p>`}
<p><a href="#use">Programs get the same figures</a>; the <a href="/docs">API reference</a> lists the parameters.</p></section>
${searchForm('')}`,
  }
}

function presented(view: StatementView, query: StatementPageQuery): Markup {
  const { answer } = view.read
  const [latest] = answer.filings
  const title = answer.title ?? statementTitles[view.statement]
  const words = scaleText(answer.data)
  return html`<section class="statement-section"><h2 id="statement">${titleText(title)} <small>${words}</small></h2>
<p class="quiet legend">${query.view === 'as_filed' ? html`As filed on ${latest.filed}, in ${latest.form} ${latest.accession}.` : html`As known on ${answer.as_of}. The latest presentation is that of ${latest.form}, filed ${latest.filed}; earlier filings add the columns that name them.`} \
Hover over a figure for its exact value and filing. Click it for every filing that states it.${hasRestated(view) && html` <span class="restated">Highlighted</span> figures were restated: the earlier value is below.`}${hasOutdated(view) && html` Where a later filing states another value, it is below, in <span class="later">amber</span>.`}</p>
${answer.note !== undefined && html`<p class="quiet">${answer.note}</p>`}
${laterNote(view, query)}
${view.leftOut > 0 && html`<p class="quiet">Restatements are found in the latest filings; ${view.leftOut} earlier ones are not compared.</p>`}
${statementTable(view, query)}</section>`
}

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
function titleText(title: string): string {
  const [main = ''] = title.split('(')
  if (main !== main.toUpperCase()) return title
  return main.charAt(0) + main.slice(1).toLowerCase() + title.slice(main.length)
}

const hasRestated = ({ others }: StatementView) => others.some(row => row.some(cell => cell?.before != null))

const hasOutdated = ({ others }: StatementView) => others.some(row => row.some(cell => cell?.after != null))

export function filingsSection(filings: StatementView['filings']): Markup {
  if (filings.length === 0) return html``
  return html`<section><h2 id="filings">Filings of this table</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="filings"><table>
<thead><tr><th scope="col">Filed</th><th scope="col">Accepted (UTC)</th><th scope="col">Form</th><th scope="col">Period to</th><th scope="col">Document</th></tr></thead>
<tbody>
${filings.map(({ filed, accepted_at, form, period_end, accession, url }) => html`<tr><td>${filed}</td><td>${acceptedText(accepted_at)}</td><td>${form}</td><td>${period_end ?? ''}</td><td>${url === null ? accession : html`<a href="${url}" rel="noreferrer">${accession}</a>`}</td></tr>\n`)}</tbody>
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
