import type { Sql } from '../database.ts'

/** Says that a process lives, and under which names it locks tasks. */
export async function beat(sql: Sql, processId: string, locks: readonly string[]): Promise<void> {
  await sql`
    insert into job_process (process_id, locks) values (${processId}, ${[...locks]}::text[])
    on conflict (process_id) do update set locks = excluded.locks, seen_at = now()`
}

/** Breaks the locks of processes that have been silent for longer than that, so that others run what they ran, and returns
 * those processes. One that lives after all does no harm: what is run twice leaves what one run leaves. */
export async function releaseDead(sql: Sql, silentMs: number): Promise<string[]> {
  return sql.begin(async transaction => {
    const dead = await transaction<{ id: string }[]>`
      delete from job_process where seen_at < now() - ${silentMs} * interval '1 ms' returning process_id as id`
    // A process may have died before it could say under which name it locks.
    await transaction`
      select asfiled_queue.force_unlock_workers(array(
        select distinct locked_by from asfiled_queue.jobs q
        where locked_at < now() - ${silentMs} * interval '1 ms'
          and not exists (select from job_process where q.locked_by = any(locks))))`
    return dead.map(process => process.id)
  })
}

/** Leaves in order: what the process still holds is free at once. */
export async function leave(sql: Sql, processId: string): Promise<void> {
  await sql.begin(async transaction => {
    const [row] = await transaction<{ locks: string[] }[]>`
      delete from job_process where process_id = ${processId} returning locks`
    if (row) await transaction`select asfiled_queue.force_unlock_workers(${row.locks}::text[])`
  })
}
