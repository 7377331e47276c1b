import type { Sql } from '../postgres/client.ts'

export interface WantedHits {
  readonly subject: string
  readonly wanted: number
  readonly perMinute: number
  readonly perDay: number | null
}

/** A counter after the hits that were granted. */
export interface Counter {
  readonly subject: string
  readonly granted: number
  /** Since 1970, of the minute that `used` counts. */
  readonly minute: number
  readonly used: number
  readonly used_before: number
  readonly used_today: number
  /** The database's clock, seconds since 1970. */
  readonly at: number
}

/** Grants, for each subject, as many of the wanted hits as its limits leave, in one statement and exactly, whoever
 * else asks at the same time. `clockSeconds` is for tests; the database's own clock counts. */
export async function takeHits(
  sql: Sql,
  hits: readonly WantedHits[],
  clockSeconds: number | null = null,
): Promise<Counter[]> {
  const sorted = hits.length > 1 ? hits.toSorted((a, b) => (a.subject < b.subject ? -1 : 1)) : hits
  const rows = await sql<Counter[]>`
    select subject, granted, minute::float8 as minute, used, used_before, used_today, at
    from take_hits(
      ${sorted.map(hit => hit.subject)}::text[], ${sorted.map(hit => hit.wanted)}::int[],
      ${sorted.map(hit => hit.perMinute)}::int[], ${sorted.map(hit => hit.perDay)}::int[],
      ${clockSeconds}::float8)`
  return [...rows]
}

/** Drops counters of days before yesterday, at most `most` of them. Counters in use are passed over, so the broom
 * never waits for a request and no request for it. */
export async function forgetCounters(sql: Sql, most: number): Promise<number> {
  const gone = await sql`
    delete from limit_counter where subject in (
      select subject from limit_counter
      where day < floor(extract(epoch from now()) / 86400) - 1
      limit ${most} for update skip locked)`
  return gone.count
}
