import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/boot/database.ts'
import { startServer } from '../../src/boot/startServer.ts'
import { readConfig } from '../../src/config.ts'
import { prepareDataDir } from '../database.ts'
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
}, 180_000)

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
  const folder = newFolder()
  // It is made with a time limit that the load exceeds.
  await prepareDataDir(folder)
  const database = await openDatabase(readConfig({ DATA_DIR: folder }), 60_000, () => {})
  try {
    expect((await database.sql`select count(*)::int as count from fact`)[0].count).toBeGreaterThan(1_000)
  } finally {
    await database.close()
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
    const refusals: [string, string][] = [
      [taken, 'exists and is never overwritten'],
      [join(folder, 'missing/owner.key'), 'does not exist'],
      [link, 'exists and is never overwritten'],
      ...(process.platform === 'linux' ? [['/proc/nokey', 'could not be written'] as [string, string]] : []),
    ]
    // It runs meanwhile, so that none of the starts below has to start it again.
    const database = await openDatabase(readConfig({ DATA_DIR: folder }), 60_000, () => {})
    for (const [file, message] of refusals) {
      const said: string[] = []
      const opened = new AsyncDisposableStack()
      const config = readConfig({ DATA_DIR: folder, HOST: '127.0.0.1', PORT: '0', OWNER_KEY_FILE: file })
      const starting = startServer(
        config,
        () => '2026-07-01',
        line => said.push(line),
        opened,
      )
      await expect(starting.finally(() => opened.disposeAsync())).rejects.toThrow(message)
      expect(said.join('\n')).not.toContain('Loading the sample')
    }
    const child = Bun.spawn(['bun', 'src/main.ts'], {
      env: {
        ...process.env,
        DATA_DIR: folder,
        DATABASE_URL: '',
        HOST: '127.0.0.1',
        PORT: '0',
        OWNER_KEY_FILE: taken,
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    expect(await new Response(child.stderr).text()).toContain('exists and is never overwritten')
    expect(await child.exited).toBe(1)
    expect(readFileSync(taken, 'utf8')).toBe('mine\n')
    expect(existsSync(join(folder, 'missing'))).toBe(false)
    expect(await countKeys(folder)).toBe(0)
    await database.close()
  })
})
