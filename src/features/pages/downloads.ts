import { Failure } from '../../errors.ts'
import { renderList } from '../../formats/rows.ts'
import { html, type Markup } from '../../html.ts'
import { contentTypes } from '../../http/answers.ts'
import type { Manifest } from '../../markets/manifest.ts'
import type { Rights } from '../../rights/rights.ts'
import { termsOf } from '../companies/licenceTerms.ts'
import { resolveCompanies } from '../companies/lookup.ts'
import { planCompany } from '../fundamentals/plan.ts'
import { answerCompany } from '../fundamentals/read.ts'
import { sheetOf } from '../fundamentals/sheet.ts'
import type { PageDeps } from './deps.ts'

export const downloadFormats = ['csv', 'json', 'parquet'] as const
export type DownloadFormat = (typeof downloadFormats)[number]

export const downloadPath = (ticker: string, format: DownloadFormat): string =>
  `/companies/${encodeURIComponent(ticker)}/download?format=${format}`

type Allowed = Pick<PageDeps['settings'], 'allowUnverifiedMarkets'>

/** Whether files of a market may be offered: its terms were checked, or the operator takes responsibility. */
export const isDownloadable = (
  { allowUnverifiedMarkets }: Allowed,
  manifest: Manifest | undefined,
): boolean =>
  manifest !== undefined && (manifest.licence.verified || allowUnverifiedMarkets.includes(manifest.code))

/** The links on a company's page, or the reason why there are none. */
export function downloadLinks(settings: Allowed, manifest: Manifest | undefined, ticker: string): Markup {
  if (!isDownloadable(settings, manifest))
    return html`<section><h2 id="download">Download</h2><p>${manifest === undefined ? 'This company has no download.' : unreadTerms(manifest)}</p></section>`
  return html`<section><h2 id="download">Download</h2>
<p>Every revision of every figure that you may see, with its filing, in one file. The file names its licence and sources.</p>
<p class="buttons">${downloadFormats.map(format => html`<a class="button" href="${downloadPath(ticker, format)}" download>${format}</a> `)}</p></section>`
}

const unreadTerms = ({ name, licence }: Manifest) =>
  `There are no files for ${name}: we have not read the terms of its register in full (${licence.name}, ${licence.url}), so we do not know whether its figures may be passed on. The page shows them with their source.`

/** A company's figures as a file: the response of GET /api/v1/fundamentals with the same rights. */
export async function companyDownload(
  deps: PageDeps,
  rights: Rights,
  id: string,
  format: DownloadFormat,
): Promise<{ content: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> }> {
  const query = { ticker: id.toUpperCase(), fields: 'accession,form,tag,start,accepted_at,inputs,url' }
  // Checked before the plan, which counts the company: a refused download must not count.
  const [{ market }] = await resolveCompanies(deps, [query.ticker], null)
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
  return {
    content,
    headers: {
      ...headers,
      'Content-Type': contentTypes[format],
      'Content-Disposition': `attachment; filename="${fileName(plan.ticker)}.${format}"`,
    },
  }
}

/** IDs contain only letters, digits and `.-_`; anything else would break the header. */
const fileName = (ticker: string) => `asfiled-${ticker.replaceAll(/[^\w.-]/g, '_')}`
