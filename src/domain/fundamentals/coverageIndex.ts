import { Failure } from '../../errors.ts'
import type { CoverageIndex } from '../../model/coverage.ts'
import { defaultCoverageLimit, type FundamentalsQuery, maxCoverageLimit } from '../../model/fundamentals.ts'
import { coveragePage } from '../../store/coverage/coveragePage.ts'
import { marketCoverage } from '../../store/coverage/marketCoverage.ts'
import { readCursor, writeCursor } from './coverageCursor.ts'
import type { CoverageDeps, FundamentalsDeps } from './deps.ts'
import { readMarket } from './readMarket.ts'

/** Markets, manifests, metrics and a page of tickers. Sums are kept by the database as rows arrive and pages
 * are found by key, so neither grows with the number of entities. */
export async function coverageIndex(deps: CoverageDeps, query: FundamentalsQuery): Promise<CoverageIndex> {
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
      }
    }),
    manifests: [...deps.markets.manifests],
    metrics: [...deps.markets.metrics.values()].map(metric => ({ ...metric, markets: [...metric.markets] })),
    tickers: {
      count: page.tickers.length,
      data: page.tickers,
      next: page.next === null ? null : writeCursor(page.next),
    },
  }
}

function readPage(deps: Pick<FundamentalsDeps, 'markets'>, query: FundamentalsQuery) {
  for (const param of ['as_of', 'view', 'vintage', 'metric', 'from'] as const) {
    if (query[param] !== undefined)
      refuse(param, `${param} needs ticker: without it the coverage index is asked for.`)
  }
  if (query.format !== undefined && query.format !== 'json') {
    refuse('format', `format=${query.format} needs ticker: the coverage index is JSON only.`)
  }
  const limit = query.limit ?? defaultCoverageLimit
  if (!Number.isInteger(limit) || limit < 1 || limit > maxCoverageLimit) {
    refuse('limit', `limit=${limit}: a whole number from 1 to ${maxCoverageLimit} is needed.`)
  }
  const market = query.market === undefined ? null : readMarket(deps.markets, query.market)
  const after = query.cursor === undefined ? null : readCursor(query.cursor)
  if (after !== null && market !== null && after.market !== market) {
    refuse(
      'cursor',
      `cursor belongs to a page of market ${after.market}, not ${market}. Leave one of the two out.`,
    )
  }
  return { market, limit, after }
}

function refuse(param: string, message: string): never {
  throw new Failure('parameter_invalid', message, { param })
}
