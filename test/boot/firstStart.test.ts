import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/boot/database.ts'
import { prepareFirstStart } from '../../src/boot/firstStart.ts'
import { readConfig } from '../../src/config.ts'
import { blankDatabase, prepareDataDir } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'
import {
  makeDataDir,
  removeDataDir,
  runCommand,
  type ServerProcess,
  startServerProcess,
} from './serverProcess.ts'

setDefaultTimeout(120_000)

const folders: string[] = []
const running: ServerProcess[] = []
afterAll(async () => {
  for (const server of running) server.signal('SIGTERM')
  for (const server of running) await server.exited
  for (const folder of folders) removeDataDir(folder)
}, 60_000)

function newFolder(): string {
  const folder = makeDataDir()
  folders.push(folder)
  return folder
}

async function start(folder: string, extra: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServerProcess(folder, { COMPUTE_THREADS: '1', ...extra })
  running.push(server)
  return server
}

const keysIn = (text: string) => text.match(/asf_live_\w+/g) ?? []
const isRedistributor = async (server: ServerProcess, key: string) =>
  (await server.get('/api/v1/fundamentals?ticker=IBM', key)).status !== 401

async function countKeys(folder: string): Promise<number> {
  return JSON.parse((await runCommand(folder, 'keys', 'list', '--json')).out).length
}

describe('three servers that start at once on a fresh folder', () => {
  test('create one owner key, one of them shows it, and the others say that another did', async () => {
    const folder = newFolder()
    const servers = await Promise.all([1, 2, 3].map(() => start(folder)))
    const shown = servers.flatMap(server => keysIn(server.said()))
    expect(shown).toHaveLength(1)
    expect(await countKeys(folder)).toBe(1)
    expect(await isRedistributor(servers[0], shown[0])).toBe(true)
    const others = servers.filter(server => keysIn(server.said()).length === 0)
    for (const other of nonEmpty(others))
      expect(other.said()).toContain('created and shown by another server that started at the same time')
    const loading = servers.filter(server => server.said().includes('Loading the sample'))
    expect(loading).toHaveLength(1)
    // A later start does not mention it.
    const later = await start(folder)
    expect(later.said()).not.toContain('owner key')
  })
})

test('the sample is loaded however short a statement of a request may take', async () => {
  const blank = await blankDatabase()
  const database = await openDatabase(readConfig({ DATABASE_URL: blank.url }), 100, () => {})
  try {
    await prepareFirstStart(database.sql, database.url, () => {})
    expect((await database.sql`select count(*)::int as count from fact`)[0].count).toBeGreaterThan(1_000)
  } finally {
    await database.close()
    await blank.close()
  }
})

describe('OWNER_KEY_FILE', () => {
  test('gets the owner key, readable for one account, and standard output does not', async () => {
    const folder = newFolder()
    await prepareDataDir(folder)
    const file = join(newFolder(), 'owner.key')
    const server = await start(folder, { OWNER_KEY_FILE: file })
    expect(keysIn(server.said())).toEqual([])
    expect(server.said()).toContain(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const key = readFileSync(file, 'utf8').trim()
    expect(await isRedistributor(server, key)).toBe(true)
    // The next start finds a key, and with it a file that it does not touch.
    const next = await start(folder, { OWNER_KEY_FILE: file })
    expect(next.said()).not.toContain('owner key')
    expect(readFileSync(file, 'utf8').trim()).toBe(key)
  })

  test('that exists, or whose folder does not, ends the first start before it loads anything', async () => {
    const folder = newFolder()
    const taken = join(newFolder(), 'owner.key')
    writeFileSync(taken, 'mine\n')
    const link = join(newFolder(), 'link.key')
    symlinkSync(join(folder, 'nowhere/owner.key'), link)
    for (const [file, message] of [
      [taken, 'exists and is never overwritten'],
      [join(folder, 'missing/owner.key'), 'does not exist'],
      [link, 'exists and is never overwritten'],
      ...(process.platform === 'linux' ? [['/proc/nokey', 'could not be written']] : []),
    ]) {
      const child = Bun.spawn(['bun', 'src/main.ts'], {
        env: {
          ...process.env,
          DATA_DIR: folder,
          DATABASE_URL: '',
          HOST: '127.0.0.1',
          PORT: '0',
          OWNER_KEY_FILE: file,
        },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [out, error] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      expect(await child.exited).toBe(1)
      expect(error).toContain(message)
      expect(out).not.toContain('Loading the sample')
    }
    expect(readFileSync(taken, 'utf8')).toBe('mine\n')
    expect(existsSync(join(folder, 'missing'))).toBe(false)
    expect(await countKeys(folder)).toBe(0)
  })
})
