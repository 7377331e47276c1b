import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import { migrateQueue } from '../jobs/queue.ts'
import { assertSupportedServer, connect, isReachable, type Sql } from '../postgres/client.ts'
import { type EmbeddedCluster, openCluster } from '../postgres/embedded/cluster.ts'
import { hasCluster } from '../postgres/embedded/folder.ts'
import { explainConnectError, withoutPassword } from '../postgres/errors.ts'
import { migrate } from '../postgres/migrations.ts'

export interface OpenDatabase {
  readonly sql: Sql
  readonly url: string
  /** null if DATABASE_URL names the server: that one is never started or stopped here. */
  readonly embedded: Pick<EmbeddedCluster, 'ensureRunning' | 'location'> | null
  close(): Promise<void>
}

/** Opens and migrates the database of the settings: the one that DATABASE_URL names, else the embedded one, which all processes on the
 * same DATA_DIR share.
 *
 * @param ifMissing whether an embedded database may be created. A command that created one in the wrong folder would write keys and
 * figures that no server knows. */
export async function openDatabase(
  config: Config,
  statementTimeoutMs: number,
  announce: (line: string) => void,
  ifMissing: 'create' | 'fail' = 'create',
): Promise<OpenDatabase> {
  if (config.databaseUrl === null && ifMissing === 'fail' && !hasCluster(config.dataDir))
    throw new Failure(
      'database_unavailable',
      `DATA_DIR=${config.dataDir} contains no database. Start the server first, or set DATABASE_URL.`,
    )
  const cluster = config.databaseUrl === null ? await openCluster(config.dataDir, announce) : null
  const url = config.databaseUrl ?? cluster?.url ?? ''
  const sql = connect({ url, connections: config.databaseConnections, statementTimeoutMs })
  const close = async () => {
    await sql.end({ timeout: 5 })
    await cluster?.close()
  }
  try {
    if (cluster === null) await assertSupportedServer(sql)
    const applied = await migrate(sql, () => migrateQueue(url))
    if (applied.length > 0) announce(`Migrated the database (${applied.length} steps).`)
  } catch (error) {
    await close()
    throw explainConnectError(error, withoutPassword(url)) ?? error
  }
  return { sql, url, embedded: cluster, close }
}

/** Names the database of the settings in one line, without user and password. */
export function describeDatabase({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === null
    ? `Database: embedded PostgreSQL (DATA_DIR=${dataDir})`
    : `Database: ${withoutPassword(databaseUrl)} (DATABASE_URL)`
}

const everyMs = 1_000
const pingTimeoutMs = 5_000

/** Restarts the embedded database when it dies (killed, out of memory), on the same port so that open pools reconnect. A database that
 * DATABASE_URL names is left alone. Returns the function that stops this. */
export function superviseDatabase(database: OpenDatabase, report: (line: string) => void): () => void {
  const { embedded } = database
  if (embedded === null) return () => {}
  let busy = false
  let reported = ''
  const check = async () => {
    if (busy) return
    busy = true
    try {
      if (await isReachable(database.sql, pingTimeoutMs)) return
      if (reported === '') report('The embedded PostgreSQL does not respond; restarting it.')
      await embedded.ensureRunning()
      reported = ''
      report('The embedded PostgreSQL is running again.')
    } catch (error) {
      const reason = error instanceof Failure ? error.message : String(error)
      // On a full disk this happens every second until there is room.
      if (reason !== reported) report(`The embedded PostgreSQL could not be started; trying again. ${reason}`)
      reported = reason
    } finally {
      busy = false
    }
  }
  const timer = setInterval(check, everyMs)
  return () => clearInterval(timer)
}
