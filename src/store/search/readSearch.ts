import type { Sql, TransactionSql } from '../database.ts'

/** Statements of one search. Every one of them has an index; a scan of all names is never the better plan,
 * though the planner would take one for a common word, and workers take longer
 * to start than a search does. To plan anew for each query would take longer than to answer it, and finds the same plan. */
export function readSearch<T>(sql: Sql, work: (transaction: TransactionSql) => Promise<T>): Promise<T> {
  return sql.begin('read only', async transaction => {
    await transaction
      .unsafe(
        'set local enable_seqscan = off; set local max_parallel_workers_per_gather = 0; set local jit = off; set local plan_cache_mode = force_generic_plan',
      )
      .simple()
    return work(transaction)
  }) as Promise<T>
}
