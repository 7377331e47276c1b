import { beginRun, endRun, type NewRun, noteRun, recordFailedRun } from '../features/syncs/runQueries.ts'
import { describeFailure, outcomeOf } from '../ingest/sync/outcome.ts'
import { SyncBusy, type SyncSummary } from '../ingest/sync/syncRegister.ts'
import type { Sql } from '../postgres/client.ts'

const noteEveryMs = 5_000

/**
 * Runs a manual or scheduled sync and records its beginning, progress and end.
 *
 * @param sync calls its argument once no other process can fetch from the register
 */
export async function recordedSync(
  sql: Sql,
  run: NewRun,
  signal: AbortSignal,
  sync: (onSummary: (summary: SyncSummary) => Promise<void>) => Promise<SyncSummary>,
): Promise<SyncSummary> {
  const begun: { id: string | null } = { id: null }
  let counts = () => ({ documents: 0, facts: 0 })
  let noting: Promise<void> | null = null
  const timer = setInterval(() => {
    if (begun.id === null) return
    noting ??= noteRun(sql, begun.id, counts())
      .catch(() => {})
      .finally(() => {
        noting = null
      })
  }, noteEveryMs)
  try {
    const summary = await sync(async growing => {
      counts = () => ({ documents: growing.imported.documents, facts: growing.imported.factsAdded })
      begun.id = await beginRun(sql, run)
    })
    if (begun.id !== null) await endRun(sql, begun.id, { ...outcomeOf(summary, signal.aborted), ...counts() })
    return summary
  } catch (error) {
    const reason = describeFailure(error)
    // The caller must see the failure itself, even if it cannot be recorded.
    if (begun.id !== null)
      await endRun(sql, begun.id, { outcome: 'failed', reason, ...counts() }).catch(() => {})
    else if (run.isScheduled && !(error instanceof SyncBusy))
      await recordFailedRun(sql, run, reason).catch(() => {})
    throw error
  } finally {
    clearInterval(timer)
    await noting
  }
}
