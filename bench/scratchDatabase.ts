import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '../src/postgres/client.ts'
import { openCluster } from '../src/postgres/embedded/cluster.ts'
import { migrate } from '../src/postgres/migrations.ts'

/** Runs `work` on an empty, migrated database on its own server. Removes both afterwards. */
export async function scratchDatabase<T>(work: (sql: Sql, url: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-'))
  const cluster = await openCluster(folder, () => {})
  const open = () =>
    connect({ url: cluster.url, connections: 4, statementTimeoutMs: 0, applicationName: 'bench' })
  // A connection may add what it counted of its scans ten seconds later, but does so when it closes.
  const migrating = open()
  await migrate(migrating).finally(() => migrating.end({ timeout: 5 }))
  const sql = open()
  try {
    return await work(sql, cluster.url)
  } finally {
    await sql.end({ timeout: 5 })
    await cluster.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
