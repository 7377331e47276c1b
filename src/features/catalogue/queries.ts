import type { IsoDate } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'

/** Of a market: how many companies were examined, and how many of these have each metric. */
export interface Presence {
  readonly examined: number
  readonly companies: ReadonlyMap<string, number>
}

/** Bounds the cost of a market: one probe of an index for each of its companies and each metric. */
const maxExamined = 200

/** A register names many companies without figures: so many in a row are passed over. */
const maxPassedOver = 50

/** How often the metrics of a market are present, among companies spread evenly over the order in which they came. */
export async function presenceIn(
  sql: SqlClient,
  market: string,
  asOf: IsoDate,
): Promise<Presence & { readonly dataVersion: number }> {
  const rows = await sql<{ version: string; examined: number; m: string | null; companies: number | null }[]>`
    with span as (
      select (select entity_id from entity where market = ${market} order by entity_id limit 1) as first,
             (select entity_id from entity where market = ${market} order by entity_id desc limit 1) as last),
    picked as materialized (
      select distinct next.entity_id
      from span, generate_series(0, ${maxExamined - 1}) step cross join lateral (
        select near.entity_id
        from (
          select e.entity_id from entity e
          where e.market = ${market}
            and e.entity_id >= span.first + ((span.last - span.first)::bigint * step / ${maxExamined - 1})::int
          order by e.entity_id limit ${maxPassedOver}) near
        cross join lateral (
          select from fact_as_of(${asOf}) f where f.entity_id = near.entity_id limit 1) figure
        order by near.entity_id limit 1) next)
    select d.version, (select count(*)::int from picked) as examined, found.m, found.companies
    from data_version d left join (
      select m.name as m, count(*)::int as companies
      from metric m cross join picked p
      cross join lateral (
        select from fact_as_of(${asOf}) f
        where f.entity_id = p.entity_id and f.metric_id = m.metric_id limit 1) figure
      where not m.is_trailing
      group by m.name) found on true`
  const companies = new Map<string, number>()
  for (const row of rows) if (row.m !== null) companies.set(row.m, row.companies ?? 0)
  return { dataVersion: Number(rows[0].version), examined: rows[0].examined, companies }
}
