import { Failure } from '../../errors.ts'
import type { DataFormat } from '../../formats/columns.ts'
import { readMarket } from '../../markets/parameters.ts'
import type { CompanyDeps, SnapshotDeps } from '../companies/deps.ts'
import type { RegisterFreshness } from '../syncs/freshness.ts'
import { type CoveragePosition, coveragePage, marketCoverage } from './queries.ts'
import { type CoverageIndex, defaultCoverageLimit, maxCoverageLimit } from './schema.ts'

/** The query of GET /api/v1/fundamentals without `ticker`. */
export interface CoverageQuery {
  readonly market?: string
  readonly limit?: number
  readonly cursor?: string
  readonly format?: DataFormat
  /** Refused: they need a company. */
  readonly as_of?: string
  readonly view?: string
  readonly vintage?: string
  readonly metric?: string
  readonly from?: string
  readonly layout?: string
  readonly max_age_days?: number
  readonly adjust?: string
  readonly fp?: string
  readonly fy?: string
  readonly fields?: string
}

/** Markets, manifests, metrics and a page of tickers. Triggers maintain the counts and pages are read by key, so the cost does not
 * grow with the number of entities. */
export async function coverageIndex(
  deps: SnapshotDeps,
  query: CoverageQuery,
  syncs: readonly RegisterFreshness[] = [],
): Promise<CoverageIndex> {
  const { market, after, limit } = readPage(deps, query)
  const [sums, page] = await Promise.all([
    marketCoverage(deps.sql, deps.today()),
    coveragePage(deps.sql, { market, after, limit }),
  ])
  return {
    object: 'coverage',
    data_version: sums.dataVersion,
    markets: deps.markets.manifests.map(manifest => {
      const found = sums.markets.get(manifest.code)
      return {
        code: manifest.code,
        name: manifest.name,
        status: manifest.status,
        entities: found?.entities ?? 0,
        first_filed: found?.firstFiled ?? null,
        last_filed: found?.lastFiled ?? null,
        sync: syncs.find(sync => sync.market === manifest.code) ?? null,
      }
    }),
    manifests: [...deps.markets.manifests],
    metrics: [...deps.markets.metrics.values()].map(metric => ({ ...metric, markets: [...metric.markets] })),
    tickers: {
      count: page.tickers.length,
      data: page.tickers,
      next: page.next === null ? null : encodeCursor(page.next),
    },
  }
}

function readPage(deps: Pick<CompanyDeps, 'markets'>, query: CoverageQuery) {
  for (const param of [
    'as_of',
    'view',
    'vintage',
    'metric',
    'layout',
    'max_age_days',
    'adjust',
    'from',
    'fp',
    'fy',
    'fields',
  ] as const) {
    if (query[param] !== undefined)
      refuse(param, `${param} requires ticker: without ticker, the response is the coverage index.`)
  }
  if (query.format !== undefined && query.format !== 'json') {
    refuse('format', `format=${query.format} requires ticker: the coverage index is available only as JSON.`)
  }
  const limit = query.limit ?? defaultCoverageLimit
  if (!Number.isInteger(limit) || limit < 1 || limit > maxCoverageLimit) {
    refuse('limit', `limit=${limit} is not allowed: send a whole number from 1 to ${maxCoverageLimit}.`)
  }
  const market = query.market === undefined ? null : readMarket(deps.markets, query.market)
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor)
  if (after !== null && market !== null && after.market !== market) {
    refuse(
      'cursor',
      `cursor belongs to a page of market ${after.market}, not ${market}. Omit one of the two.`,
    )
  }
  return { market, limit, after }
}

function refuse(param: string, message: string): never {
  throw new Failure('parameter_invalid', message, { param })
}

/** A position in the index as opaque text. */
export function encodeCursor(place: CoveragePosition): string {
  return Buffer.from(JSON.stringify([place.market, place.ticker, place.entityId])).toString('base64url')
}

export function decodeCursor(cursor: string): CoveragePosition {
  const place = parse(cursor)
  if (place !== null) return place
  throw new Failure(
    'parameter_invalid',
    'cursor is not valid. Send the `next` of the previous page unchanged, or omit cursor for the first page.',
    { param: 'cursor' },
  )
}

function parse(cursor: string): CoveragePosition | null {
  if (!/^[\w-]{1,200}$/.test(cursor)) return null
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
  if (!Array.isArray(parts) || parts.length !== 3) return null
  const [market, ticker, entityId]: unknown[] = parts
  if (typeof market !== 'string' || typeof ticker !== 'string' || typeof entityId !== 'number') return null
  if (!/^[\x20-\x7e]{0,64}$/.test(market + ticker)) return null
  if (!Number.isInteger(entityId) || entityId < 0 || entityId > 2_147_483_647) return null
  return { market, ticker, entityId }
}
