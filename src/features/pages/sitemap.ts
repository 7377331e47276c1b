import { spool } from '../../formats/spool.ts'
import { strategies } from '../../markets/strategies/strategies.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { type CoveragePosition, coverageAt, coveragePage, marketCoverage } from '../coverage/queries.ts'
import type { PageDeps } from './deps.ts'

/** The limit of the protocol (sitemaps.org). */
export const maxAddresses = 50_000
const perRead = 1_000

const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/** /sitemap.xml: one map of the pages and one per 50,000 companies of each market. */
export async function sitemapIndex(
  deps: Pick<PageDeps, 'sql' | 'today' | 'settings' | 'markets'>,
): Promise<string> {
  const { markets } = await withSnapshot(deps.sql, sql => marketCoverage(sql, deps.today()))
  const names = deps.markets.codes.flatMap(code => {
    const parts = Math.ceil((markets.get(code)?.entities ?? 0) / maxAddresses)
    return Array.from({ length: parts }, (_, part) => `${code}-${part + 1}`)
  })
  const { baseUrl } = deps.settings
  const maps = ['pages', ...names].map(
    name => `<sitemap><loc>${escaped(baseUrl)}/sitemaps/${name}.xml</loc></sitemap>\n`,
  )
  return `${head}<sitemapindex ${namespace}>\n${maps.join('')}</sitemapindex>\n`
}

/** A map of all pages except for those of companies. */
export function pagesMap({ markets, settings }: Pick<PageDeps, 'markets' | 'settings'>): string {
  const paths = [
    '/',
    '/markets',
    '/catalogue',
    '/compare',
    '/restatements',
    '/universe',
    '/screen',
    '/strategies',
    ...[...strategies.keys()].map(name => `/strategies/${name}`),
    '/audit',
    '/sample',
    '/start',
    '/docs',
    '/docs/guides',
    ...markets.codes.map(code => `/markets/${code}`),
  ]
  return `${head}<urlset ${namespace}>\n${paths.map(path => address(settings.baseUrl, path)).join('')}</urlset>\n`
}

const address = (baseUrl: string, path: string) => `<url><loc>${escaped(baseUrl + path)}</loc></url>\n`

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/**
 * A map of up to 50,000 companies of a market, sent while it is read; null beyond the end. A thousand are in
 * memory at a time, however many the market has.
 */
export async function companiesMap(
  deps: Pick<PageDeps, 'sql' | 'settings'>,
  market: string,
  part: number,
  signal: AbortSignal,
): Promise<{ readonly body: ReadableStream<Uint8Array>; readonly read: Promise<void> } | null> {
  const after = part === 1 ? null : await coverageAt(deps.sql, market, (part - 1) * maxAddresses - 1)
  if (part > 1 && after === null) return null
  const gone = new AbortController()
  const either = AbortSignal.any([gone.signal, signal])
  const { promise: read, resolve: isRead } = Promise.withResolvers<void>()
  const chunks = companies(deps, market, after, either, isRead)
  return { body: spool(chunks, () => gone.abort()), read }
}

async function* companies(
  { sql, settings }: Pick<PageDeps, 'sql' | 'settings'>,
  market: string,
  first: CoveragePosition | null,
  signal: AbortSignal,
  isRead: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield Buffer.from(`${head}<urlset ${namespace}>\n`)
    let after = first
    for (let left = maxAddresses / perRead; left > 0; left--) {
      signal.throwIfAborted()
      const page = await coveragePage(sql, { market, after, limit: perRead })
      const addresses = page.tickers.map(({ ticker }) =>
        address(settings.baseUrl, `/companies/${encodeURIComponent(ticker)}`),
      )
      yield Buffer.from(addresses.join(''))
      if (page.next === null) break
      after = page.next
    }
    yield Buffer.from('</urlset>\n')
  } finally {
    isRead()
  }
}

/** Lets crawlers read the pages but neither the API nor the downloads. */
export const robotsText = (baseUrl: string) =>
  `User-agent: *\nDisallow: /api/\nDisallow: /search\nDisallow: /companies/*/download\nDisallow: /companies/*?\nAllow: /\n\nSitemap: ${baseUrl}/sitemap.xml\n`
