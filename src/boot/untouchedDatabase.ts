import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import { connect, type Sql } from '../postgres/client.ts'
import { openCluster } from '../postgres/embedded/cluster.ts'
import { hasCluster } from '../postgres/embedded/folder.ts'
import { explainConnectError, isDamage, withoutPassword } from '../postgres/errors.ts'
import { readApplied } from '../postgres/history.ts'

export interface UntouchedDatabase {
  readonly sql: Sql
  /** The folder with the files of the embedded database; null: DATABASE_URL names another database. */
  readonly folder: string | null
  close(): Promise<void>
}

/** Opens the database of the settings without creating or migrating anything, so that a command can inspect
 * the database of a newer or older version. If the embedded PostgreSQL is stopped, it is started and stopped
 * again at the end. */
export async function openUntouched(
  config: Config,
  statementTimeoutMs: number,
  announce: (line: string) => void,
): Promise<UntouchedDatabase> {
  if (config.databaseUrl === null && !hasCluster(config.dataDir))
    throw new Failure(
      'database_unavailable',
      `DATA_DIR=${config.dataDir} contains no database. Start the server first, or set DATABASE_URL.`,
    )
  const cluster = config.databaseUrl === null ? await openCluster(config.dataDir, announce) : null
  const url = config.databaseUrl ?? cluster?.url ?? ''
  const sql = connect({ url, connections: 1, statementTimeoutMs, applicationName: 'asfiled-status' })
  const close = async () => {
    await sql.end({ timeout: 2 })
    await cluster?.close()
  }
  try {
    // Any statement shows whether the database responds.
    await readApplied(sql)
  } catch (error) {
    // An error about a damaged page is also a response, and commands look for more damage.
    if (!isDamage(error)) {
      await close()
      throw explainConnectError(error, withoutPassword(url)) ?? error
    }
  }
  return { sql, folder: cluster?.location.cluster ?? null, close }
}
