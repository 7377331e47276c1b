import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import { connect, type Sql } from '../postgres/client.ts'
import { openCluster } from '../postgres/embedded/cluster.ts'
import { hasCluster } from '../postgres/embedded/folder.ts'
import { explainConnectError, isDamage, withoutPassword } from '../postgres/errors.ts'
import { readApplied } from '../postgres/history.ts'

export interface UntouchedDatabase {
  readonly sql: Sql
  /** The folder with the files of the embedded database; null: DATABASE_URL names another one. */
  readonly folder: string | null
  close(): Promise<void>
}

/** Opens the database of the settings as it is: nothing is created or migrated, so that a command can look at the database of a
 * newer or older version. A stopped embedded PostgreSQL is started, and stopped at the end. */
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
    // Any statement shows whether the database answers.
    await readApplied(sql)
  } catch (error) {
    // A damaged page there is an answer, too, and commands look for more of them.
    if (!isDamage(error)) {
      await close()
      throw explainConnectError(error, withoutPassword(url)) ?? error
    }
  }
  return { sql, folder: cluster?.location.cluster ?? null, close }
}
