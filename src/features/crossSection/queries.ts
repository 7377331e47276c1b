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
  /** The currency that some of the company's figures must be in; null or absent: any. */
  readonly inCurrency?: CurrencyRule | null
  /** The currency of bounds on amounts, which amounts in another one fit; null or absent: bounds hold for the numbers alone. */
  readonly boundsIn?: CurrencyRule | null
  /** The only companies that are read, whatever figures others have; null or absent: all of the market. */
  readonly seen?: readonly number[] | null
}

/** Which figures of a company must be in one currency, so that amounts of two are never compared. */
export interface CurrencyRule {
  readonly code: string
  /** Metrics in money. Of a company all that it has are in the currency, and it has at least one. */
  readonly metrics: readonly string[]
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

type Answer = (CrossSectionRow | { readonly entityId: null }) & Head

interface Head {
  readonly version: string
  /** Of a key that sees the recent fiscal year alone: the last company that was looked at, if others follow it. */
  readonly examined: number | null
}

/** One page: a row for each company that has one, in the order in which companies were first imported. */
export async function crossSectionRows(sql: SqlClient, scope: CrossSectionScope): Promise<CrossSectionPage> {
  const { limit } = scope
  const answer = await sql<Answer[]>`${crossSectionStatement(sql, scope)}`
  const [{ version, examined }] = answer
  const found = answer.flatMap(row => (row.entityId === null ? [] : [withoutHead(row)]))
  const rows = found.slice(0, limit)
  return {
    dataVersion: Number(version),
    rows,
    next: found.length > limit ? (rows.at(-1)?.entityId ?? null) : examined,
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
    where e.market = ${market} ${later} ${ofSeen(sql, scope)} ${fits(sql, scope, sql`e.entity_id`, sql``)}
    order by e.entity_id
    limit ${limit + 1}`
  const recent = scope.recentFiscalYearOnly
  return sql`
    ${recent ? examinedCompanies(sql, scope) : sql``}
    select d.version, ${recent ? lastExamined(sql) : sql`null::int`} as examined,
           r.entity_id as "entityId", r.ticker, r.issuer_id as "issuerId", r.fy, r.fp,
           r.period_end as "end", r.filed, r.value, u.name as unit, r.tag_id is null as derived, r.is_earlier as earlier
    from data_version d left join (${recent ? ofRecentYear(sql, scope) : page}) r on true left join unit u on u.unit_id = r.unit_id
    order by r.entity_id`
}

/** Only companies that a key has seen, or that a page was found to have: no figure of any other is read, so none can show. */
export const ofSeen = (sql: SqlClient, { seen = null }: Pick<CrossSectionScope, 'seen'>): SqlFragment =>
  seen === null ? sql`` : sql`and e.entity_id = any(${[...seen]}::int[])`

/** Companies that a page looks at for a key that sees the recent fiscal year alone. */
const maxExamined = 1_000

/** A page of such a key is made from the next companies of the market, whichever figures they have: where it ends must not tell of the years
 * that the key does not see. */
export function examinedCompanies(
  sql: SqlClient,
  { market, after, seen = null }: Pick<CrossSectionScope, 'market' | 'after' | 'seen'>,
): SqlFragment {
  return sql`
    with next_companies as materialized (
      select e.entity_id, e.ticker, e.issuer_id from entity e
      where e.market = ${market} ${laterThan(sql, market, after)} ${ofSeen(sql, { seen })}
      order by e.entity_id limit ${maxExamined + 1}),
    examined as materialized (select * from next_companies order by entity_id limit ${maxExamined})`
}

export const lastExamined = (sql: SqlClient): SqlFragment =>
  sql`case when (select count(*) from next_companies) > ${maxExamined} then (select max(entity_id) from examined) end`

/** The companies after one. Without one it begins at the market's first: the planner may read companies by their number alone, and so all
 * those of the markets before. */
export const laterThan = (sql: SqlClient, market: string, after: number | null): SqlFragment =>
  after === null
    ? sql`and e.entity_id >= (select min(m.entity_id) from entity m where m.market = ${market})`
    : sql`and e.entity_id > ${after}`

/** Which figure of a company counts. */
export type FigureScope = Pick<
  CrossSectionScope,
  'asOf' | 'fp' | 'from' | 'filters' | 'sector' | 'inCurrency' | 'boundsIn'
>

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

/** The companies with a figure of their most recent fiscal year. The year costs one probe per metric, so it is determined only for companies
 * that have a figure of any year. */
function ofRecentYear(sql: SqlClient, scope: CrossSectionScope) {
  const year = recentFiscalYear(sql, scope.asOf, sql`p.entity_id`)
  const ofYear = sql`and f.fy = y.fy`
  return sql`
    select p.entity_id, p.ticker, p.issuer_id, l.*
    from examined p
    cross join lateral (
      select ${year} as fy where exists (select from (${latestOf(sql, scope, sql`p.entity_id`, sql``)}) any_year)) y
    cross join lateral (${latestOf(sql, scope, sql`p.entity_id`, ofYear)}) l
    where true ${fits(sql, scope, sql`p.entity_id`, ofYear)}
    order by p.entity_id
    limit ${scope.limit + 1}`
}

/** Whether a company is of the sector, and has figures within all bounds. A demo key's bounds are compared with what it sees, the most recent
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
      const { boundsIn = null } = scope
      const unbounded =
        boundsIn === null || !boundsIn.metrics.includes(metric)
          ? sql``
          : sql`or x.unit_id not in (${unitsIn(sql, boundsIn.code)})`
      return sql`${conditions} and exists (select from (${figure}) x where (true ${above} ${below}) ${unbounded})`
    },
    sql`${ofSector(sql, scope, entityId)} ${ofCurrency(sql, scope, entityId, more)}`,
  )
}

/** By the figures that are shown or compared, which may be in another currency than earlier ones of the company. */
function ofCurrency(
  sql: SqlClient,
  scope: FigureScope,
  entityId: SqlFragment,
  more: SqlFragment,
): SqlFragment {
  const { inCurrency = null } = scope
  if (inCurrency === null) return sql``
  const { code, metrics } = inCurrency
  const figure = latestFigure(sql, scope, sql`w.metric_id`, entityId, more)
  return sql`and (
    select bool_and(x.unit_id in (${unitsIn(sql, code)}))
    from metric w cross join lateral (${figure}) x where w.name = any(${[...metrics]}))`
}

/** A currency, and amounts in it per share. */
const unitsIn = (sql: SqlClient, code: string) =>
  sql`select unit_id from unit where name ~ ${`^${code}(/|$)`}`

/** By the code of the day, as `companies/{id}` shows it: today's would tell a past day what became of the company. */
function ofSector(sql: SqlClient, { sector, asOf }: FigureScope, entityId: SqlFragment): SqlFragment {
  if (sector === null) return sql``
  return sql`and (
    select l.sector from filing l
    where l.entity_id = ${entityId} and l.filed <= ${asOf} and l.sector is not null
    order by l.filed desc, l.accepted_at desc nulls last, l.accession desc limit 1) like ${`SIC ${sector}%`}`
}

function withoutHead({ version: _, examined: __, ...row }: CrossSectionRow & Head): CrossSectionRow {
  return row
}
