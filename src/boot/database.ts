import type { Config } from '../config.ts'
import { migrateQueue } from '../features/backtests/jobs/queue.ts'
import { answersPing, checkServer, connect, type Sql } from '../postgres/client.ts'
import { openCluster } from '../postgres/embedded/cluster.ts'
import { explainOpening, withoutPassword } from '../postgres/errors.ts'
import { migrate } from '../postgres/migrations.ts'

export interface OpenDatabase {
  readonly sql: Sql
  readonly url: string
  /** null where DATABASE_URL names the server: then it is not ours to start or stop. */
  readonly embedded: { ensureRunning(): Promise<void> } | null
  close(): Promise<void>
}

/** Opens the database of the settings, migrated: the one that DATABASE_URL names, else the embedded one, which
 * every process on the same DATA_DIR shares. */
export async function openDatabase(
  config: Config,
  statementTimeoutMs: number,
  announce: (line: string) => void,
): Promise<OpenDatabase> {
  const cluster = config.databaseUrl === null ? await openCluster(config.dataDir, announce) : null
  const url = config.databaseUrl ?? cluster?.url ?? ''
  const sql = connect({ url, connections: config.databaseConnections, statementTimeoutMs })
  const close = async () => {
    await sql.end({ timeout: 5 })
    await cluster?.close()
  }
  try {
    if (cluster === null) await checkServer(sql)
    const applied = await migrate(sql)
    if (applied.length > 0) {
      await migrateQueue(url)
      announce(`Migrated the database (${applied.length} steps).`)
    }
  } catch (error) {
    await close()
    throw explainOpening(error, withoutPassword(url)) ?? error
  }
  return { sql, url, embedded: cluster, close }
}

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
