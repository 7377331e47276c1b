import type { Sql } from '../store/database.ts'
import { deleteUnusedPanels } from '../store/panels/deletePanels.ts'

const everyMs = 10 * 60_000
/** A sweep stays short; what is left over is the next one's. */
const mostAtOnce = 64

/** Deletes panels that nobody used for their time, at the start and now and then. Returns what ends it. A sweep that
 * fails is left to the next: a panel whose time is over is not served either way. */
export function sweepPanels(sql: Sql): () => void {
  const sweep = () => {
    deleteUnusedPanels(sql, mostAtOnce).catch(() => {})
  }
  sweep()
  const timer = setInterval(sweep, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
