import type { IsoDate } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'

export interface FiledAttributes {
  readonly filings: number
  readonly first: IsoDate | null
  readonly last: IsoDate | null
  readonly name: string | null
  readonly nameFiled: IsoDate | null
  readonly sector: string | null
  readonly sectorFiled: IsoDate | null
  readonly yearEnd: string | null
  readonly yearEndFiled: IsoDate | null
}

/** What the company's filings stated by the day: each attribute from the latest filing that states it. */
export async function filedAttributes(
  sql: SqlClient,
  entityId: number,
  asOf: IsoDate,
): Promise<FiledAttributes> {
  const latest = (column: 'company_name' | 'sector' | 'fiscal_year_end') => sql`
    select ${sql(column)} as value, filed from known where ${sql(column)} is not null
    order by filed desc, accepted_at desc nulls last, accession desc limit 1`
  const [row] = await sql<FiledAttributes[]>`
    with known as materialized (select * from filing where entity_id = ${entityId} and filed <= ${asOf})
    select (select count(*)::int from known) as filings, (select min(filed) from known) as first,
           (select max(filed) from known) as last, n.value as name, n.filed as "nameFiled",
           s.value as sector, s.filed as "sectorFiled", y.value as "yearEnd", y.filed as "yearEndFiled"
    from (select) one
    left join lateral (${latest('company_name')}) n on true
    left join lateral (${latest('sector')}) s on true
    left join lateral (${latest('fiscal_year_end')}) y on true`
  return row
}

/**
 * The currency of the latest full year with money figures by the day; if there is none, of the latest period.
 */
export async function latestCurrency(
  sql: SqlClient,
  entityId: number,
  asOf: IsoDate,
): Promise<string | null> {
  const [row] = await sql<{ unit: string }[]>`
    select u.name as unit
    from fact_as_of(${asOf}) f join unit u on u.unit_id = f.unit_id
    where f.entity_id = ${entityId} and u.name ~ '^[A-Z]{3}$'
    order by (f.fp = 0) desc, f.period_end desc, f.filed desc, u.name limit 1`
  return row?.unit ?? null
}

export interface TodayAttributes {
  readonly name: string | null
  readonly otherNames: string[]
  readonly status: string | null
  readonly exchange: string | null
  readonly sector: string | null
  readonly yearEnd: string | null
}

/** What the register states about a company without a day. */
export async function todayAttributes(sql: SqlClient, entityId: number): Promise<TodayAttributes> {
  const [row] = await sql<TodayAttributes[]>`
    select name, status, exchange, sector, fiscal_year_end as "yearEnd",
           array(select o.name from entity_other_name o where o.entity_id = e.entity_id order by o.place) as "otherNames"
    from entity e where entity_id = ${entityId}`
  return row
}
