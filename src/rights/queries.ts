import type { IsoDate } from '../dates.ts'
import { factsAsOf } from '../postgres/asOf.ts'
import type { Sql, SqlClient, SqlFragment } from '../postgres/client.ts'
import { primaryOf } from '../postgres/readRoute.ts'
import type { Principal } from './licences.ts'
import type { RecentYearOnly } from './openHistory.ts'

/** The current rights of a key, for work that runs long after its request: the licence may have changed
 * since. A key without a grant is free. */
export async function readPrincipal(sql: Sql, keyId: number): Promise<Principal> {
  const [row] = await sql<Omit<Principal, 'keyId'>[]>`
    select licence, quant, entity_cap as "entityCap", bulk
    from grant_that_counts(${keyId}) where starts_at <= now()`
  return { keyId, ...(row ?? { licence: 'free', quant: false, entityCap: null, bulk: false }) }
}

/** Returns true if a capped key may see these companies, that is, if those that are new to it fit under the
 * cap. Records them all together or not at all. */
export async function recordEntities(
  sql: Sql,
  keyId: number,
  entityIds: readonly number[],
  cap: number,
): Promise<boolean> {
  const [row] = await primaryOf(sql)<{ allowed: boolean }[]>`
    select record_entities(${keyId}, ${[...entityIds]}::int[], ${cap}) as allowed`
  return row.allowed
}

/** Like `recordEntities`, for a page of a market: records the companies only if the key may still see at
 * least `limit` new ones, however many of these are new.
 *
 * @param limit how many companies a page can have */
export async function recordPage(
  sql: Sql,
  keyId: number,
  entityIds: readonly number[],
  limit: number,
  cap: number,
): Promise<boolean> {
  const [row] = await primaryOf(sql)<{ allowed: boolean }[]>`
    select record_page(${keyId}, ${[...entityIds]}::int[], ${limit}, ${cap}) as allowed`
  return row.allowed
}

/** What a capped key has seen. No company is ever removed, so two lists of one key that have the same length are
 * equal. */
export interface SeenEntities {
  readonly seen: readonly number[]
  /** How many companies that is: all registrants of a lineage are one. */
  readonly lineages: number
}

export async function seenEntities(sql: Sql, keyId: number): Promise<SeenEntities> {
  const [row] = await primaryOf(sql)<[{ seen: number[]; lineages: number }]>`
    select coalesce(array_agg(entity_id order by entity_id), '{}') as seen, lineages_seen(${keyId}) as lineages
    from key_entity where key_id = ${keyId}`
  return row
}

/** A SQL condition that restricts a company's figures to the fiscal years that the caller may see.
 *
 * @param fiscalYear the column */
export const shownYears = (
  sql: SqlClient,
  recentYearOnly: RecentYearOnly,
  fiscalYear: SqlFragment,
  asOf: IsoDate,
  entityId: SqlFragment | number,
): SqlFragment => (recentYearOnly ? sql`and ${fiscalYear} = ${recentFiscalYear(sql, asOf, entityId)}` : sql``)

/** The fiscal year of the latest full year known on that day. Durations take precedence over instants,
 * because the date of a share count on a cover page belongs to no full year. If no full year is known, the
 * latest fiscal year of all. */
export function recentFiscalYear(sql: SqlClient, asOf: IsoDate, entityId: SqlFragment | number) {
  return sql`
    coalesce(
      (select y.fy
       from metric ym cross join lateral (
         select f.fy, f.period_end, f.period_start from ${factsAsOf(sql, asOf)} f
         where f.entity_id = ${entityId} and f.metric_id = ym.metric_id and f.fp = 0
         order by f.period_end desc limit 1) y
       where not ym.is_trailing
       order by (y.period_start is not null) desc, y.period_end desc, y.fy desc limit 1),
      (select max(f.fy) from ${factsAsOf(sql, asOf)} f where f.entity_id = ${entityId}))`
}
