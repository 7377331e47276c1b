import { adminQuery } from './admin.ts'
import type { ClusterLocation } from './folder.ts'
import { runAs } from './identity.ts'
import { type FolderIdentity, identityOf, worksIn } from './processes.ts'
import { findServer } from './server.ts'

const stopTimeoutS = 30
const pollMs = 50

/** The server of a cluster as this process opened it. */
export interface OpenedServer {
  readonly port: number
  /** The folder of the cluster, which may be moved while the server runs. */
  readonly folder: FolderIdentity
}

/**
 * Stops the server that this process opened, unless another process is connected to it. A server that now
 * runs at the same path on another cluster is left alone. Call it while holding the folder's lock.
 */
export async function stopIfUnused(location: ClusterLocation, opened: OpenedServer): Promise<void> {
  if (!isStillThere(location, opened)) return stopMoved(location, opened)
  const found = await findServer(location)
  if (found.state !== 'ready') return
  const use = await readUse(location, found.port)
  if (use?.others !== 0) return
  const args = ['-D', location.cluster, '-m', 'fast', '-w', '-t', String(stopTimeoutS), 'stop']
  await runAs(location.account, location.binaries.pg_ctl, args)
}

function isStillThere({ cluster }: ClusterLocation, { folder }: OpenedServer): boolean {
  const found = identityOf(cluster)
  return found !== null && found.dev === folder.dev && found.ino === folder.ino
}

/** pg_ctl takes a path, which now leads elsewhere or nowhere. */
async function stopMoved(location: ClusterLocation, { port, folder }: OpenedServer): Promise<void> {
  const use = await readUse(location, port)
  if (use?.others !== 0 || worksIn(use.pid, folder) !== true) return
  // PostgreSQL's signal for a fast shutdown.
  process.kill(use.pid, 'SIGINT')
  const deadline = performance.now() + stopTimeoutS * 1_000
  while (worksIn(use.pid, folder) === true && performance.now() < deadline) await Bun.sleep(pollMs)
}

interface ServerUse {
  readonly pid: number
  /** Connections other than the one that counts them. */
  readonly others: number
}

/** Null if no server responds on this port. */
async function readUse(location: ClusterLocation, port: number): Promise<ServerUse | null> {
  const rows = await adminQuery<ServerUse>(
    location,
    port,
    sql =>
      sql`select abs(split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int) as pid, count(*)::int as others
        from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  ).catch(() => null)
  return rows?.[0] ?? null
}
