import type { IsoDate } from '../../dates.ts'
import type { AsOf } from '../../instants.ts'
import { factsAsOf } from '../../postgres/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { CoverageTicker, MetricCoverage, MetricStates } from './schema.ts'

/**
 * A position in the order (market, ticker, entity): the last entity of the previous page. In a request for
 * one market, it lies in that market.
 */
export interface CoveragePosition {
  readonly market: string
  readonly ticker: string
  readonly entityId: number
}

interface PageRow extends CoverageTicker {
  readonly entity_id: number
}

export interface CoveragePage {
  readonly tickers: CoverageTicker[]
  /** Null on the last page. */
  readonly next: CoveragePosition | null
}

/**
 * For one market, the comparison omits the market; with it the planner would start at the market's first row.
 */
const laterThan = (sql: SqlClient, after: CoveragePosition, inMarket: boolean) =>
  inMarket
    ? sql`and (e.ticker, e.entity_id) > (${after.ticker}, ${after.entityId})`
    : sql`and (e.market, e.ticker, e.entity_id) > (${after.market}, ${after.ticker}, ${after.entityId})`

/**
 * One page of entities in the order of the index entity_coverage. The cost does not depend on the number of
 * rows before it.
 */
export async function coveragePage(
  sql: SqlClient,
  options: { market: string | null; after: CoveragePosition | null; limit: number },
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

/**
 * The entity at a zero-based offset in the order of a market, or null beyond the end. Walks the index to that
 * offset.
 */
export async function coverageAt(
  sql: SqlClient,
  market: string,
  place: number,
): Promise<CoveragePosition | null> {
  const [row] = await sql<CoveragePosition[]>`
    select market, ticker, entity_id as "entityId" from entity where market = ${market}
    order by market, ticker, entity_id offset ${place} limit 1`
  return row ?? null
}

export interface MarketSums {
  readonly entities: number
  readonly firstFiled: IsoDate | null
  readonly lastFiled: IsoDate | null
}

/**
 * Counts per market as of a day, and their data version. Triggers of migration 0005 maintain them. If the
 * last filing has a future day, the query searches for the last one up to the day.
 */
export async function marketCoverage(
  sql: SqlClient,
  asOf: IsoDate,
): Promise<{ dataVersion: number; markets: ReadonlyMap<string, MarketSums> }> {
  const rows = await sql<({ version: string } & ({ market: string } & MarketSums))[]>`
    select d.version, c.market, c.entities::float8 as entities,
           case when c.first_filed <= ${asOf} then c.first_filed end as "firstFiled",
           case when c.last_filed <= ${asOf} then c.last_filed
                else (select max(f.filed) from filing f join entity e on e.entity_id = f.entity_id
                      where e.market = c.market and f.filed <= ${asOf}) end as "lastFiled"
    from data_version d left join market_coverage c on true`
  return {
    dataVersion: Number(rows[0].version),
    markets: new Map(rows.filter(row => row.market !== null).map(row => [row.market, row])),
  }
}

/** How many current figures `f` are in each state, as a JSON object. */
const stateCounts = (sql: SqlClient) => sql`
  json_build_object(
    'proved', count(*) filter (where f.current and f.check_state = 1),
    'consistent', count(*) filter (where f.current and f.check_state = 2),
    'unchecked', count(*) filter (where f.current and f.check_state is null),
    'contradicted', count(*) filter (where f.current and f.check_state = 3)) as checks`

/** How many figures of a market were current on the day and in each state, by metric. */
export async function marketStates(
  sql: SqlClient,
  market: string,
  asOf: AsOf,
): Promise<{ dataVersion: number; metrics: MetricStates[] }> {
  const rows = await sql<({ version: string } & (MetricStates | { m: null }))[]>`
    select d.version, c.*
    from data_version d left join (
      select m.name as m, count(*) filter (where f.current)::int as figures, ${stateCounts(sql)}
      from ${factsAsOf(sql, asOf)} f
      join metric m on m.metric_id = f.metric_id
      join entity e on e.entity_id = f.entity_id
      where e.market = ${market}
      group by m.name) c on true
    order by c.m collate "C"`
  const metrics: MetricStates[] = []
  for (const { version: _, ...row } of rows) if (row.m !== null) metrics.push(row)
  return { dataVersion: Number(rows[0].version), metrics }
}

/** The record of an entity, one row per metric. A period with several vintages counts once. */
export async function metricCoverage(
  sql: SqlClient,
  entityId: number,
  asOf: AsOf,
): Promise<{ dataVersion: number; metrics: MetricCoverage[] }> {
  const rows = await sql<({ version: string } & (MetricCoverage | { m: null }))[]>`
    select d.version, c.*
    from data_version d left join (
      select m.name as m, count(distinct (f.period_end, f.fp))::int as periods,
             min(f.period_end) as first_end, max(f.period_end) as last_end,
             min(f.filed) as first_filed, max(f.filed) as last_filed, ${stateCounts(sql)}
      from ${factsAsOf(sql, asOf)} f join metric m on m.metric_id = f.metric_id
      where f.entity_id = ${entityId}
      group by m.name) c on true
    order by c.m collate "C"`
  const metrics: MetricCoverage[] = []
  for (const { version: _, ...row } of rows) if (row.m !== null) metrics.push(row)
  return { dataVersion: Number(rows[0].version), metrics }
}

/**
 * Whether an entity has imported figures without a known filing date. They are visible on no day; only their
 * existence is read.
 */
export async function lacksFilingDay(sql: SqlClient, entityId: number): Promise<boolean> {
  const [row] = await sql<{ waits: boolean }[]>`
    select exists (
      select from filing where entity_id = ${entityId} and filed = 'infinity' and figures > 0) as waits`
  return row.waits
}
