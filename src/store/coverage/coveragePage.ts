import type { CoverageTicker } from '../../model/coverage.ts'
import type { Statements } from '../database.ts'

/** A place in the order of (market, ticker, entity): the last entity of the page before. With a market asked for,
 * it is one of that market. */
export interface CoveragePlace {
  readonly market: string
  readonly ticker: string
  readonly entityId: number
}

interface PageRow extends CoverageTicker {
  readonly entity_id: number
}

export interface CoveragePage {
  readonly tickers: CoverageTicker[]
  /** null: this is the last page. */
  readonly next: CoveragePlace | null
}

/** Inside one market the place is compared without it: otherwise the planner starts at the market's first row. */
const laterThan = (sql: Statements, after: CoveragePlace, inMarket: boolean) =>
  inMarket
    ? sql`and (e.ticker, e.entity_id) > (${after.ticker}, ${after.entityId})`
    : sql`and (e.market, e.ticker, e.entity_id) > (${after.market}, ${after.ticker}, ${after.entityId})`

/** One page of entities in the order of the index entity_coverage: the cost of a page does not depend on how
 * many come before it. */
export async function coveragePage(
  sql: Statements,
  options: { market: string | null; after: CoveragePlace | null; limit: number },
): Promise<CoveragePage> {
  const { market, after, limit } = options
  const ofMarket = market === null ? sql`` : sql`and e.market = ${market}`
  const later = after === null ? sql`` : laterThan(sql, after, market !== null)
  const rows = await sql<PageRow[]>`
    select e.entity_id, e.ticker, e.issuer_id, e.name, e.market,
           array(select t.ticker from entity_ticker t
                 where t.entity_id = e.entity_id and t.ticker <> e.ticker order by t.ticker) as aliases
    from (select * from entity e where true ${ofMarket} ${later}
          order by e.market, e.ticker, e.entity_id limit ${limit + 1}) e
    order by e.market, e.ticker, e.entity_id`
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    tickers: page.map(({ entity_id: _, ...ticker }) => ticker),
    next:
      rows.length > limit && last !== undefined
        ? { market: last.market, ticker: last.ticker, entityId: last.entity_id }
        : null,
  }
}
