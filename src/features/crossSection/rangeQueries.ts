import { addDays } from '../../dates.ts'
import { dayOf, isInstant } from '../../instants.ts'
import { factsAsOf, namedRule, rawRule } from '../../postgres/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'
import {
  type CrossSectionPage,
  type CrossSectionRow,
  type CrossSectionScope,
  crossSectionRows,
  latestFigure,
} from './queries.ts'

/** Smaller pages are read company by company; either way takes a few milliseconds. */
const minCompaniesByRange = 1_000
/** Extra companies that one statement reads beyond those still missing, because some have no figure. */
const spareShare = 0.05
const maxRanges = 8
/** If other markets own too many of the numbers in between, a range would read mostly their figures. */
const maxNumbersPerCompany = 3
/** Almost every company has filed a full year within this many days before the day. */
const usualAgeDays = 460
/** Earlier days would underflow year 1. */
const firstDay = '0003-01-01'

/**
 * One page: a row for each company that has one, in order of first import.
 *
 * @param minCompanies page size from which ranges are read
 */
export async function readPage(
  sql: SqlClient,
  scope: CrossSectionScope,
  minCompanies = minCompaniesByRange,
): Promise<CrossSectionPage> {
  const page = scope.limit < minCompanies ? null : await readByRanges(sql, scope)
  return page ?? (await crossSectionRows(sql, scope))
}

/**
 * The full years of a large page, read by ranges of companies: the database reads a range's pages in disk
 * order and several at a time, whereas single probes wait for each page. Returns null if such a page cannot
 * be read this way, or if an import committed between two statements and their data versions differ.
 */
async function readByRanges(sql: SqlClient, scope: CrossSectionScope): Promise<CrossSectionPage | null> {
  const {
    fp,
    limit,
    filters,
    sector,
    inCurrency = null,
    recentFiscalYearOnly,
    seen = null,
    checks = null,
  } = scope
  const { universe = null, grouping = null } = scope
  const ofGroups = grouping?.codes ?? null
  const isFiltered =
    filters.length > 0 || sector !== null || inCurrency !== null || universe !== null || ofGroups !== null
  const isPlain = fp === 0 && !isFiltered && !recentFiscalYearOnly && seen === null && checks === null
  if (!isPlain) return null
  const rows: CrossSectionRow[] = []
  let after = scope.after ?? 0
  let version: number | null = null
  for (let count = 0; count < maxRanges; count++) {
    const wanted = Math.ceil((limit + 1 - rows.length) * (1 + spareShare))
    const range = await findRange(sql, scope.market, after, wanted)
    version ??= range.version
    if (range.version !== version) return null
    if (range.companies > 0) {
      if (range.last - range.first > maxNumbersPerCompany * range.companies) return null
      const found = await readRange(sql, scope, range)
      if (found.version !== version) return null
      for (const row of found.rows) rows.push(row)
      after = range.last
    }
    const isLast = range.companies < wanted
    if (rows.length <= limit && !isLast) continue
    const onPage = rows.slice(0, limit)
    return {
      dataVersion: version,
      rows: onPage,
      next: rows.length > limit ? (onPage.at(-1)?.entityId ?? null) : null,
    }
  }
  return null
}

interface CompanyRange {
  readonly version: number
  readonly companies: number
  readonly first: number
  readonly last: number
}

async function findRange(
  sql: SqlClient,
  market: string,
  after: number,
  companies: number,
): Promise<CompanyRange> {
  const [row] = await sql<[CompanyRange]>`
    select d.version::int as version, r.*
    from data_version d cross join (
      select count(*)::int as companies, min(entity_id) as first, max(entity_id) as last
      from (select entity_id from entity where market = ${market} and entity_id > ${after} order by entity_id limit ${companies}) e) r`
  return row
}

type Answer = (CrossSectionRow | { readonly entityId: null }) & { readonly version: string }

/**
 * One scan covers the recent years of all companies in a range; only companies without any are looked up
 * individually.
 */
async function readRange(
  sql: SqlClient,
  scope: CrossSectionScope,
  { first, last }: CompanyRange,
): Promise<{ readonly version: number; readonly rows: readonly CrossSectionRow[] }> {
  const { asOf, market, from } = scope
  const metricId = sql`(select metric_id from metric where name = ${scope.metric})`
  const usual = addDays(asOf < firstDay ? firstDay : dayOf(asOf), -usualAgeDays)
  // If the requested bound is at least as recent, nothing older is needed.
  const isBounded = from !== null && from > usual
  const since = isBounded ? from : usual
  const ofRange = sql`e.market = ${market} and e.entity_id between ${first} and ${last}`
  const older = latestFigure(sql, scope, metricId, sql`e.entity_id`, sql`and f.period_end < ${since}`)
  const others = isBounded
    ? sql``
    : sql`
      union all
      select e.entity_id, e.ticker, e.issuer_id, l.fy, l.fp, l.period_end, l.filed, l.value, l.unit_id, l.tag_id, l.is_earlier
             ${isInstant(asOf) ? sql`, l.by_time` : sql``}
      from entity e cross join lateral (${older}) l
      where ${ofRange} and not exists (select from recent where recent.entity_id = e.entity_id)`
  const answer = await sql<Answer[]>`
    with recent as materialized (
      select distinct on (f.entity_id) f.entity_id, f.fy, f.fp, f.period_end, f.filed, f.value, f.unit_id, f.tag_id, f.is_earlier ${rawRule(sql, asOf)}
      from ${factsAsOf(sql, asOf)} f
      where f.metric_id = ${metricId} and f.entity_id between ${first} and ${last}
        and f.current and f.fp = 0 and f.period_end >= ${since}
      order by f.entity_id, f.period_end desc)
    select d.version, r.entity_id as "entityId", r.ticker, r.issuer_id as "issuerId", r.fy, r.fp,
           r.period_end as "end", r.filed, r.value, u.name as unit, r.tag_id is null as derived, r.is_earlier as earlier
           ${namedRule(sql, asOf, 'r')}
    from data_version d left join (
      select e.entity_id, e.ticker, e.issuer_id, n.fy, n.fp, n.period_end, n.filed, n.value, n.unit_id, n.tag_id, n.is_earlier
             ${isInstant(asOf) ? sql`, n.by_time` : sql``}
      from recent n join entity e on e.entity_id = n.entity_id
      where ${ofRange}
      ${others}) r on true
    left join unit u on u.unit_id = r.unit_id
    order by r.entity_id`
  const rows = answer.flatMap(({ version: _, ...row }) => (row.entityId === null ? [] : [row]))
  return { version: Number(answer[0].version), rows }
}
