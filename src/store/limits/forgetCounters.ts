import type { Sql } from '../database.ts'

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
