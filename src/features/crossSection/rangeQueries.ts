import { addDays } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'
import {
  type CrossSectionPage,
  type CrossSectionRow,
  type CrossSectionScope,
  crossSectionRows,
  latestFigure,
} from './queries.ts'

/** Smaller pages are read company by company: they take a few milliseconds either way. */
const minCompaniesByRange = 1_000
/** Companies of the market that one statement reads, beyond those that are missing: some have no figure. */
const spareShare = 0.05
const maxRanges = 8
/** Where numbers of companies belong to other markets by so much, a range would read mostly figures of these. */
const maxNumbersPerCompany = 3
/** In this time before the day almost every company has filed a year. */
const usualAgeDays = 460
/** Of an earlier day so long before has no year of our era. */
const firstDay = '0003-01-01'

/** One page: a row for each company that has one, in the order in which companies were first imported.
 *
 * @param minCompanies of a page that is read by ranges */
export async function readPage(
  sql: SqlClient,
  scope: CrossSectionScope,
  minCompanies = minCompaniesByRange,
): Promise<CrossSectionPage> {
  const page = scope.limit < minCompanies ? null : await readByRanges(sql, scope)
  return page ?? (await crossSectionRows(sql, scope))
}

/** The full years of a large page, by ranges of companies: the database reads the pages of a range in the order of the disk and several
 * at a time, where one probe for each company waits for each. null: such a page is not to be read like this, or an import committed between
 * two statements, which are then of two data versions. */
async function readByRanges(sql: SqlClient, scope: CrossSectionScope): Promise<CrossSectionPage | null> {
  const { fp, limit, filters, sector, inCurrency = null, recentFiscalYearOnly, seen = null } = scope
  const isFiltered = filters.length > 0 || sector !== null || inCurrency !== null
  const isPlain = fp === 0 && !isFiltered && !recentFiscalYearOnly && seen === null
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

/** The recent years of all companies of a range are one scan, and only companies that have none are looked up by themselves. */
async function readRange(
  sql: SqlClient,
  scope: CrossSectionScope,
  { first, last }: CompanyRange,
): Promise<{ readonly version: number; readonly rows: readonly CrossSectionRow[] }> {
  const { asOf, market, from } = scope
  const metricId = sql`(select metric_id from metric where name = ${scope.metric})`
  const usual = addDays(asOf < firstDay ? firstDay : asOf, -usualAgeDays)
  // With a bound that is as near, nothing older is wanted.
  const isBounded = from !== null && from > usual
  const since = isBounded ? from : usual
  const ofRange = sql`e.market = ${market} and e.entity_id between ${first} and ${last}`
  const older = latestFigure(sql, scope, metricId, sql`e.entity_id`, sql`and f.period_end < ${since}`)
  const others = isBounded
    ? sql``
    : sql`
      union all
      select e.entity_id, e.ticker, e.issuer_id, l.fy, l.fp, l.period_end, l.filed, l.value, l.unit_id, l.tag_id, l.is_earlier
      from entity e cross join lateral (${older}) l
      where ${ofRange} and not exists (select from recent where recent.entity_id = e.entity_id)`
  const answer = await sql<Answer[]>`
    with recent as materialized (
      select distinct on (f.entity_id) f.entity_id, f.fy, f.fp, f.period_end, f.filed, f.value, f.unit_id, f.tag_id, f.is_earlier
      from fact_as_of(${asOf}) f
      where f.metric_id = ${metricId} and f.entity_id between ${first} and ${last}
        and f.current and f.fp = 0 and f.period_end >= ${since}
      order by f.entity_id, f.period_end desc)
    select d.version, r.entity_id as "entityId", r.ticker, r.issuer_id as "issuerId", r.fy, r.fp,
           r.period_end as "end", r.filed, r.value, u.name as unit, r.tag_id is null as derived, r.is_earlier as earlier
    from data_version d left join (
      select e.entity_id, e.ticker, e.issuer_id, n.fy, n.fp, n.period_end, n.filed, n.value, n.unit_id, n.tag_id, n.is_earlier
      from recent n join entity e on e.entity_id = n.entity_id
      where ${ofRange}
      ${others}) r on true
    left join unit u on u.unit_id = r.unit_id
    order by r.entity_id`
  const rows = answer.flatMap(({ version: _, ...row }) => (row.entityId === null ? [] : [row]))
  return { version: Number(answer[0].version), rows }
}
