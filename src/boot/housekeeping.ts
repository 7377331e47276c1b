import { deleteExpired } from '../features/account/mailQueries.ts'
import { deleteOldOutbox } from '../features/account/outboxQueries.ts'
import { deleteOldUse } from '../features/account/usageQueries.ts'
import { queueReminders } from '../features/orders/reminderQueries.ts'
import { deleteUnusedPanels as deletePanels } from '../features/panels/queries.ts'
import { deleteOldRuns } from '../features/syncs/runQueries.ts'
import { deleteOldCounters as deleteCounters } from '../limits/queries.ts'
import type { Sql } from '../postgres/client.ts'
import { shortenHistory } from '../postgres/pins/pinQueries.ts'

const everyMs = 10 * 60_000
/** Bounds one run, so that its statement stays short; the next run deletes the rest. */
const maxCounters = 10_000
const maxPanels = 64
const maxSignIns = 10_000
const maxSyncRuns = 1_000
const maxPastRows = 50_000

/** Deletes the limit counters of past days at regular intervals. If a run fails, the next one does its work. Returns the
 * function that stops this. */
export function deleteOldCounters(sql: Sql): () => void {
  return every(() => deleteCounters(sql, maxCounters))
}

/** Deletes panels that were not used for their retention time, at the start and then at regular intervals. If a run fails,
 * the next one does its work: an expired panel is not served in any case. Returns the function that stops this. */
export function deleteUnusedPanels(sql: Sql): () => void {
  deletePanels(sql, maxPanels).catch(() => {})
  return every(() => deletePanels(sql, maxPanels))
}

/** Deletes codes, sessions and local mail that have expired, and counts of use and sent mail past their retention, at regular intervals. What
 * has expired is of no use in any case. Returns the function that stops this. */
export function deleteOldSignIns(sql: Sql): () => void {
  return every(async () => {
    await deleteExpired(sql, maxSignIns)
    await deleteOldUse(sql)
    await deleteOldOutbox(sql, maxSignIns)
  })
}

/** Deletes runs of `sync` past their retention at regular intervals. If a run fails, the next one does its work. Returns the function
 * that stops this. */
export function deleteOldSyncRuns(sql: Sql): () => void {
  return every(() => deleteOldRuns(sql, maxSyncRuns))
}

/** Removes past rows that only older data versions need than those of KEEP_VERSIONS, at regular intervals. If a run fails, the next one
 * does its work: versions are refused before their rows go. Returns the function that stops this. */
export function forgetOldVersions(sql: Sql, keepVersions: number): () => void {
  return every(() => shortenHistory(sql, keepVersions, maxPastRows))
}

/** Reminds people of the end of their evaluation, at the start and then at regular intervals. If a run fails, the next one does its
 * work. Returns the function that stops this. */
export function remindOfEnds(sql: Sql, settings: { readonly baseUrl: string }): () => void {
  const remind = () => queueReminders(sql, settings.baseUrl)
  remind().catch(() => {})
  return every(remind)
}

function every(work: () => Promise<unknown>): () => void {
  const timer = setInterval(() => {
    work().catch(() => {})
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
