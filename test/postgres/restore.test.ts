import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/boot/database.ts'
import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/postgres/client.ts'
import { checksumsName, endMark } from '../../src/postgres/embedded/backup/format.ts'
import { restoreBackup } from '../../src/postgres/embedded/backup/restore.ts'
import { padding, readTar, tarEnd, tarHeader } from '../../src/postgres/embedded/backup/tar.ts'
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
      // A postmaster gives up its folder a moment before it ends.
      for (let tries = 0; isRunning(secondPid) && tries < 100; tries++) await Bun.sleep(50)
      expect(isRunning(secondPid)).toBe(false)
    },
  )
})

/** The backup with other files and the checksums of those: what a person makes of it who wants to.
 *
 * @param change the new content of a file; null: it is left out
 * @param twice a file that is there two times */
async function altered(
  change: (name: string, content: Buffer) => Buffer | null,
  twice?: string,
): Promise<string> {
  async function* unpacked() {
    yield await Bun.zstdDecompress(await Bun.file(file).bytes())
  }
  const parts: Buffer[] = []
  const add = (name: string, content: Buffer) =>
    parts.push(tarHeader(name, 'file', content.length, 0), content, padding(content.length))
  const sums: string[] = []
  for await (const { name, kind, content } of readTar(unpacked())) {
    const chunks: Uint8Array[] = []
    for await (const chunk of content) chunks.push(chunk)
    if (kind === 'folder') parts.push(tarHeader(name, kind, 0, 0))
    else if (name === checksumsName) add(name, Buffer.from(sums.join('')))
    else {
      const changed = change(name, Buffer.concat(chunks))
      if (changed === null) continue
      add(name, changed)
      if (name === twice) add(name, changed)
      sums.push(`${new Bun.CryptoHasher('sha256').update(changed).digest('hex')}  ${name}\n`)
    }
  }
  const path = join(folder, 'altered.tar.zst')
  const tar = Buffer.concat([...parts, tarEnd()])
  writeFileSync(path, Buffer.concat([await Bun.zstdCompress(tar, { level: 1 }), endMark]))
  return path
}

describe('a backup with valid checksums', () => {
  test.each([
    'cluster/PG_VERSION',
    'cluster/global/pg_control',
    'cluster/backup_label',
    'password',
    'service-password',
  ])('but without %s is refused and leaves no database', async missing => {
    const to = join(folder, 'incomplete')
    const content = missing === 'password' ? Buffer.alloc(0) : null
    const from = await altered((name, bytes) => (name === `database/${missing}` ? content : bytes))
    await expect(restore(from, to)).rejects.toThrow(`it has no database/${missing}, or an empty one`)
    expect(readdirSync(to).filter(name => name.startsWith('database'))).toEqual([])
  })

  test('but a file twice is damaged: neither a path nor a permission is at fault', async () => {
    const twice = 'database/cluster/PG_VERSION'
    const from = await altered((_, bytes) => bytes, twice)
    await expect(restore(from, join(folder, 'twice'))).rejects.toThrow(
      `is damaged or is not a backup: it has ${twice} twice`,
    )
  })

  test('runs no command that its settings name', async () => {
    const to = join(folder, 'settings')
    const mark = join(folder, 'ran')
    const setting = Buffer.from(`archive_mode = on\narchive_command = 'touch ${mark}'\n`)
    const from = await altered((name, bytes) =>
      /\/postgresql(\.auto)?\.conf$/.test(name)
        ? Buffer.concat([bytes, setting])
        : name.endsWith('/pg_hba.conf')
          ? Buffer.from('host all all 0.0.0.0/0 trust\n')
          : bytes,
    )
    await restore(from, to)
    const opened = await openDatabase(readConfig({ DATA_DIR: to }), 0, quiet, 'fail')
    const [{ mode }] = await opened.sql<{ mode: string }[]>`select current_setting('archive_mode') as mode`
    const plain = new URL(opened.url)
    plain.password = 'wrong'
    const stranger = connect({ url: plain.href, connections: 1, statementTimeoutMs: 5_000 })
    await expect(stranger`select 1`.then(() => 'open')).rejects.toMatchObject({ code: '28P01' })
    await stranger.end({ timeout: 1 })
    await opened.close()
    expect(mode).toBe('off')
    expect(existsSync(mark)).toBe(false)
  })
})

test('a signal during the first start after a restore does not say that nothing was restored', async () => {
  const child = Bun.spawn(['bun', 'src/cli.ts', 'restore', file], {
    env: { ...process.env, DATA_DIR: join(folder, 'signalled'), DATABASE_URL: '' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  for await (const chunk of child.stderr) {
    const before = said
    said += new TextDecoder().decode(chunk)
    const starts = /Starting PostgreSQL/
    if (starts.test(said) && !starts.test(before)) child.kill('SIGTERM')
  }
  expect(await child.exited).toBe(0)
  expect(await new Response(child.stdout).text()).toContain('Restored')
  expect(said).toContain('The database is restored; its first start ends the command.')
  expect(said).not.toMatch(/nothing (will be|was) restored/i)
})
