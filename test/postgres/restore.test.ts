import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/boot/database.ts'
import { readConfig } from '../../src/config.ts'
import { restoreBackup } from '../../src/postgres/embedded/backup/restore.ts'
import { writeBackup } from '../../src/postgres/embedded/backup/write.ts'
import { openCluster } from '../../src/postgres/embedded/cluster.ts'

setDefaultTimeout(120_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-restore-'))
const dataDir = join(folder, 'data')
const file = join(folder, 'backup.tar.zst')
const quiet = () => {}
const never = new AbortController().signal

beforeAll(async () => {
  await (await openDatabase(readConfig({ DATA_DIR: dataDir }), 0, quiet)).close()
  const cluster = await openCluster(dataDir, quiet)
  await writeBackup(cluster, file, never, quiet)
  await cluster.close()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const restore = (from: string, to: string) =>
  restoreBackup(to, from, { signal: never, announce: quiet, onProgress: quiet })

const postmasterOf = (cluster: string) =>
  Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])

const isRunning = (pid: number) => existsSync(`/proc/${pid}/exe`) || existsSync(`/proc/${pid}/cwd/PG_VERSION`)

describe('a database that is moved away under a running server', () => {
  const database = join(dataDir, 'database')
  const moved = join(dataDir, 'database.old')

  test('makes no room for a restore while the server runs', async () => {
    const server = await openCluster(dataDir, quiet)
    renameSync(database, moved)
    await expect(restore(file, dataDir)).rejects.toThrow('is still using')
    expect(readdirSync(dataDir).filter(name => name.startsWith('database'))).toEqual(['database.old'])
    renameSync(moved, database)
    await server.close()
    expect(existsSync(join(database, 'cluster/postmaster.pid'))).toBe(false)
  })

  test.skipIf(process.platform !== 'linux')(
    'is the one that its server stops, and not the one that is now at its path',
    async () => {
      const other = join(folder, 'other')
      await restore(file, other)
      const first = await openCluster(dataDir, quiet)
      const firstPid = postmasterOf(join(database, 'cluster'))
      const second = await openCluster(other, quiet)
      const secondPid = postmasterOf(join(other, 'database/cluster'))
      renameSync(database, moved)
      renameSync(join(other, 'database'), database)
      await first.close()
      expect([isRunning(firstPid), isRunning(secondPid)]).toEqual([false, true])
      renameSync(database, join(other, 'database'))
      renameSync(moved, database)
      await second.close()
      expect(isRunning(secondPid)).toBe(false)
    },
  )
})
