import { setPriority } from 'node:os'
import type { Sql } from '../client.ts'

/** The system prefers every process of usual priority. */
const niceness = 10
/** The driver opens connections as it needs them. */
const everyMs = 500

/** Makes the system prefer other processes to those of the database that work for this pool, now and as it opens more connections.
 * Only for the embedded database, whose processes are on this machine, and for a pool with a name of its own. Some systems refuse, and then
 * nothing changes. Returns the function that stops this; processes stay as they are until their connections close.*/
export function lowerBackends(sql: Sql): () => void {
  const lowered = new Set<number>()
  let isReading = false
  const lower = async () => {
    if (isReading) return
    isReading = true
    try {
      const backends = await sql<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name = current_setting('application_name')`
      for (const { pid } of backends) {
        if (lowered.has(pid)) continue
        lowered.add(pid)
        setPriority(pid, niceness)
      }
    } catch {
      // A lost connection is reported by the work itself.
    } finally {
      isReading = false
    }
  }
  lower()
  const timer = setInterval(lower, everyMs)
  return () => clearInterval(timer)
}
