import { addDays, type IsoDate } from '../../dates.ts'
import { checkCodesOf } from '../../facts/factRow.ts'
import { dayOf, isInstant } from '../../instants.ts'
import { factsAsOf, isInState, rawRule } from '../../postgres/asOf.ts'
import type { SqlClient, SqlFragment } from '../../postgres/client.ts'
import { recentFiscalYear } from '../../rights/queries.ts'
import { servedPeriod } from '../fundamentals/queries.ts'
import {
  type CrossSectionScope,
  examinedCompanies,
  fits,
  lastExamined,
  laterThan,
  latestFigure,
  ofSeen,
  trailingPeriod,
} from './queries.ts'
import { type MetricNumbers, trailingFigures } from './trailingQueries.ts'

export interface TableScope extends Omit<CrossSectionScope, 'metric'> {
  readonly metrics: readonly string[]
}

/** A part of a page: the companies after one and up to another. */
export interface TablePart extends TableScope {
  /** Null for all remaining companies of the market. */
  readonly upTo: number | null
}

/** A company with its figures as `unpackFigures` reads them. */
export interface PackedCompany {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly recent: Uint8Array | null
  readonly before: Uint8Array | null
}

/** `examined` is as for a single metric. */
type Answer = { readonly version: string; readonly examined: number | null } & (
  | PackedCompany
  | { readonly entityId: null }
)

export interface ReadCompanies {
  readonly version: number
  readonly examined: number | null
  readonly companies: PackedCompany[]
}

/** The companies that have any of the metrics, in order of first import. */
export async function readCompanies(
  sql: SqlClient,
  part: TablePart,
  metrics: readonly MetricNumbers[],
): Promise<ReadCompanies> {
  const answer = await sql<Answer[]>`${tableStatement(sql, part, metrics)}`
  // Sorted here, because the database would sort the rows of a large page on disk.
  const companies = answer
    .flatMap(row => (row.entityId === null ? [] : [row]))
    .sort((a, b) => a.entityId - b.entityId)
  return { version: Number(answer[0].version), examined: answer[0].examined, companies }
}

export interface NumberedMetric extends MetricNumbers {
  readonly name: string
}

export async function numberedMetrics(sql: SqlClient, names: readonly string[]): Promise<NumberedMetric[]> {
  return sql`
    select m.metric_id as id, t.metric_id as "trailingId", m.name
    from metric m left join metric t on t.name = m.name || '_ttm'
    where m.name = any(${[...names]})`
}

/** The numbers of the companies that end each part of this size, up to the end of the page. */
export async function partEnds(
  sql: SqlClient,
  { market, after, limit }: TableScope,
  companiesPerPart: number,
): Promise<number[]> {
  const ends = await sql<{ id: number }[]>`
    select id from (
      select entity_id as id, row_number() over (order by entity_id) as place
      from entity where market = ${market} ${after === null ? sql`` : sql`and entity_id > ${after}`}
      order by entity_id limit ${limit}) e
    where place % ${companiesPerPart}::int = 0
    order by id`
  return ends.map(({ id }) => id)
}

/** The names of units by number. */
export async function unitNames(sql: SqlClient): Promise<ReadonlyMap<number, string>> {
  const units = await sql<{ id: number; name: string }[]>`select unit_id as id, name from unit`
  return new Map(units.map(({ id, name }) => [id, name]))
}

/** Almost every company has filed a full year within this many days before the day. */
const usualAgeDays = 460
/** Slack for rounded ends: no period is known before it ends, apart from these days. */
const roundedDays = 31

/**
 * Companies are read in the order of the index entity_of_market. The recent figures of all metrics of a
 * company are a single range of fact_company, where the index skips older ones. Only metrics without recent
 * figures are looked up individually, one probe each. `bench/crossSection.ts --explain` shows the plan.
 */
export function tableStatement(
  sql: SqlClient,
  scope: TablePart,
  metrics: readonly MetricNumbers[],
): SqlFragment {
  const ids = metrics.map(({ id }) => id)
  const { market, after, upTo, limit, asOf, from } = scope
  const lower = laterThan(sql, market, after)
  const upper = upTo === null ? sql`` : sql`and e.entity_id <= ${upTo}`
  const usual = addDays(dayOf(asOf), -usualAgeDays)
  const since = from !== null && from > usual ? from : usual
  // If the requested bound is at least as recent, nothing older is needed.
  const isBounded = from === since
  const older = isBounded
    ? sql`select null::bytea as cells`
    : sql`
      select string_agg(${packed(sql, scope)}, '') as cells
      from unnest(${ids}::smallint[]) w(metric_id)
      cross join lateral (${latestFigure(sql, { ...scope, checks: null }, sql`w.metric_id`, sql`e.entity_id`, sql`and f.period_end < ${since}`)}) f
      where a.seen is null or not ${ids}::smallint[] <@ a.seen`
  const kept = fits(sql, scope, sql`e.entity_id`, sql``)
  const page = sql`
    select e.entity_id, e.ticker, e.issuer_id, a.cells as recent, b.cells as before
    from entity e
    cross join lateral (
      select string_agg(${packed(sql, scope)}, '') as cells, array_agg(f.metric_id) as seen
      from (${figuresOf(sql, scope, metrics, since)}) f) a
    cross join lateral (${older}) b
    where e.market = ${market} ${lower} ${upper} ${ofSeen(sql, scope)} and (a.cells is not null or b.cells is not null) ${kept}
    order by e.entity_id
    limit ${limit}`
  const recent = scope.recentFiscalYearOnly
  return sql`
    ${recent ? examinedCompanies(sql, scope) : sql``}
    select d.version, ${recent ? lastExamined(sql) : sql`null::int`} as examined, r.entity_id as "entityId", r.ticker, r.issuer_id as "issuerId", r.recent, r.before
    from data_version d left join (${recent ? ofRecentYear(sql, scope, metrics) : page}) r on true`
}

/**
 * All figures of a company `e` that are current on the day and end on or after a day. The company is written
 * as a range of one: with an equality the planner chooses fact_cross_section, in which a company's metrics
 * are scattered, and takes more than twice as long.
 */
function figuresOf(
  sql: SqlClient,
  { asOf, fp }: TableScope,
  metrics: readonly MetricNumbers[],
  since: IsoDate | null,
): SqlFragment {
  const before = addDays(dayOf(asOf), roundedDays)
  if (fp === trailingPeriod) return trailingFigures(sql, asOf, metrics, { since, before })
  const ids = metrics.map(({ id }) => id)
  const period = servedPeriod(sql, fp === null ? null : [fp])
  const wanted = fp === null ? sql`` : sql`and ${period} = ${fp}`
  const bound = since === null ? sql`` : sql`and f.period_end >= ${since}`
  return sql`
    select f.metric_id, f.fy, ${period} as fp, f.period_end, f.filed, f.value, f.unit_id, f.is_earlier, f.check_state ${rawRule(sql, asOf)}
    from ${factsAsOf(sql, asOf)} f
    where f.entity_id >= e.entity_id and f.entity_id <= e.entity_id and f.metric_id = any(${ids}::smallint[])
      and f.current ${wanted} ${bound} and f.period_end <= ${before}`
}

/** The companies with figures of their most recent fiscal year, by the same rule as for a single metric. */
function ofRecentYear(sql: SqlClient, scope: TablePart, metrics: readonly MetricNumbers[]) {
  const figures = figuresOf(sql, scope, metrics, scope.from)
  return sql`
    select e.entity_id, e.ticker, e.issuer_id, c.cells as recent, null::bytea as before
    from examined e
    cross join lateral (
      select ${recentFiscalYear(sql, scope.asOf, sql`e.entity_id`)} as fy where exists (select from (${figures}) any_year)) y
    cross join lateral (
      select string_agg(${packed(sql, scope)}, '') as cells from (${figures}) f where f.fy = y.fy) c
    where c.cells is not null ${fits(sql, scope, sql`e.entity_id`, sql`and f.fy = y.fy`)}
    order by e.entity_id
    limit ${scope.limit}`
}

/**
 * Packs a figure `f` as `unpackFigures` reads it: writing and reading arrays of numbers would take longer
 * than finding them.
 */
const packed = (sql: SqlClient, { asOf, checks = null }: Pick<TableScope, 'asOf' | 'checks'>) => {
  const rule = isInstant(asOf) ? sql`+ case when f.by_time then 32 else 0 end` : sql``
  const state =
    checks === null
      ? sql``
      : sql`+ case when true ${isInState(sql, sql`f.check_state`, checkCodesOf(checks))} then 0 else 64 end`
  return sql`
  int2send(f.metric_id) || float8send(f.value) || int4send(f.period_end - date '1970-01-01')
  || int4send(f.filed - date '1970-01-01') || int2send(f.fy) || int2send((f.fp + case when f.is_earlier then 16 else 0 end ${rule} ${state})::int2) || int2send(f.unit_id)`
}
