import type { Sql } from '../store/database.ts'
import { forgetCounters } from '../store/limits/forgetCounters.ts'

const everyMs = 10 * 60_000
/** A sweep stays short; what is left over is the next one's. */
const mostAtOnce = 10_000

/** Drops counters of days gone by, now and then. Returns what ends it. A sweep that fails is left to the next. */
export function sweepCounters(sql: Sql): () => void {
  const timer = setInterval(() => {
    forgetCounters(sql, mostAtOnce).catch(() => {})
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
