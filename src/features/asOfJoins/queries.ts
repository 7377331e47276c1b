import { companiesPerBlock, neverEnds } from '../../backtest/asOf/events.ts'
import type { AsOfPeriod } from '../../backtest/figureScore.ts'
import type { SqlClient, SqlFragment } from '../../postgres/client.ts'

/** The vintages of one metric for a block of companies. */
export interface BlockName {
  readonly metric: string
  readonly fp: AsOfPeriod
  /** The first company of the block. */
  readonly firstEntity: number
}

/**
 * A day after all others, so that every vintage is filed and its `until` known. Joins read nothing after
 * today.
 */
const lastDay = '9999-12-31'

/**
 * The vintages of a block as one packed value, because a market has too many for individual rows.
 * `buildEvents` turns them into what fact_as_of and trailing_as_of return for each day; `period_end <= filed`
 * excludes periods that end after their filing, which are errors or forecasts.
 */
export async function readVintages(
  sql: SqlClient,
  { metric, fp, firstEntity }: BlockName,
): Promise<Uint8Array> {
  const ofBlock = sql`
    f.entity_id >= ${firstEntity}::int and f.entity_id < ${firstEntity + companiesPerBlock}::int
    and f.period_end <= f.filed`
  const id = (name: string) => sql`(select metric_id from metric where name = ${name})`
  const [{ rows }] = await sql<[{ rows: Uint8Array }]>`
    select coalesce(string_agg(
      int4send(v.entity_id) || int4send(v.filed - date '1970-01-01')
        || int4send(coalesce(v.until - date '1970-01-01', ${neverEnds}::int))
        || int4send(v.period_end - date '1970-01-01') || int2send(v.rank) || int2send(v.unit_id) || float8send(v.value),
      ''::bytea), '') as rows
    from (${vintagesOf(sql, fp, metric, ofBlock, id)}) v`
  return rows
}

/**
 * Follows the fundamentals route: FY and quarters match its `fp` filters, TTM its trailing rows, latest
 * `view=latest`. `rank` breaks ties between periods that end on the same day.
 */
function vintagesOf(
  sql: SqlClient,
  fp: AsOfPeriod,
  metric: string,
  ofBlock: SqlFragment,
  id: (name: string) => SqlFragment,
): SqlFragment {
  const columns = (rank: SqlFragment) =>
    sql`f.entity_id, f.filed, f.until, f.period_end, ${rank} as rank, f.unit_id, f.value`
  const none = sql`0::smallint`
  const yearFirst = sql`(case when f.fp = 0 then 5::smallint else f.fp end)`
  switch (fp) {
    case 'FY':
      return sql`
        select ${columns(none)} from fact_as_of(${lastDay}) f
        where ${ofBlock} and f.metric_id = ${id(metric)} and f.fp = 0`
    case 'Q':
      return sql`
        select ${columns(yearFirst)} from fact_as_of(${lastDay}) f
        where ${ofBlock} and f.metric_id = ${id(metric)} and (f.fp > 0 or f.period_start is null)`
    case 'latest':
      return sql`
        select ${columns(yearFirst)} from fact_as_of(${lastDay}) f
        where ${ofBlock} and f.metric_id = ${id(metric)}`
    case 'TTM':
      return sql`
        select ${columns(none)} from trailing_as_of(${lastDay}) f
        where ${ofBlock} and f.metric_id = ${id(`${metric}_ttm`)}
        union all
        select ${columns(none)} from fact_as_of(${lastDay}) f
        where ${ofBlock} and f.metric_id = ${id(metric)} and f.fp = 0 and f.period_start is not null
          and f.unit_id not in (select unit_id from unit where name ~ 'shares$')`
    default:
      return fp satisfies never
  }
}

/** The names of all units by number. */
export async function readUnits(sql: SqlClient): Promise<ReadonlyMap<number, string>> {
  const rows = await sql<{ id: number; name: string }[]>`select unit_id as id, name from unit`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/**
 * The companies of an archive's assets in one market, in the same order; -1 if there is none. A ticker that
 * two markets share is written TICKER:MARKET.
 */
export async function findListed(sql: SqlClient, names: string, market: string): Promise<readonly number[]> {
  const [{ entities }] = await sql<[{ entities: number[] }]>`
    select coalesce(array_agg(coalesce(e.entity_id, -1) order by n.place), '{}') as entities
    from unnest(string_to_array(${names}, E'\n')) with ordinality as n (name, place)
    left join (entity_ticker t join entity e on e.entity_id = t.entity_id and e.market = ${market})
      on t.ticker = case when right(n.name, 3) = ${`:${market}`} then left(n.name, -3) else n.name end`
  return entities
}
