import type { Sql } from '../../postgres/client.ts'

/** Records that a run of a market is due. If a process is already working on one, that run counts. */
export async function markDue(sql: Sql, market: string): Promise<void> {
  await sql`
    insert into sync_due (market, due_at, try_at) values (${market}, now(), now())
    on conflict (market) do update set due_at = excluded.due_at, try_at = excluded.try_at, attempts = 0
    where sync_due.process_id is null`
}

/** A run that this process has to carry out. */
export interface DueRun {
  readonly market: string
  readonly attempts: number
}

/**
 * Claims due runs that belong to no process, to a dead one, or to this one after it lost them. Of two
 * concurrent processes only one gets each.
 */
export async function claimDue(
  sql: Sql,
  processId: string,
  markets: readonly string[],
  limit: number,
): Promise<readonly DueRun[]> {
  return sql<DueRun[]>`
    update sync_due set process_id = ${processId}
    where market in (
      select market from sync_due d
      where market = any(${[...markets]}::text[]) and try_at <= now()
        and (process_id is null or process_id = ${processId}
             or not exists (select from job_process p where p.process_id = d.process_id))
      order by try_at, market limit ${limit}
      for update skip locked)
    returning market, attempts`
}

/** Removes the claim after a finished run; the schedule adds the next one at its time. */
export async function settleDue(sql: Sql, processId: string, market: string): Promise<void> {
  await sql`delete from sync_due where market = ${market} and process_id = ${processId}`
}

/** Releases the run to any process after a wait. */
export async function postponeDue(
  sql: Sql,
  processId: string,
  { market, attempts }: DueRun,
  waitMs: number,
): Promise<void> {
  await sql`
    update sync_due set process_id = null, attempts = ${attempts}, try_at = now() + ${waitMs} * interval '1 ms'
    where market = ${market} and process_id = ${processId}`
}
