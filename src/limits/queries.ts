import type { Sql } from '../postgres/client.ts'

export interface HitRequest {
  readonly subject: string
  /** Negative hits are given back. */
  readonly wanted: number
  /** Whether the wanted hits are granted all or none. */
  readonly whole?: boolean
  readonly perMinute: number
  readonly perDay: number | null
}

/** The counter of a subject after its granted hits. */
export interface HitCounter {
  readonly subject: string
  readonly granted: number
  /** The minute that `used` counts, in minutes since 1970. */
  readonly minute: number
  readonly used: number
  readonly used_before: number
  readonly used_today: number
  /** The database clock, in seconds since 1970. */
  readonly at: number
}

/** Grants each subject as many of the wanted hits as its limits allow, and returns the counters in the order
 * of the requests. A single query does it, and stays exact when other servers count at the same time.
 *
 * @param clockSeconds replaces the database clock in tests */
export async function takeHits(
  sql: Sql,
  hits: readonly HitRequest[],
  clockSeconds: number | null = null,
): Promise<HitCounter[]> {
  const order = Array.from(hits, (_, index) => index)
  if (hits.length > 1) order.sort((a, b) => bySubject(hits[a], hits[b]))
  const sorted = order.map(index => hits[index])
  const rows = await sql<HitCounter[]>`
    select subject, granted, minute::float8 as minute, used, used_before, used_today, at
    from take_hits(
      ${sorted.map(hit => hit.subject)}::text[], ${sorted.map(hit => hit.wanted)}::int[],
      ${sorted.map(hit => hit.perMinute)}::int[], ${sorted.map(hit => hit.perDay)}::int[],
      ${clockSeconds}::float8, ${sorted.map(hit => (hit.whole === true ? 1 : 0))}::int[]::bool[])
      with ordinality as t (
        subject, minute, used, used_before, day, used_today, granted, at, place)
    order by place`
  const counters = new Array<HitCounter>(rows.length)
  for (const [i, row] of rows.entries()) counters[order[i]] = row
  return counters
}

/** Keeps the hits of one subject in their order of arrival. */
function bySubject(a: HitRequest, b: HitRequest): number {
  if (a.subject === b.subject) return 0
  return a.subject < b.subject ? -1 : 1
}

/** Deletes counters from before yesterday, at most `limit` of them. Skips locked counters, so it never waits
 * for a request. */
export async function deleteOldCounters(sql: Sql, limit: number): Promise<number> {
  const deleted = await sql`
    delete from limit_counter where subject in (
      select subject from limit_counter
      where day < floor(extract(epoch from now()) / 86400) - 1
      limit ${limit} for update skip locked)`
  return deleted.count
}
