import { resolve } from 'node:path'
import { type ClusterLocation, prepareCluster } from './folder.ts'
import { startServer, stopIfUnused, urlOf, withAdmin } from './server.ts'

const databaseName = 'asfiled'

/** A PostgreSQL in the data folder, reachable on loopback only. All processes that open the folder share one server. The
 * last one to close it stops the server. A process that is killed leaves it running for the next one. */
interface EmbeddedCluster {
  readonly url: string
  /** Restarts the server on the same port if it has died. */
  ensureRunning(): Promise<void>
  /** Stops the server unless another process is connected to it. */
  close(): Promise<void>
}

export async function openCluster(
  dataDir: string,
  announce: (line: string) => void,
): Promise<EmbeddedCluster> {
  const location = await prepareCluster(resolve(dataDir), announce)
  const port = await startServer(location, undefined, announce)
  await createDatabase(location, port)
  const url = urlOf(location, port, databaseName)
  return {
    url,
    ensureRunning: async () => {
      await startServer(location, port, announce)
    },
    close: () => stopIfUnused(location, port),
  }
}

async function createDatabase(location: ClusterLocation, port: number): Promise<void> {
  await withAdmin(location, port, async sql => {
    const found = await sql`select 1 from pg_database where datname = ${databaseName}`
    if (found.length > 0) return
    await sql.unsafe(`create database ${databaseName}`).catch(error => {
      // Another process created it between the query and the creation.
      if (error.code !== '42P04' && error.code !== '23505') throw error
    })
  })
}
