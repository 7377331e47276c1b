import { answersPing } from '../store/database.ts'
import type { OpenDatabase } from './database.ts'

const everyMs = 1_000
const patienceMs = 5_000

/** Looks after the embedded database: one that has died (killed, out of memory) is started again, on its old
 * port, so the pool finds it. A database that is not ours is only ever waited for. Returns what stops the watch. */
export function superviseDatabase(database: OpenDatabase, report: (line: string) => void): () => void {
  const { embedded } = database
  if (embedded === null) return () => {}
  let busy = false
  const look = async () => {
    if (busy) return
    busy = true
    try {
      if (await answersPing(database.sql, patienceMs)) return
      report('The embedded PostgreSQL does not answer; starting it again.')
      await embedded.ensureRunning()
      report('The embedded PostgreSQL runs again.')
    } catch {
      report('The embedded PostgreSQL could not be started; trying again.')
    } finally {
      busy = false
    }
  }
  const timer = setInterval(look, everyMs)
  return () => clearInterval(timer)
}
