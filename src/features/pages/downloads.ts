import { type Static, Type } from '@sinclair/typebox'
import { Failure } from '../../errors.ts'
import { renderList } from '../../formats/rows.ts'
import { html, type Markup } from '../../html.ts'
import { contentTypes } from '../../http/answers.ts'
import { queryReader } from '../../http/parameters.ts'
import { asOfParameter, parseAsOf, type SentAsOf, zoneParameter } from '../../markets/asOf.ts'
import type { Manifest } from '../../markets/manifest.ts'
import type { Rights } from '../../rights/rights.ts'
import { termsOf } from '../companies/licenceTerms.ts'
import { findByAnyId, idOnDay, resolveCompanies } from '../companies/lookup.ts'
import { planCompany } from '../fundamentals/plan.ts'
import { answerCompany } from '../fundamentals/read.ts'
import { FundamentalsQuery } from '../fundamentals/schema.ts'
import { sheetOf } from '../fundamentals/sheet.ts'
import { companyAddress, queryText } from './companyFrame.ts'
import type { PageDeps } from './deps.ts'
import { periodsOf, tabs } from './periodTabs.ts'

export const downloadFormats = ['csv', 'json', 'parquet'] as const
export type DownloadFormat = (typeof downloadFormats)[number]

/** What a file has of a company: by default every revision of every figure. */
export const DownloadQuery = Type.Object(
  {
    format: Type.Optional(Type.Union(downloadFormats.map(format => Type.Literal(format)))),
    as_of: asOfParameter('Only what was known on this day.', '2010-01-25'),
    tz: zoneParameter,
    /** Only periods of this kind, as on the page. */
    show: Type.Optional(Type.Union(tabs.map(tab => Type.Literal(tab)))),
    vintage: FundamentalsQuery.properties.vintage,
    /** Only some lines and fiscal years, for formulas of spreadsheets. */
    metric: FundamentalsQuery.properties.metric,
    fy: FundamentalsQuery.properties.fy,
  },
  { additionalProperties: false },
)
export type DownloadQuery = Static<typeof DownloadQuery>
export const readDownloadQuery = queryReader(DownloadQuery)

export const downloadPath = (
  ticker: string,
  format: DownloadFormat,
  { show, vintage, metric, fy, as_of, tz }: Omit<DownloadQuery, 'format'> = {},
): string =>
  `${companyAddress(ticker)}/download${queryText({ format, show, vintage, metric, fy, as_of, tz })}`

type Allowed = Pick<PageDeps['settings'], 'allowUnverifiedMarkets'>

/** Whether files of a market may be offered: its terms were checked, or the operator takes responsibility. */
export const isDownloadable = (
  { allowUnverifiedMarkets }: Allowed,
  manifest: Manifest | undefined,
): boolean =>
  manifest !== undefined && (manifest.licence.verified || allowUnverifiedMarkets.includes(manifest.code))

/** The links on a company's page, or the reason why there are none. */
export function downloadLinks(
  settings: Allowed,
  manifest: Manifest | undefined,
  ticker: string,
  { as_of, tz, show = 'years' }: Pick<DownloadQuery, 'as_of' | 'tz' | 'show'>,
): Markup {
  if (!isDownloadable(settings, manifest))
    return html`<section><h2 id="download">Download</h2><p>${manifest === undefined ? 'This company has no download.' : unreadTerms(manifest)}</p></section>`
  const day = { ...(as_of === undefined ? {} : { as_of }), ...(tz === undefined ? {} : { tz }) }
  const buttons = (chosen: Omit<DownloadQuery, 'format'>, label: string) =>
    html`<p class="buttons">${downloadFormats.map(format => html`<a class="button" href="${downloadPath(ticker, format, chosen)}" download aria-label="${label} as ${format}">${format}</a> `)}</p>`
  return html`<section><h2 id="download">Download</h2>
<p>The figures of these tables as known on the day of the page, with their filings. Each file names its licence and sources.</p>
${buttons({ show, vintage: 'latest', ...day }, 'These tables')}
<p>Every revision by that day of every figure that you may see, of all periods.</p>
${buttons(day, 'Every revision')}</section>`
}

const unreadTerms = ({ name, licence }: Manifest) =>
  `There are no files for ${name}: we have not read the terms of its register in full (${licence.name}, ${licence.url}), so we do not know whether its figures may be passed on. The page shows them with their source.`

/** A company's figures as a file: the response of GET /api/v1/fundamentals with the same rights. */
export async function companyDownload(
  deps: PageDeps,
  rights: Rights,
  id: string,
  { format = 'csv', as_of, tz, show, vintage, metric, fy }: DownloadQuery,
): Promise<{ content: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> }> {
  const day = { ...(as_of === undefined ? {} : { as_of }), ...(tz === undefined ? {} : { tz }) }
  const query = {
    ticker: await idOf(deps, id, parseAsOf(day)),
    fields: 'accession,form,tag,start,accepted_at,inputs,url',
    ...day,
    ...(show === undefined ? {} : { fp: periodsOf[show] }),
    ...(vintage === undefined ? {} : { vintage }),
    ...(metric === undefined ? {} : { metric }),
    ...(fy === undefined ? {} : { fy }),
  }
  // Checked before the plan, which counts the company: a refused download must not count.
  const [{ market }] = await resolveCompanies(deps, [query.ticker], parseAsOf(day))
  const manifest = deps.markets.get(market)
  if (manifest === undefined || !isDownloadable(deps.settings, manifest)) {
    throw new Failure(
      'licence_required',
      `${manifest === undefined ? '' : unreadTerms(manifest)} The operator of this service can enable them with ALLOW_UNVERIFIED_MARKETS=${market}.`,
      { param: 'id' },
    )
  }
  const plan = await planCompany(deps, rights, query)
  const list = await answerCompany(deps, rights, query, plan)
  const form = { format, comments: format === 'csv', key: format }
  const { content, headers } = await renderList(
    form,
    sheetOf(plan),
    list,
    termsOf(deps.markets, [list.market]),
  )
  // A name that could end the header or name a folder would be unsafe; instants have colons.
  const name = [
    'asfiled',
    plan.ticker,
    ...(show === undefined ? [] : [show]),
    ...(as_of === undefined ? [] : [list.as_of]),
  ]
  return {
    content,
    headers: {
      ...headers,
      'Content-Type': contentTypes[format],
      'Content-Disposition': `attachment; filename="${name.join('-').replaceAll(/[^\w.-]+/g, '_')}.${format}"`,
    },
  }
}

/** On a past day, any ID of the company as on its page. */
async function idOf(deps: PageDeps, id: string, sent: SentAsOf | null): Promise<string> {
  if (sent === null) return id.toUpperCase()
  const lookup = { ...deps, sql: deps.lookups }
  return idOnDay(lookup, await findByAnyId(lookup, id, sent), sent)
}
