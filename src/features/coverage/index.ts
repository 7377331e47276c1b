import { Type } from '@sinclair/typebox'
import { Failure } from '../../errors.ts'
import type { DataFormat } from '../../formats/columns.ts'
import { type CursorScope, type CursorSigner, PositionCursors } from '../../http/cursor.ts'
import { definitionOf } from '../../markets/metrics.ts'
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
  /** Rejected without a company. */
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
  readonly checks?: string
  readonly fields?: string
}

type CoverageIndexDeps = SnapshotDeps & Pick<CompanyDeps, 'cursors'>

/** The index names companies and has no figures, so every key sees all of it. */
const scopeOf = (market: string | null): CursorScope => ({
  route: 'coverage',
  rights: 'all',
  query: [market],
})

/**
 * Markets, manifests, metrics and a page of tickers. Triggers maintain the counts and pages are read by key,
 * so the cost does not grow with the number of entities.
 */
export async function coverageIndex(
  deps: CoverageIndexDeps,
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
    metrics: [...deps.markets.metrics.values()].map(metric => ({
      ...definitionOf(metric),
      markets: [...metric.markets],
    })),
    tickers: {
      count: page.tickers.length,
      data: page.tickers,
      next: page.next === null ? null : encodeCursor(deps.cursors, market, page.next),
    },
  }
}

function readPage(deps: Pick<CompanyDeps, 'markets' | 'cursors'>, query: CoverageQuery) {
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
    'checks',
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
  const after = query.cursor === undefined ? null : decodeCursor(deps.cursors, market, query.cursor)
  return { market, limit, after }
}

function refuse(param: string, message: string): never {
  throw new Failure('parameter_invalid', message, { param })
}

/** The market, the ticker and the entity after which a page continues. */
const positions = new PositionCursors(Type.Tuple([Type.String(), Type.String(), Type.Integer()]))

const encodeCursor = (cursors: CursorSigner, market: string | null, position: CoveragePosition): string =>
  positions.write(cursors, scopeOf(market), [position.market, position.ticker, position.entityId])

function decodeCursor(cursors: CursorSigner, market: string | null, cursor: string): CoveragePosition {
  const [ofMarket, ticker, entityId] = positions.read(cursors, scopeOf(market), cursor)
  return { market: ofMarket, ticker, entityId }
}
