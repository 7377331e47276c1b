import { type Static, Type } from '@sinclair/typebox'
import { html, type Markup } from '../../html.ts'
import type { Page } from '../../http/pages/shell.ts'
import { queryReader } from '../../http/parameters.ts'
import { isInstant } from '../../instants.ts'
import type { Rights } from '../../rights/rights.ts'
import type { PageViewer } from '../marketPages/query.ts'
import { planRestatements, type RestatementsPlan, readRestatements } from '../restatements/restatements.ts'
import { type Restatement, RestatementsQuery, restatementsLimit } from '../restatements/schema.ts'
import type { PageDeps } from './deps.ts'
import { sampleNotice } from './extent/sampleNotice.ts'
import { cappedNote, listLimit, marketField, metricField, namesOf } from './fields.ts'
import { changeInPercent, exactFigure, formOf, scaleOf, shownChange, shownFigure } from './figures.ts'
import { restatementsUse } from './listUse.ts'
import { metricLabel } from './metricLabels.ts'
import { listNotes, noticeOf } from './notes.ts'
import { openChanges } from './openChanges.ts'
import { useThisData, useThisDataAssets } from './useThisData/panel.ts'

const { metric, market, from, cursor, as_of } = RestatementsQuery.properties
const RestatementsPageQuery = Type.Object(
  { metric: Type.Optional(metric), market: Type.Optional(market), from, cursor, as_of },
  { additionalProperties: false },
)
export type RestatementsPageQuery = Static<typeof RestatementsPageQuery>
export const readRestatementsPageQuery = queryReader(RestatementsPageQuery)

const maxRows = 300

const onlyOpen = html`The companies listed here are open to everybody. Without a licence you see only the most recent fiscal year of every \
other company, and none of them has a change in it.`

/** /restatements: the latest changes of a metric in a market, with their sizes. */
export async function restatementsPage(
  deps: PageDeps,
  viewer: PageViewer,
  sent: RestatementsPageQuery,
): Promise<Page> {
  const { rights, allowance } = viewer
  const { metric: name = 'revenue', market: code = 'US', ...rest } = sent
  const isCapped = rights.entityCap !== null
  const limit = listLimit(allowance, restatementsLimit.maxFree)
  const plan = planRestatements(deps, viewer, { metric: name, market: code, limit, ...rest })
  const { page, head } = frameOf(deps, rights, plan, rest)
  // Merely opening the page must not use up companies.
  if (isCapped && Object.keys(sent).length === 0) return { ...page, main: head }
  const list = await deps.readLimiter.run('pages', () => readRestatements(deps, rights, plan))
  const open = plan.recentFiscalYearOnly && plan.after === null ? await openChanges(deps, rights, plan) : []
  const listed = list.data.filter(({ ticker }) => open.every(change => change.ticker !== ticker))
  const changes = [...listed, ...open]
  const latest = changes
    .sort((a, b) => (a.filed < b.filed ? 1 : a.filed > b.filed ? -1 : 0))
    .slice(0, maxRows)
  const names = await namesOf(
    deps,
    latest.map(({ ticker }) => ticker),
  )
  // The answer for the market has only the last year of open companies, so they have requests of their own.
  const [shownOpen] = open
  const ofCompany = listed.length === 0 && shownOpen !== undefined ? shownOpen.ticker : null
  const useNote =
    shownOpen === undefined
      ? null
      : ofCompany === null
        ? `All years of ${[...new Set(open.map(({ ticker }) => ticker))].join(', ')} come from requests with ticker instead of market.`
        : `They ask for ${ofCompany}: send market instead of ticker for the other companies.`
  const next = new URLSearchParams({
    metric: plan.metric,
    market: plan.market,
    ...(rest.from === undefined ? {} : { from: rest.from }),
    ...(rest.as_of === undefined ? {} : { as_of: rest.as_of }),
    cursor: list.next ?? '',
  })
  return {
    ...page,
    main: html`${head}
${await sampleNotice(deps)}
${noticeOf(listed.length === 0 && open.length > 0 ? [onlyOpen] : listNotes(deps.markets, plan, list, 'No figure was changed in this time.'))}
${useThisData(restatementsUse(deps, rights, plan, rest, ofCompany), useNote)}
${latest.length > 0 && table(latest, names)}
<p class="quiet">${changes.length > maxRows ? `The latest ${maxRows} of ${exactFigure(changes.length)} changes` : 'All changes'} among the ${list.next !== null && `${plan.limit} `}companies on this page. ${list.next !== null && html`<a href="/restatements?${next.toString()}">The next companies</a>. `}${list.attribution}</p>`,
  }
}

function frameOf(
  deps: PageDeps,
  rights: Rights,
  { market, metric: name }: RestatementsPlan,
  { from: since, as_of: day }: RestatementsPageQuery,
) {
  const country = deps.markets.get(market)?.name
  const page = {
    title: `Restatements of ${metricLabel(name).toLowerCase()}, ${country}`,
    section: '/restatements',
    styles: [useThisDataAssets.style],
    scripts: [useThisDataAssets.script],
    description:
      'Figures that a later filing changed, the latest first, with both values and the size of the change.',
    canonical: `${deps.settings.baseUrl}/restatements?market=${market}&metric=${name}`,
  } as const
  const head = html`<h1>Restatements</h1>
<p>Figures that a later filing changed, the latest first: through an amendment, recast comparatives or a split.</p>
${cappedNote(rights)}
<form method="get" action="/restatements" class="filters"><p class="row">${marketField(deps, market)} ${metricField(deps, 'metric', 'Metric', name)}
<span class="field"><label for="from">Filed since</label> <input id="from" name="from" type="date" value="${since}"></span> ${rights.seesAllHistory && html`<span class="field"><label for="as-of">As of</label> <input id="as-of" name="as_of" type="${isInstant(day ?? '') ? 'text' : 'date'}" value="${day}"></span> `}<button type="submit">Show</button></p></form>`
  return { page, head }
}

function table(rows: readonly Restatement[], names: ReadonlyMap<string, string | null>): Markup {
  const scale = scaleOf(rows.flatMap(({ value, unit, m }) => (formOf(m, unit) === 'amount' ? [value] : [])))
  const cell = (m: string, value: number, unit: string) =>
    html`<td class="number" data-v="${value}" title="${exactFigure(value)} ${unit}">${shownFigure(value, formOf(m, unit), scale)}</td>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Restatements"><table>
<thead><tr><th scope="col">Filed</th><th scope="col">Company</th><th scope="col">Period</th><th scope="col" class="number">Before</th><th scope="col" class="number">After</th><th scope="col" class="number">Change</th><th scope="col">Unit</th><th scope="col">Before filed</th></tr></thead>
<tbody>
${rows.map(row => html`<tr><td>${row.filed}</td><td><a href="/companies/${encodeURIComponent(row.ticker)}">${names.get(row.ticker) ?? row.ticker}</a></td><td>${row.fp} ${row.fy}</td>${cell(row.m, row.value_before, row.unit_before)}${cell(row.m, row.value, row.unit)}<td class="number">${row.unit === row.unit_before ? shownChange(changeInPercent(row.value_before, row.value)) : `from ${row.unit_before}`}</td><td>${row.unit}${formOf(row.m, row.unit) === 'amount' && `, ${scale.name}`}</td><td>${row.filed_before}</td></tr>\n`)}</tbody>
</table></div>`
}
