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
/** Limits one run, so that its statement stays short; the next run deletes the rest. */
const maxCounters = 10_000
const maxPanels = 64
const maxSignIns = 10_000
const maxSyncRuns = 1_000
const maxPastRows = 50_000

/** Regularly deletes the limit counters of past days. If a run fails, the next one catches up. Returns a
 * function that stops the cleanup. */
export function deleteOldCounters(sql: Sql): () => void {
  return every(() => deleteCounters(sql, maxCounters))
}

/** Deletes panels that have not been used for their retention time, at the start and then regularly. If a run
 * fails, the next one catches up; an expired panel is never served anyway. Returns a function that stops the
 * cleanup. */
export function deleteUnusedPanels(sql: Sql): () => void {
  deletePanels(sql, maxPanels).catch(() => {})
  return every(() => deletePanels(sql, maxPanels))
}

/** Regularly deletes expired codes, sessions and local mail, and usage counts and sent mail past their
 * retention. Nothing that has expired is ever used anyway. Returns a function that stops the cleanup. */
export function deleteOldSignIns(sql: Sql): () => void {
  return every(async () => {
    await deleteExpired(sql, maxSignIns)
    await deleteOldUse(sql)
    await deleteOldOutbox(sql, maxSignIns)
  })
}

/** Regularly deletes `sync` runs past their retention. If a run fails, the next one catches up. Returns a
 * function that stops the cleanup. */
export function deleteOldSyncRuns(sql: Sql): () => void {
  return every(() => deleteOldRuns(sql, maxSyncRuns))
}

/** Regularly removes past rows that only data versions older than KEEP_VERSIONS need. If a run fails, the
 * next one catches up; a version is rejected before its rows are deleted. Returns a function that stops the
 * cleanup. */
export function forgetOldVersions(sql: Sql, keepVersions: number): () => void {
  return every(() => shortenHistory(sql, keepVersions, maxPastRows))
}

/** Reminds people that their evaluation is about to end, at the start and then regularly. If a run fails, the
 * next one catches up. Returns a function that stops the reminders. */
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
