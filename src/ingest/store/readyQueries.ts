import type { SqlClient } from '../../postgres/client.ts'

/**
 * Makes the ready answers that these companies lack (`fill_ready_answers`). Triggers delete the row of a
 * company that changes; without a row, the company is served from the tables, which takes longer. Does
 * nothing during a bulk load.
 *
 * It holds the row of `data_version` for share, and does nothing while another transaction holds it for
 * update, as every change of data does. So no ready answer is made from figures that are about to change.
 */
export async function fillReadyAnswers(sql: SqlClient, entityIds: readonly number[]): Promise<void> {
  if (entityIds.length === 0) return
  await sql`select fill_ready_answers(${[...new Set(entityIds)]}::int[])`
}

/**
 * Like `fillReadyAnswers`, for the next `slice` companies of a pass through all of them. Returns whether
 * there is more to do.
 */
export async function sweepReadyAnswers(sql: SqlClient, slice: number): Promise<boolean> {
  const [{ more }] = await sql<{ more: boolean }[]>`select sweep_ready_answers(${slice}) as more`
  return more
}
