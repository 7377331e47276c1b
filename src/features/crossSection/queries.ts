import type { IsoDate } from '../../dates.ts'
import { checkCodesOf } from '../../facts/factRow.ts'
import { type AsOf, lastWholeDay } from '../../instants.ts'
import type { CheckState } from '../../markets/checkStates.ts'
import type { CompanyState } from '../../markets/companyStates.ts'
import { codeRanges, type Grouping } from '../../markets/industries.ts'
import { factsAsOf, isInState, namedRule, rawRule } from '../../postgres/asOf.ts'
import type { SqlClient, SqlFragment } from '../../postgres/client.ts'
import { statementsAsOf } from '../../postgres/statements.ts'
import type { RecentYearOnly } from '../../rights/openHistory.ts'
import { recentFiscalYear } from '../../rights/queries.ts'
import { servedPeriod } from '../fundamentals/queries.ts'
import type { Filter } from './filters.ts'
import { latestTrailing } from './trailingQueries.ts'

/** Stands for the trailing twelve months in place of a fiscal period. */
export const trailingPeriod = 5

export interface CrossSectionScope {
  readonly metric: string
  readonly market: string
  readonly asOf: AsOf
  /**
   * 0 for the year, 1 to 4 for a quarter, 5 for the trailing twelve months; null for the latest period of any
   * kind.
   */
  readonly fp: number | null
  /** Earliest period end, or null. */
  readonly from: IsoDate | null
  /** The last entity of the previous page; null for the first page. */
  readonly after: number | null
  readonly limit: number
  /** If set, only each company's most recent fiscal year with a reported full year. */
  readonly recentFiscalYearOnly: RecentYearOnly
  /** Figures that a company must have, for the same periods. */
  readonly filters: readonly Filter[]
  /** A prefix of the SIC code stated in the latest filing up to the day; null for any. */
  readonly sector: string | null
  /** Only companies in one of its groups, by the same SIC codes as the column `group`; null or absent for any. */
  readonly grouping?: Grouping | null
  /** Only companies in one of these states on the day; null or absent for any. */
  readonly universe?: readonly CompanyState[] | null
  /** The rule that some of the company's figures must be in one currency; null or absent for any. */
  readonly inCurrency?: CurrencyRule | null
  /**
   * The currency of bounds on amounts. Amounts in other currencies pass such bounds. If null or absent,
   * bounds apply to the bare numbers.
   */
  readonly boundsIn?: CurrencyRule | null
  /** States of figures; figures in others are left out, and no earlier one takes their place. Null or absent for all. */
  readonly checks?: readonly CheckState[] | null
  /** The only companies to read; null or absent for all of the market. */
  readonly seen?: readonly number[] | null
}

/** The figures of a company that must share one currency, so that amounts in two are never compared. */
export interface CurrencyRule {
  readonly code: string
  /** Money metrics. All that a company has must be in the currency, and it must have at least one. */
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
  /** Only as of an instant: whether the figure counts by the time of its filing rather than from the end of its day. */
  readonly byTime?: boolean
}

export interface CrossSectionPage {
  readonly dataVersion: number
  readonly rows: CrossSectionRow[]
  /** The last entity on the page; null on the last page. */
  readonly next: number | null
}

type Answer = (CrossSectionRow | { readonly entityId: null }) & Head

interface Head {
  readonly version: string
  /** For keys that see only the recent fiscal year: the last company examined, if others follow it. */
  readonly examined: number | null
}

/** One page: a row for each company that has one, in order of first import. */
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

/**
 * The statement of GET /api/v1/cross-section for one metric. Companies are read in the order of the index
 * entity_of_market, and each takes one probe of fact_cross_section, next to the previous probe. A page costs only as
 * much as its own companies, however many come before it.
 * `bench/crossSection.ts --explain` shows the plan.
 */
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
           ${namedRule(sql, scope.asOf, 'r')}
    from data_version d left join (${recent ? ofRecentYear(sql, scope) : page}) r on true left join unit u on u.unit_id = r.unit_id
    order by r.entity_id`
}

/**
 * Restricts the query to companies that a key has seen, or that were found for a page. Figures of other
 * companies are not even read.
 */
export const ofSeen = (sql: SqlClient, { seen = null }: Pick<CrossSectionScope, 'seen'>): SqlFragment =>
  seen === null ? sql`` : sql`and e.entity_id = any(${[...seen]}::int[])`

/** The number of companies that a page examines for keys that see only the recent fiscal year. */
const maxExamined = 1_000

/**
 * For keys that see only the recent fiscal year, a page consists of the market's next companies, whatever figures they
 * have, because its end must not reveal anything about years that the key does not see.
 */
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

/**
 * Restricts the query to the companies after a given one. Without one, the range starts at the market's first company;
 * otherwise the planner might read companies by number alone, including all those of earlier markets.
 */
export const laterThan = (sql: SqlClient, market: string, after: number | null): SqlFragment =>
  after === null
    ? sql`and e.entity_id >= (select min(m.entity_id) from entity m where m.market = ${market})`
    : sql`and e.entity_id > ${after}`

/** Determines which figure of a company counts. */
export type FigureScope = Pick<
  CrossSectionScope,
  | 'asOf'
  | 'fp'
  | 'from'
  | 'filters'
  | 'sector'
  | 'grouping'
  | 'universe'
  | 'inCurrency'
  | 'boundsIn'
  | 'checks'
>

/** A company's latest figure that was current on the day. */
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
  const { asOf, fp, from, checks = null } = scope
  if (fp === trailingPeriod)
    return inStates(sql, checks, latestTrailing(sql, scope, metricId, entityId, more))
  const period = servedPeriod(sql, fp === null ? null : [fp])
  const wanted = fp === null ? sql`` : sql`and ${period} = ${fp}`
  const since = from === null ? sql`` : sql`and f.period_end >= ${from}`
  const order = fp === null ? sql`f.period_end desc, (f.fp = 0) desc, f.fp desc` : sql`f.period_end desc`
  const latest = sql`
    select f.metric_id, f.fy, ${period} as fp, f.period_end, f.filed, f.value, f.unit_id, f.tag_id, f.is_earlier, f.check_state ${rawRule(sql, asOf)}
    from ${factsAsOf(sql, asOf)} f
    where f.metric_id = ${metricId} and f.entity_id = ${entityId}
      and f.current ${wanted} ${since} ${more}
    order by ${order}
    limit 1`
  return inStates(sql, checks, latest)
}

const inStates = (sql: SqlClient, checks: readonly CheckState[] | null, latest: SqlFragment): SqlFragment =>
  checks === null
    ? latest
    : sql`select c.* from (${latest}) c where true ${isInState(sql, sql`c.check_state`, checkCodesOf(checks))}`

/**
 * The companies with a figure of their most recent fiscal year. Determining the year costs one probe per
 * metric, so it is done only for companies that have a figure of any year.
 */
function ofRecentYear(sql: SqlClient, scope: CrossSectionScope) {
  const year = recentFiscalYear(sql, scope.asOf, sql`p.entity_id`)
  const ofYear = sql`and f.fy = y.fy`
  return sql`
    select p.entity_id, p.ticker, p.issuer_id, l.*
    from examined p
    cross join lateral (
      select ${year} as fy where exists (select from (${latestOf(sql, { ...scope, checks: null }, sql`p.entity_id`, sql``)}) any_year)) y
    cross join lateral (${latestOf(sql, scope, sql`p.entity_id`, ofYear)}) l
    where true ${fits(sql, scope, sql`p.entity_id`, ofYear)}
    order by p.entity_id
    limit ${scope.limit + 1}`
}

/**
 * Whether a company belongs to the sector and its figures are within all bounds. A demo key's bounds are
 * compared with what it sees, the most recent fiscal year: comparing them with other years would reveal
 * something about those.
 *
 * @param more further conditions on a figure `f`
 */
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
    sql`${ofSector(sql, scope, entityId)} ${ofGroups(sql, scope, entityId)} ${inUniverse(sql, scope, entityId)} ${ofCurrency(sql, scope, entityId, more)}`,
  )
}

/**
 * Restricts the query to companies whose figures are in the currency. Only the figures that are shown or compared
 * decide; the company's earlier ones may be in another currency.
 */
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

/** The units of a currency: amounts and amounts per share. */
const unitsIn = (sql: SqlClient, code: string) =>
  sql`select unit_id from unit where name ~ ${`^${code}(/|$)`}`

/**
 * Restricts the query to a sector by the SIC code of the day, as `companies/{id}` shows it. Today's code would reveal what
 * later became of the company.
 */
function ofSector(sql: SqlClient, { sector, asOf }: FigureScope, entityId: SqlFragment): SqlFragment {
  if (sector === null) return sql``
  return sql`and (${latestSector(sql, asOf, entityId)}) like ${`SIC ${sector}%`}`
}

const latestSector = (sql: SqlClient, asOf: AsOf, entityId: SqlFragment) => sql`
  select l.sector from ${statementsAsOf(sql, entityId, asOf)} l
  where l.sector is not null
  order by l.filed desc, l.accepted_at desc nulls last, l.accession desc limit 1`

function ofGroups(
  sql: SqlClient,
  { grouping = null, asOf }: FigureScope,
  entityId: SqlFragment,
): SqlFragment {
  if (grouping === null || grouping.codes === null) return sql``
  const ranges = codeRanges(grouping)
  return sql`and exists (
    select from (${latestSector(sql, asOf, entityId)}) s,
      unnest(${ranges.map(({ first }) => first)}::int[], ${ranges.map(({ last }) => last)}::int[]) r(first, last)
    where substring(s.sector from '^SIC (\\d{4})')::int between r.first and r.last)`
}

function inUniverse(
  sql: SqlClient,
  { universe = null, asOf }: FigureScope,
  entityId: SqlFragment,
): SqlFragment {
  if (universe === null) return sql``
  return sql`and exists (
    select from entity m join company_state s on s.market = m.market and s.issuer_id = m.issuer_id
    where m.entity_id = ${entityId} and s.from_day <= ${lastWholeDay(asOf)} and s.until_day > ${lastWholeDay(asOf)}
      and s.state = any(${[...universe]}::text[]))`
}

function withoutHead({ version: _, examined: __, ...row }: CrossSectionRow & Head): CrossSectionRow {
  return row
}
