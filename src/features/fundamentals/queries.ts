import type { IsoDate } from '../../dates.ts'
import type { AsOf } from '../../instants.ts'
import { factsAsOf, namedRule, rawRule } from '../../postgres/asOf.ts'
import type { SqlClient, SqlFragment } from '../../postgres/client.ts'
import { shownYears } from '../../rights/queries.ts'
import type { KnownPeriod, PeriodFilter } from './periods.ts'
import type { CompanyPlan } from './plan.ts'
import { namedProvenance, ofStates, rawProvenance, type StoredProvenance } from './provenanceQueries.ts'

/** The parts of a plan that the statements use. */
export type RowPlan = Pick<
  CompanyPlan,
  | 'entityId'
  | 'asOf'
  | 'metrics'
  | 'from'
  | 'fps'
  | 'years'
  | 'checks'
  | 'fields'
  | 'vintage'
  | 'recentFiscalYearOnly'
>

/**
 * The vintages filed by the day, ordered by metric, period end and filing; vintages of one day by acceptance,
 * then accession. Returns all of them or, for each period, the first or the one current on the day.
 */
export async function historyRows(sql: SqlClient, plan: RowPlan): Promise<StoredRows> {
  const from = plan.from === null ? sql`` : sql`and f.period_end >= ${plan.from}`
  const year = shownYears(sql, plan.recentFiscalYearOnly, sql`r.fy`, plan.asOf, plan.entityId)
  const metrics = plan.metrics === null ? sql`` : sql`and m.name = any(${[...plan.metrics]})`
  const current = plan.vintage === 'latest' ? sql`and f.current` : sql``
  const isFirst = plan.vintage === 'first'
  const each = isFirst ? sql`distinct on (f.metric_id, f.period_end, f.fp)` : sql``
  const earliest = isFirst
    ? sql`order by f.metric_id, f.period_end, f.fp, f.filed, f.accepted_at nulls first, f.accession`
    : sql``
  return unpack(
    await sql`
      select d.version, r.m, r.fy, r.fp, r."end", r.filed, r.v, r.u, r.until, r.derived, r.earlier ${namedRule(sql, plan.asOf, 'r')} ${namedProvenance(sql, plan.fields)}
      from data_version d left join (
        select ${each} m.name as m, f.fy, ${servedPeriod(sql, plan.fps)} as fp, f.period_end as "end", f.filed, f.value as v, u.name as u,
               f.until, f.tag_id is null as derived, f.is_earlier as earlier, f.accepted_at, f.accession
               ${rawRule(sql, plan.asOf)} ${rawProvenance(sql, plan)}
        from ${factsAsOf(sql, plan.asOf)} f
        join metric m on m.metric_id = f.metric_id
        join unit u on u.unit_id = f.unit_id
        where f.entity_id = ${plan.entityId} ${from} ${metrics} ${current} ${earliest}) r
        on true ${year} ${ofPeriods(sql, plan, { fp: sql`r.fp`, fy: sql`r.fy` })} ${ofStates(sql, plan.checks, 'r')}
      order by r.m collate "C", r."end", r.filed, r.fp, r.accepted_at nulls first, r.accession`,
  )
}

/**
 * One row per metric: the latest period end known on the day, at its latest vintage. If a year and a quarter
 * end on the same day, the year. One probe of the index fact_company per metric.
 */
export async function latestRows(sql: SqlClient, plan: RowPlan): Promise<StoredRows> {
  const from = plan.from === null ? sql`` : sql`and f.period_end >= ${plan.from}`
  const year = shownYears(sql, plan.recentFiscalYearOnly, sql`f.fy`, plan.asOf, plan.entityId)
  const metrics = plan.metrics === null ? sql`` : sql`and m.name = any(${[...plan.metrics]})`
  const period = servedPeriod(sql, plan.fps)
  const wanted = plan.fields.length > 0
  const source = wanted
    ? sql`, f.accession, f.accepted_at ${rawProvenance(sql, plan)}`
    : rawProvenance(sql, plan)
  const ofLatest = wanted
    ? sql`, l.accession, l.accepted_at, l.form, l.tag_id, l.period_start, l.input_ids, l.check_state`
    : sql``
  return unpack(
    await sql`
      select d.version, r.m, r.fy, r.fp, r."end", r.filed, r.v, r.u, null as until, r.derived, r.earlier
             ${namedRule(sql, plan.asOf, 'r')} ${namedProvenance(sql, plan.fields)}
      from data_version d left join (
        select m.name as m, l.fy, l.fp, l.period_end as "end", l.filed, l.value as v, u.name as u,
               l.tag is null as derived, l.is_earlier as earlier ${namedRule(sql, plan.asOf, 'l')} ${ofLatest}
        from metric m
        cross join lateral (
          select f.fy, ${period} as fp, f.period_end, f.filed, f.value, f.unit_id, f.tag_id as tag, f.is_earlier ${rawRule(sql, plan.asOf)} ${source}
          from ${factsAsOf(sql, plan.asOf)} f
          where f.entity_id = ${plan.entityId} and f.metric_id = m.metric_id and f.current ${from} ${year}
            ${ofPeriods(sql, plan, { fp: period, fy: sql`f.fy` })}
          order by f.period_end desc, (f.fp = 0) desc, f.fp desc
          limit 1) l
        join unit u on u.unit_id = l.unit_id
        where not m.is_trailing ${metrics} ${ofStates(sql, plan.checks, 'l')}) r on true
      order by r.m collate "C"`,
  )
}

/**
 * The rows of the requested fiscal periods. As with the year of a demo key, the first vintage is chosen
 * before this filter, among all rows of a period: a later vintage with another fiscal year must not pass for
 * the first.
 */
function ofPeriods(
  sql: SqlClient,
  { fps, years }: PeriodFilter,
  { fp, fy }: { readonly fp: SqlFragment; readonly fy: SqlFragment },
): SqlFragment {
  const kinds = fps === null ? sql`` : sql`and ${fp} = any(${[...fps]}::smallint[])`
  return years === null ? kinds : sql`${kinds} and ${fy} between ${years.first} and ${years.last}`
}

/**
 * The fiscal period under which a figure `f` is served. A balance at the end of a year is stored under the
 * year; if fourth quarters are requested and years are not, it is served as the fourth quarter's.
 */
export const servedPeriod = (sql: SqlClient, wanted: readonly number[] | null): SqlFragment =>
  wanted?.includes(4) && !wanted.includes(0)
    ? sql`(case when f.fp = 0 and f.period_start is null then 4::smallint else f.fp end)`
    : sql`f.fp`

export type Ending = Pick<StoredRow, 'm' | 'end'>

/** For each metric, the latest period with a figure that was current on the day. */
export async function currentEnds(
  sql: SqlClient,
  { asOf, entityId }: Pick<RowPlan, 'asOf' | 'entityId'>,
): Promise<Ending[]> {
  return sql<Ending[]>`
    select m.name as m, l.period_end as "end"
    from metric m cross join lateral (
      select f.period_end from ${factsAsOf(sql, asOf)} f
      where f.entity_id = ${entityId} and f.metric_id = m.metric_id and f.current
      order by f.period_end desc limit 1) l
    where not m.is_trailing`
}

export interface KnownMetric {
  readonly m: string
  readonly lastEnd: IsoDate
}

/** The entity's metrics that have any figure filed by the day, with the end of the latest period. */
export async function knownMetrics(sql: SqlClient, entityId: number, asOf: AsOf): Promise<KnownMetric[]> {
  return sql<KnownMetric[]>`
    select m.name as m, l.period_end as "lastEnd"
    from metric m cross join lateral (
      select f.period_end from ${factsAsOf(sql, asOf)} f
      where f.entity_id = ${entityId} and f.metric_id = m.metric_id
      order by f.period_end desc limit 1) l
    where not m.is_trailing
    order by m.name collate "C"`
}

/** For each kind of period, the first and last fiscal years for which any of the metrics was known on
 * `asOf`. */
export async function knownPeriods(
  sql: SqlClient,
  { entityId, asOf, fps }: Pick<RowPlan, 'entityId' | 'asOf' | 'fps'>,
  metrics: readonly string[],
): Promise<KnownPeriod[]> {
  return sql<KnownPeriod[]>`
    select ${servedPeriod(sql, fps)} as fp, min(f.fy) as first, max(f.fy) as last
    from ${factsAsOf(sql, asOf)} f join metric m on m.metric_id = f.metric_id
    where f.entity_id = ${entityId} and m.name = any(${[...metrics]})
    group by 1
    order by 1`
}

/** A row as stored: fp 0 is the year, 1 to 4 are quarters. */
export interface StoredRow extends Partial<StoredProvenance> {
  readonly m: string
  readonly fy: number
  readonly fp: number
  readonly end: IsoDate
  readonly filed: IsoDate
  readonly v: number
  readonly u: string
  /** The filing date from which it is no longer current, if already known on the day. */
  readonly until: IsoDate | null
  readonly derived: boolean
  readonly earlier: boolean
  /** Only as of an instant: whether the row counts by the time of its filing rather than from the end of its day. */
  readonly byTime?: boolean
}

export interface StoredRows {
  /** Data version of the snapshot from which the rows come. */
  readonly dataVersion: number
  readonly rows: StoredRow[]
}

interface VersionedRow extends StoredRow {
  readonly version: string
}

/**
 * Every result has at least one row, which carries the version. If there are no figures, its other columns
 * are null.
 */
export function unpack(answer: readonly (VersionedRow | { version: string; m: null })[]): StoredRows {
  const rows: StoredRow[] = []
  for (const row of answer) if (row.m !== null) rows.push(row)
  return { dataVersion: Number(answer[0].version), rows }
}
