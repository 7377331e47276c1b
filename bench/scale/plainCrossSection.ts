import { fiscalPeriods } from '../../src/features/fundamentals/schema.ts'
import type { Sql } from '../../src/postgres/client.ts'

export interface CrossSectionQuery {
  readonly metric: string
  readonly market: string
  readonly asOf: string
  readonly companies: number
}

/** The latest full year of the first companies of a market, by a plain query that reads and sorts all their rows. Returns the
 * format of `servedCompany` by ticker. */
export async function plainCrossSection(
  sql: Sql,
  { metric, market, asOf, companies }: CrossSectionQuery,
): Promise<Map<string, string>> {
  const rows = await sql<{ ticker: string; fy: number; end: string; filed: string; value: number }[]>`
    select ticker, fy, "end", filed, value from (
      select distinct on (e.entity_id) e.entity_id, e.ticker, f.fy, f.period_end as "end", f.filed, f.value
      from fact f join entity e on e.entity_id = f.entity_id
      where e.market = ${market} and f.metric_id = (select metric_id from metric where name = ${metric}) and f.fp = 0
        and f.filed <= ${asOf} and f.superseded > ${asOf}
        and f.entity_id <= (select max(entity_id) from (
          select entity_id from entity x where x.market = ${market} and exists (
            select from fact y where y.entity_id = x.entity_id and y.fp = 0 and y.filed <= ${asOf} and y.superseded > ${asOf}
              and y.metric_id = (select metric_id from metric where name = ${metric}))
          order by entity_id limit ${companies}) firsts)
      order by e.entity_id, f.period_end desc) latest
    order by entity_id`
  return new Map(rows.map(row => [row.ticker, servedCompany({ ...row, fp: fiscalPeriods[0] })] as const))
}

export interface ServedCompany {
  readonly ticker: string
  readonly fy: number
  readonly fp: string
  readonly end: string
  readonly filed: string
  readonly value: number
}

export const servedCompany = ({ fy, fp, end, filed, value }: Omit<ServedCompany, 'ticker'>): string =>
  JSON.stringify([fy, fp, end, filed, value])
