import type { Sql } from '../../postgres/client.ts'

/** Whether the sample is to be loaded now: nothing has ever been imported, or an earlier load of it was cut
 * short. Notes that the load begins. */
export async function beginSampleLoad(sql: Sql): Promise<boolean> {
  const rows = await sql`
    insert into sample_load
    select where not exists (select from import_batch) or exists (select from sample_load)
    on conflict (only_row) do update set started_at = now() where sample_load.finished_at is null
    returning started_at`
  return rows.length > 0
}

export async function finishSampleLoad(sql: Sql): Promise<void> {
  await sql`update sample_load set finished_at = now()`
}
