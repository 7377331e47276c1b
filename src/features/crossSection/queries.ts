import type { IsoDate } from '../../dates.ts'
import type { SqlClient, SqlFragment } from '../../postgres/client.ts'
import { recentFiscalYear, servedPeriod } from '../fundamentals/queries.ts'
import type { Filter } from './filters.ts'
import { latestTrailing } from './trailingQueries.ts'

/** The trailing twelve months, in place of a fiscal period. */
export const trailingPeriod = 5

export interface CrossSectionScope {
  readonly metric: string
  readonly market: string
  readonly asOf: IsoDate
  /** 0 the year, 1 to 4 a quarter, 5 the trailing twelve months, null the latest period of any kind. */
  readonly fp: number | null
  /** Earliest period end; null: no bound. */
  readonly from: IsoDate | null
  /** The last entity of the previous page; null: the first page. */
  readonly after: number | null
  readonly limit: number
  /** Of each company only the most recent fiscal year of which a full year is reported. */
  readonly recentFiscalYearOnly: boolean
  /** Figures that a company must have, by the same periods. */
  readonly filters: readonly Filter[]
  /** The first digits of the SIC code that the latest filing up to the day states; null: any. */
  readonly sector: string | null
}

export interface CrossSectionRow {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly fy: number
  readonly fp: number
  readonly end: IsoDate
  readonly filed: IsoDate
  readonly value: number
  readonly unit: string
  readonly derived: boolean
  readonly earlier: boolean
}

export interface CrossSectionPage {
  readonly dataVersion: number
  readonly rows: CrossSectionRow[]
  /** The last entity on the page; null: this is the last page. */
  readonly next: number | null
}

type Answer = (CrossSectionRow | { readonly entityId: number; readonly fy: null }) & {
  readonly version: string
}
type Nothing = { readonly version: string; readonly entityId: null }

/** One page: a row for each company that has one, in the order in which companies were first imported. */
export async function crossSectionRows(sql: SqlClient, scope: CrossSectionScope): Promise<CrossSectionPage> {
  const { limit } = scope
  const answer = await sql<(Answer | Nothing)[]>`${crossSectionStatement(sql, scope)}`
  const places = answer.flatMap(row => (row.entityId === null ? [] : [row]))
  const onPage = places.slice(0, limit)
  const last = onPage.at(-1)
  return {
    dataVersion: Number(answer[0].version),
    rows: onPage.flatMap(row => (row.fy === null ? [] : [withoutVersion(row)])),
    next: places.length > limit && last !== undefined ? last.entityId : null,
  }
}

/** Companies are read in the order of the index entity_of_market, and each is one probe of fact_cross_section next to the previous
 * one. A page costs what its companies cost, however many come before it. `bench/crossSection.ts --explain` shows the plan. */
export function crossSectionStatement(sql: SqlClient, scope: CrossSectionScope): SqlFragment {
  const { market, after, limit } = scope
  const later = laterThan(sql, market, after)
  const page = sql`
    select e.entity_id, e.ticker, e.issuer_id, l.*
    from entity e cross join lateral (${latestOf(sql, scope, sql`e.entity_id`, sql``)}) l
    where e.market = ${market} ${later} ${scope.recentFiscalYearOnly ? sql`` : fits(sql, scope, sql`e.entity_id`, sql``)}
    order by e.entity_id
    limit ${limit + 1}`
  const shown = scope.recentFiscalYearOnly ? ofRecentYear(sql, scope, page) : page
  return sql`
    select d.version, r.entity_id as "entityId", r.ticker, r.issuer_id as "issuerId", r.fy, r.fp,
           r.period_end as "end", r.filed, r.value, u.name as unit, r.tag_id is null as derived, r.is_earlier as earlier
    from data_version d left join (${shown}) r on true left join unit u on u.unit_id = r.unit_id
    order by r.entity_id`
}

/** The companies after one. Without one it begins at the market's first: the planner may read companies by their number alone, and so all
 * those of the markets before. */
export const laterThan = (sql: SqlClient, market: string, after: number | null): SqlFragment =>
  after === null
    ? sql`and e.entity_id >= (select min(m.entity_id) from entity m where m.market = ${market})`
    : sql`and e.entity_id > ${after}`

/** Which figure of a company counts. */
export type FigureScope = Pick<CrossSectionScope, 'asOf' | 'fp' | 'from' | 'filters' | 'sector'>

/** The latest figure of a company that was current on the day. */
function latestOf(
  sql: SqlClient,
  { metric, ...scope }: FigureScope & { readonly metric: string },
  entityId: SqlFragment,
  more: SqlFragment,
) {
  return latestFigure(sql, scope, sql`(select metric_id from metric where name = ${metric})`, entityId, more)
}

export function latestFigure(
  sql: SqlClient,
  scope: FigureScope,
  metricId: SqlFragment,
  entityId: SqlFragment,
  more: SqlFragment,
) {
  const { asOf, fp, from } = scope
  if (fp === trailingPeriod) return latestTrailing(sql, scope, metricId, entityId, more)
  const period = servedPeriod(sql, fp === null ? null : [fp])
  const wanted = fp === null ? sql`` : sql`and ${period} = ${fp}`
  const since = from === null ? sql`` : sql`and f.period_end >= ${from}`
  const order = fp === null ? sql`f.period_end desc, (f.fp = 0) desc, f.fp desc` : sql`f.period_end desc`
  return sql`
    select f.metric_id, f.fy, ${period} as fp, f.period_end, f.filed, f.value, f.unit_id, f.tag_id, f.is_earlier
    from fact_as_of(${asOf}) f
    where f.metric_id = ${metricId} and f.entity_id = ${entityId}
      and f.current ${wanted} ${since} ${more}
    order by ${order}
    limit 1`
}

/** The page's companies, each with its figure of the most recent fiscal year, if any. The year is determined only for the
 * companies of the page, because it costs one probe per metric. */
function ofRecentYear(sql: SqlClient, scope: CrossSectionScope, page: SqlFragment) {
  const year = recentFiscalYear(sql, scope.asOf, sql`p.entity_id`)
  const ofYear = sql`and f.fy = y.fy`
  return sql`
    select p.entity_id, p.ticker, p.issuer_id, l.*
    from (${page}) p
    cross join lateral (select ${year} as fy) y
    left join lateral (${latestOf(sql, scope, sql`p.entity_id`, ofYear)}) l
      on true ${fits(sql, scope, sql`p.entity_id`, ofYear)}`
}

/** Whether a company is of the sector, and its figures are within all bounds. A demo key's bounds are compared with what it sees, the most recent
 * fiscal year: compared with another year they would tell of it.
 *
 * @param more further conditions on a figure `f` */
export function fits(
  sql: SqlClient,
  scope: FigureScope,
  entityId: SqlFragment,
  more: SqlFragment,
): SqlFragment {
  return scope.filters.reduce(
    (conditions, { metric, min, max }) => {
      const figure = latestOf(sql, { ...scope, metric }, entityId, more)
      const above = min === null ? sql`` : sql`and x.value >= ${min}::float8`
      const below = max === null ? sql`` : sql`and x.value <= ${max}::float8`
      return sql`${conditions} and exists (select from (${figure}) x where true ${above} ${below})`
    },
    ofSector(sql, scope, entityId),
  )
}

/** By the code of the day, as `companies/{id}` shows it: today's would tell a past day what became of the company. */
function ofSector(sql: SqlClient, { sector, asOf }: FigureScope, entityId: SqlFragment): SqlFragment {
  if (sector === null) return sql``
  return sql`and (
    select l.sector from filing l
    where l.entity_id = ${entityId} and l.filed <= ${asOf} and l.sector is not null
    order by l.filed desc, l.accepted_at desc nulls last, l.accession desc limit 1) like ${`SIC ${sector}%`}`
}

function withoutVersion({
  version: _,
  ...row
}: CrossSectionRow & { readonly version: string }): CrossSectionRow {
  return row
}
