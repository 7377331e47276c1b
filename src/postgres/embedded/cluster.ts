import { resolve } from 'node:path'
import { type Place, preparePlace } from './folder.ts'
import { startServer, stopIfAlone, urlOf, withAdmin } from './server.ts'

const databaseName = 'asfiled'

/** A PostgreSQL in a folder of ours, on loopback only. Every process that opens the folder shares one running
 * server; the last one to close it stops it, and one that was killed leaves it for the next. */
export interface EmbeddedCluster {
  readonly url: string
  /** Starts the server again on the same port if it has died. */
  ensureRunning(): Promise<void>
  /** Stops the server unless another process is connected to it. */
  close(): Promise<void>
}

export async function openCluster(
  dataDir: string,
  announce: (line: string) => void,
): Promise<EmbeddedCluster> {
  const place = await preparePlace(resolve(dataDir), announce)
  const port = await startServer(place, undefined, announce)
  await createDatabase(place, port)
  const url = urlOf(place, port, databaseName)
  return {
    url,
    ensureRunning: async () => {
      await startServer(place, port, announce)
    },
    close: () => stopIfAlone(place, port),
  }
}

async function createDatabase(place: Place, port: number): Promise<void> {
  await withAdmin(place, port, async sql => {
    const found = await sql`select 1 from pg_database where datname = ${databaseName}`
    if (found.length > 0) return
    await sql.unsafe(`create database ${databaseName}`).catch(error => {
      // Another process made it between the look and the deed.
      if (error.code !== '42P04' && error.code !== '23505') throw error
    })
  })
}
