import type { IsoDate } from '../../dates.ts'
import type { Fragment, Statements } from '../../postgres/client.ts'
import type { Vintage } from './schema.ts'

/** The vintages filed by the day, ordered by metric, period end and filing; vintages of one day by acceptance, then
 * accession. All of them, or of each period the first or the one that is current on the day. */
export async function historyRows(sql: Statements, scope: RowScope): Promise<StoredRows> {
  const from = scope.from === null ? sql`` : sql`and f.period_end >= ${scope.from}`
  const year = scope.recentFiscalYearOnly
    ? sql`and f.fy = ${recentFiscalYear(sql, scope.asOf, scope.entityId)}`
    : sql``
  const metrics = scope.metrics === null ? sql`` : sql`and m.name = any(${[...scope.metrics]})`
  const current = scope.vintage === 'latest' ? sql`and f.current` : sql``
  const isFirst = scope.vintage === 'first'
  const each = isFirst ? sql`distinct on (f.metric_id, f.period_end, f.fp)` : sql``
  const earliest = isFirst
    ? sql`order by f.metric_id, f.period_end, f.fp, f.filed, f.accepted_at nulls first, f.accession`
    : sql``
  return unpack(
    await sql`
      select d.version, r.m, r.fy, r.fp, r."end", r.filed, r.v, r.u
      from data_version d left join (
        select ${each} m.name as m, f.fy, f.fp, f.period_end as "end", f.filed, f.value as v, u.name as u,
               f.accepted_at, f.accession
        from fact_as_of(${scope.asOf}) f
        join metric m on m.metric_id = f.metric_id
        join unit u on u.unit_id = f.unit_id
        where f.entity_id = ${scope.entityId} ${from} ${year} ${metrics} ${current} ${earliest}) r on true
      order by r.m collate "C", r."end", r.filed, r.fp, r.accepted_at nulls first, r.accession`,
  )
}

/** One row per metric: the latest period end known on the day, the year before the quarter where both end
 * then, at its latest vintage. One probe of fact_company a metric. */
export async function latestRows(sql: Statements, scope: RowScope): Promise<StoredRows> {
  const from = scope.from === null ? sql`` : sql`and f.period_end >= ${scope.from}`
  const year = scope.recentFiscalYearOnly
    ? sql`and f.fy = ${recentFiscalYear(sql, scope.asOf, scope.entityId)}`
    : sql``
  const metrics = scope.metrics === null ? sql`` : sql`where m.name = any(${[...scope.metrics]})`
  return unpack(
    await sql`
      select d.version, r.m, r.fy, r.fp, r."end", r.filed, r.v, r.u
      from data_version d left join (
        select m.name as m, l.fy, l.fp, l.period_end as "end", l.filed, l.value as v, u.name as u
        from metric m
        cross join lateral (
          select f.fy, f.fp, f.period_end, f.filed, f.value, f.unit_id
          from fact_as_of(${scope.asOf}) f
          where f.entity_id = ${scope.entityId} and f.metric_id = m.metric_id and f.current ${from} ${year}
          order by f.period_end desc, (f.fp = 0) desc, f.fp desc
          limit 1) l
        join unit u on u.unit_id = l.unit_id
        ${metrics}) r on true
      order by r.m collate "C"`,
  )
}

export interface KnownMetric {
  readonly m: string
  readonly lastEnd: IsoDate
}

/** The metrics of an entity of which any figure was filed by the day, with the end of the latest period. */
export async function knownMetrics(sql: Statements, entityId: number, asOf: IsoDate): Promise<KnownMetric[]> {
  return sql<KnownMetric[]>`
    select m.name as m, l.period_end as "lastEnd"
    from metric m cross join lateral (
      select f.period_end from fact_as_of(${asOf}) f
      where f.entity_id = ${entityId} and f.metric_id = m.metric_id
      order by f.period_end desc limit 1) l
    order by m.name collate "C"`
}

/** Which rows of one entity are asked for. */
export interface RowScope {
  readonly entityId: number
  readonly asOf: IsoDate
  /** null: all. */
  readonly metrics: readonly string[] | null
  /** Earliest period end; null: no bound. */
  readonly from: IsoDate | null
  /** Which vintages of a period the history shows. */
  readonly vintage: Vintage
  /** Only the most recent fiscal year of which a full year is reported. */
  readonly recentFiscalYearOnly: boolean
}

/** A row as the store knows it: fp 0 is the year, 1 to 4 are quarters. */
export interface StoredRow {
  readonly m: string
  readonly fy: number
  readonly fp: number
  readonly end: IsoDate
  readonly filed: IsoDate
  readonly v: number
  readonly u: string
}

export interface StoredRows {
  /** Of the same snapshot as the rows. */
  readonly dataVersion: number
  readonly rows: StoredRow[]
}

interface Answer extends StoredRow {
  readonly version: string
}

/** Every answer has one row at least, which carries the version; its other columns are null when no row was
 * found. */
export function unpack(answer: readonly (Answer | { version: string; m: null })[]): StoredRows {
  const rows: StoredRow[] = []
  for (const row of answer) if (row.m !== null) rows.push(row)
  return { dataVersion: Number(answer[0].version), rows }
}

/** The fiscal year of the latest full year known that day; a year that earns something goes before the date on
 * a cover page. Where no full year is known, the latest fiscal year of all. */
export function recentFiscalYear(sql: Statements, asOf: IsoDate, entityId: Fragment | number) {
  return sql`
    coalesce(
      (select y.fy
       from metric ym cross join lateral (
         select f.fy, f.period_end, f.period_start from fact_as_of(${asOf}) f
         where f.entity_id = ${entityId} and f.metric_id = ym.metric_id and f.fp = 0
         order by f.period_end desc limit 1) y
       order by (y.period_start is not null) desc, y.period_end desc, y.fy desc limit 1),
      (select max(f.fy) from fact_as_of(${asOf}) f where f.entity_id = ${entityId}))`
}
