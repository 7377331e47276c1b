import { deleteUnusedPanels } from '../features/panels/queries.ts'
import { forgetCounters } from '../limits/queries.ts'
import type { Sql } from '../postgres/client.ts'

const everyMs = 10 * 60_000
/** A sweep stays short; what is left over is the next one's. */
const maxCounters = 10_000

/** Drops counters of days gone by, now and then. Returns what ends it. A sweep that fails is left to the next. */
export function sweepCounters(sql: Sql): () => void {
  const timer = setInterval(() => {
    forgetCounters(sql, maxCounters).catch(() => {})
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** A sweep stays short; what is left over is the next one's. */
const maxPanels = 64

/** Deletes panels that nobody used for their time, at the start and now and then. Returns what ends it. A sweep that
 * fails is left to the next: a panel whose time is over is not served either way. */
export function sweepPanels(sql: Sql): () => void {
  const sweep = () => {
    deleteUnusedPanels(sql, maxPanels).catch(() => {})
  }
  sweep()
  const timer = setInterval(sweep, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
