import type { IsoDate } from '../../dates.ts'
import { type AsOf, isInstant } from '../../instants.ts'
import { factsAsOf, rawRule } from '../../postgres/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { RecentYearOnly } from '../../rights/openHistory.ts'
import { shownYears } from '../../rights/queries.ts'

export interface RestatementScope {
  readonly metric: string
  readonly market: string
  readonly asOf: AsOf
  /** Earliest filing of a change, or null. */
  readonly from: IsoDate | null
  /** The last entity of the previous page; null for the first page. */
  readonly after: number | null
  /** The number of companies to examine. */
  readonly limit: number
  readonly recentFiscalYearOnly: RecentYearOnly
  /** The only companies to examine; null for all of the market. */
  readonly seen: readonly number[] | null
}

export interface RestatementRow {
  readonly entityId: number
  readonly m: string
  readonly ticker: string
  readonly issuerId: string
  readonly fy: number
  readonly fp: number
  readonly end: IsoDate
  readonly filedBefore: IsoDate
  readonly accessionBefore: string
  readonly valueBefore: number
  readonly unitBefore: string
  readonly filed: IsoDate
  readonly accession: string
  readonly value: number
  readonly unit: string
  /** Only as of an instant: whether the row counts by the time of its filing rather than from the end of its day. */
  readonly byTime?: boolean
}

export interface RestatementPage {
  readonly dataVersion: number
  readonly rows: RestatementRow[]
  /** The last entity examined; null on the last page. */
  readonly next: number | null
}

interface Head {
  readonly version: string
  readonly looked: number
  readonly last: number | null
}

/**
 * Vintages whose value or unit differs from the previous vintage, both filed by `asOf`. A page examines a
 * fixed number of companies, even if few of them have changes. This bounds its cost: one range of
 * fact_cross_section per company.
 */
export async function restatementRows(sql: SqlClient, scope: RestatementScope): Promise<RestatementPage> {
  const { metric, market, asOf, from, after, limit, seen } = scope
  const later = after === null ? sql`` : sql`and entity_id > ${after}`
  const ofSeen = seen === null ? sql`` : sql`and entity_id = any(${[...seen]}::int[])`
  const since = from === null ? sql`` : sql`and v.filed >= ${from}`
  // The value before the change may be filed under another fiscal year, which the key may not see.
  const year = scope.recentFiscalYearOnly
    ? sql`and v.fy_before = v.fy ${shownYears(sql, scope.recentFiscalYearOnly, sql`v.fy`, asOf, sql`e.entity_id`)}`
    : sql``
  const answer = await sql<(Head & (RestatementRow | { readonly entityId: null }))[]>`
    with next_companies as materialized (
      select entity_id, ticker, issuer_id from entity
      where market = ${market} ${later} ${ofSeen} order by entity_id limit ${limit + 1}),
    companies as materialized (select * from next_companies order by entity_id limit ${limit})
    select d.version, (select count(*)::int from next_companies) as looked,
           (select max(entity_id) from companies) as last, r.*
    from data_version d left join (
      select e.entity_id as "entityId", ${metric} as m, e.ticker, e.issuer_id as "issuerId", v.fy, v.fp, v.period_end as "end",
             v.filed_before as "filedBefore", v.value_before as "valueBefore", ub.name as "unitBefore",
             v.filed, v.value, u.name as unit, v.accepted_at, v.accession, v.accession_before as "accessionBefore"
             ${isInstant(asOf) ? sql`, v.by_time as "byTime"` : sql``}
      from companies e
      cross join lateral (
        select f.fy, f.fp, f.period_end, f.filed, f.value, f.unit_id, f.accepted_at, f.accession ${rawRule(sql, asOf)},
               lag(f.filed) over vintages as filed_before, lag(f.value) over vintages as value_before,
               lag(f.unit_id) over vintages as unit_before, lag(f.fy) over vintages as fy_before,
               lag(f.accession) over vintages as accession_before
        from ${factsAsOf(sql, asOf)} f
        where f.metric_id = (select metric_id from metric where name = ${metric}) and f.entity_id = e.entity_id
        window vintages as (
          partition by f.period_end, f.fp order by f.filed, f.accepted_at nulls first, f.accession)) v
      join unit u on u.unit_id = v.unit_id
      join unit ub on ub.unit_id = v.unit_before
      where (v.value <> v.value_before or v.unit_id <> v.unit_before) ${since} ${year}) r on true
    order by r."entityId", r."end", r.fp, r.filed, r.accepted_at nulls first, r.accession`
  const [{ version, looked, last }] = answer
  return {
    dataVersion: Number(version),
    rows: answer.flatMap(row => (row.entityId === null ? [] : [row])),
    next: looked > limit ? last : null,
  }
}

/** Selects the changes of one company. */
export interface CompanyScope {
  readonly entityId: number
  /** Null for all. */
  readonly metrics: readonly string[] | null
  readonly asOf: AsOf
  /** Earliest filing of a change, or null. */
  readonly from: IsoDate | null
  readonly recentFiscalYearOnly: RecentYearOnly
}

/** The changes of one company, defined like those of a market. Reads one range of the company's facts. */
export async function companyRestatementRows(
  sql: SqlClient,
  { entityId, metrics, asOf, from, recentFiscalYearOnly }: CompanyScope,
): Promise<Omit<RestatementPage, 'next'>> {
  const ofMetrics = metrics === null ? sql`` : sql`and m.name = any(${[...metrics]})`
  const since = from === null ? sql`` : sql`and v.filed >= ${from}`
  const year = recentFiscalYearOnly
    ? sql`and v.fy_before = v.fy ${shownYears(sql, recentFiscalYearOnly, sql`v.fy`, asOf, entityId)}`
    : sql``
  const answer = await sql<({ version: string } & (RestatementRow | { readonly entityId: null }))[]>`
    select d.version, r.*
    from data_version d left join (
      select e.entity_id as "entityId", v.m, e.ticker, e.issuer_id as "issuerId", v.fy, v.fp, v.period_end as "end",
             v.filed_before as "filedBefore", v.value_before as "valueBefore", ub.name as "unitBefore",
             v.filed, v.value, u.name as unit, v.accepted_at, v.accession, v.accession_before as "accessionBefore"
             ${isInstant(asOf) ? sql`, v.by_time as "byTime"` : sql``}
      from entity e
      join (
        select f.entity_id, m.name as m, f.fy, f.fp, f.period_end, f.filed, f.value, f.unit_id, f.accepted_at, f.accession ${rawRule(sql, asOf)},
               lag(f.filed) over vintages as filed_before, lag(f.value) over vintages as value_before,
               lag(f.unit_id) over vintages as unit_before, lag(f.fy) over vintages as fy_before,
               lag(f.accession) over vintages as accession_before
        from ${factsAsOf(sql, asOf)} f join metric m on m.metric_id = f.metric_id
        where f.entity_id = ${entityId} ${ofMetrics}
        window vintages as (
          partition by f.metric_id, f.period_end, f.fp order by f.filed, f.accepted_at nulls first, f.accession)) v
        on v.entity_id = e.entity_id
      join unit u on u.unit_id = v.unit_id
      join unit ub on ub.unit_id = v.unit_before
      where (v.value <> v.value_before or v.unit_id <> v.unit_before) ${since} ${year}) r on true
    order by r.m collate "C", r."end", r.fp, r.filed, r.accepted_at nulls first, r.accession`
  return {
    dataVersion: Number(answer[0].version),
    rows: answer.flatMap(row => (row.entityId === null ? [] : [row])),
  }
}
