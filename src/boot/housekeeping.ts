import { deleteUnusedPanels as deletePanels } from '../features/panels/queries.ts'
import { deleteOldCounters as deleteCounters } from '../limits/queries.ts'
import type { Sql } from '../postgres/client.ts'

const everyMs = 10 * 60_000
/** Bounds one run, so that its statement stays short; the next run deletes the rest. */
const maxCounters = 10_000
const maxPanels = 64

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

function every(work: () => Promise<unknown>): () => void {
  const timer = setInterval(() => {
    work().catch(() => {})
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
