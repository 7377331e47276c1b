import type { Config } from '../config.ts'
import { checkServer } from '../store/checkServer.ts'
import { connect, type Sql } from '../store/database.ts'
import { openCluster } from '../store/embedded/cluster.ts'
import { explainOpening, withoutPassword } from '../store/explainOpening.ts'
import { migrateQueue } from '../store/jobs/queue.ts'
import { migrate } from '../store/migrate.ts'

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
