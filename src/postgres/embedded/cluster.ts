import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { adminUrl, databaseName } from './admin.ts'
import { type ClusterLocation, makeFolder, prepareCluster } from './folder.ts'
import { FolderUse, withFolderLock, withFolderLockIfFree } from './lock.ts'
import { prepareDatabase } from './roles.ts'
import { startServer } from './server.ts'
import { stopIfUnused } from './stop.ts'

/**
 * A PostgreSQL in the data folder, reachable on loopback only. All processes that open the folder share one
 * server, and the last one to close it stops the server. A process that is killed leaves it running for the
 * next one.
 */
export interface EmbeddedCluster {
  /** For pools: uses a role that owns the database and is not a superuser. */
  readonly url: string
  /** The superuser's URL, for work on the server itself: backups and test databases. */
  readonly adminUrl: string
  readonly location: ClusterLocation
  readonly port: number
  /** Restarts the server on the same port if it has died. */
  ensureRunning(): Promise<void>
  /** Stops the server unless another process uses it. */
  close(): Promise<void>
}

export async function openCluster(
  dataDir: string,
  announce: (line: string) => void,
): Promise<EmbeddedCluster> {
  const folder = resolve(dataDir)
  makeFolder(folder)
  const use = new FolderUse(folder)
  const isUsedElsewhere = () => use.isUsedElsewhere()
  return withFolderLock(folder, announce, async () => {
    const location = await prepareCluster(folder, announce)
    const port = await startServer(location, { announce, isUsedElsewhere })
    const { dev, ino } = statSync(location.cluster)
    const url = await prepareDatabase(location, port)
    use.begin()
    return {
      url,
      adminUrl: adminUrl(location, port, databaseName),
      location,
      port,
      ensureRunning: () =>
        withFolderLock(folder, announce, async () => {
          await startServer(location, { requestedPort: port, announce, isUsedElsewhere })
        }),
      close: async () => {
        await withFolderLockIfFree(folder, async () => {
          if (use.end()) await stopIfUnused(location, { port, folder: { dev, ino } })
        })
        use.end()
      },
    }
  })
}
