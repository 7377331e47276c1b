import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../src/postgres/client.ts'
import { openCluster } from '../../src/postgres/embedded/cluster.ts'
import { findServerProcesses, holderOf } from '../../src/postgres/embedded/processes.ts'

// A blocked start gives up after a minute.
setDefaultTimeout(120_000)

const isLinux = process.platform === 'linux'
const root = mkdtempSync(join(tmpdir(), 'asfiled-stale-'))
chmodSync(root, 0o755)
const folder = join(root, 'data')
const quiet = () => {}
const clusterOf = (dataDir: string) => join(dataDir, 'database/cluster')
const pidFileOf = (dataDir: string) => join(clusterOf(dataDir), 'postmaster.pid')
const postmasterOf = (dataDir: string) => Number(readFileSync(pidFileOf(dataDir), 'utf8').split('\n')[0])

/** As a power cut leaves it: with a pid file, and no process. */
async function crash(dataDir: string): Promise<string> {
  const cluster = await openCluster(dataDir, quiet)
  const pidFile = readFileSync(pidFileOf(dataDir), 'utf8')
  killAll(dataDir)
  await cluster.close()
  return pidFile
}

function killAll(dataDir: string): void {
  const processes = isLinux ? findServerProcesses(clusterOf(dataDir)) : [postmasterOf(dataDir)]
  for (const pid of processes) process.kill(pid, 'SIGKILL')
}

async function value(url: string, statement: string): Promise<unknown> {
  const sql = connect({ url, connections: 1, statementTimeoutMs: 5_000 })
  try {
    const [row] = await sql.unsafe(statement)
    return row.value
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Opens, uses and closes the folder. */
async function useFolder(dataDir: string): Promise<void> {
  const cluster = await openCluster(dataDir, quiet)
  expect(await value(cluster.url, 'select 1 as value')).toBe(1)
  await cluster.close()
  expect(existsSync(pidFileOf(dataDir))).toBe(false)
}

beforeAll(async () => {
  const cluster = await openCluster(folder, quiet)
  await cluster.close()
})
afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

describe('a postmaster.pid of a server that is gone', () => {
  test('does not block the start while another process has its number', async () => {
    const pidFile = await crash(folder)
    // PostgreSQL itself believes a process of its own account, and the check before it any process.
    const account = statSync(clusterOf(folder))
    const sameAccount = spawn('sleep', ['600'], { uid: account.uid, gid: account.gid })
    try {
      for (const pid of [sameAccount.pid, process.pid]) {
        writeFileSync(pidFileOf(folder), pidFile.replace(/^\d+/, String(pid)))
        await useFolder(folder)
      }
    } finally {
      sameAccount.kill('SIGKILL')
    }
  })

  test('does not block the start where the machine stopped before its number was written', async () => {
    await crash(folder)
    writeFileSync(pidFileOf(folder), '')
    await useFolder(folder)
  })

  test('leads three processes that start at once to one server', async () => {
    await crash(folder)
    const clusters = await Promise.all([1, 2, 3].map(() => openInProcess(folder)))
    expect(new Set(clusters.map(({ url }) => url)).size).toBe(1)
    expect(holderOf(postmasterOf(folder), clusterOf(folder))).toBe('server')
    for (const { end } of clusters) await end()
    expect(existsSync(pidFileOf(folder))).toBe(false)
  })

  test('does not let the server of another folder answer, of which this one is a copy', async () => {
    const original = await openCluster(folder, quiet)
    const copy = join(root, 'copy')
    await value(original.adminUrl, 'checkpoint; select 1 as value').catch(() => {})
    cpSync(folder, copy, { recursive: true })
    try {
      const other = await openCluster(copy, quiet)
      expect(new URL(other.url).port).not.toBe(new URL(original.url).port)
      await other.close()
      expect(await value(original.url, 'select 1 as value')).toBe(1)
    } finally {
      await original.close()
      rmSync(copy, { recursive: true, force: true })
    }
  })

  test('of a folder that was moved while its server runs leads to that server', async () => {
    const before = await openCluster(folder, quiet)
    const pid = postmasterOf(folder)
    const moved = join(root, 'moved')
    renameSync(folder, moved)
    const after = await openCluster(moved, quiet)
    expect(postmasterOf(moved)).toBe(pid)
    expect(after.url).toBe(before.url)
    await after.close()
    renameSync(moved, folder)
    await before.close()
    expect(existsSync(pidFileOf(folder))).toBe(false)
  })
})

/** Opens the folder in a process of its own, until `end`. */
async function openInProcess(dataDir: string) {
  const script = `
    const { openCluster } = await import('./src/postgres/embedded/cluster.ts')
    const cluster = await openCluster(${JSON.stringify(dataDir)}, () => {})
    console.log(cluster.url)
    await Bun.stdin.text()
    await cluster.close()
    process.exit(0)`
  const child = Bun.spawn(['bun', '-e', script], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  const { value: said } = await child.stdout.getReader().read()
  return {
    url: new TextDecoder().decode(said).trim(),
    end: async () => {
      await child.stdin.end()
      expect(await child.exited).toBe(0)
    },
  }
}

describe('other remains of a hard stop', () => {
  test('drafts of first starts that were killed during initdb are gone after the next start', async () => {
    const fresh = join(root, 'fresh')
    for (const delayMs of [150, 400, 700]) {
      const start = Bun.spawn(
        [
          'bun',
          '-e',
          `(await import('./src/postgres/embedded/cluster.ts')).openCluster(${JSON.stringify(fresh)}, () => {})`,
        ],
        { stdout: 'ignore', stderr: 'ignore' },
      )
      await Bun.sleep(delayMs)
      start.kill('SIGKILL')
      await start.exited
    }
    await useFolder(fresh)
    // An initdb that outlived its parent ends within seconds, and what it has left is removed after that.
    await Bun.sleep(2_000)
    await useFolder(fresh)
    expect(readdirSync(fresh).filter(name => name.startsWith('database'))).toEqual(['database'])
  })

  test('shared memory of a server that was killed with all its processes is taken over', async () => {
    const cluster = await openCluster(folder, quiet)
    const segment = readFileSync(pidFileOf(folder), 'utf8').split('\n')[6]
    expect(segment).toMatch(/^\s*\d+\s+\d+\s*$/)
    killAll(folder)
    await cluster.ensureRunning()
    expect(await value(cluster.url, 'select 1 as value')).toBe(1)
    await cluster.close()
  })

  test.skipIf(!isLinux)(
    'a computation that outlives its postmaster does not block the next one',
    async () => {
      const cluster = await openCluster(folder, quiet)
      const sql = connect({ url: cluster.url, connections: 1, statementTimeoutMs: 0 })
      const endless = sql`select count(*) from generate_series(1, 100000000000)`.catch(() => null)
      await Bun.sleep(300)
      process.kill(postmasterOf(folder), 'SIGKILL')
      await cluster.ensureRunning()
      expect(await value(cluster.url, 'select 1 as value')).toBe(1)
      await sql.end({ timeout: 0 })
      await endless
      await cluster.close()
    },
  )

  test('a folder that is no complete database is named, with what to do', async () => {
    const partial = join(root, 'partial')
    mkdirSync(join(partial, 'database/cluster'), { recursive: true })
    await expect(openCluster(partial, quiet)).rejects.toThrow(
      /is not a complete database.*PG_VERSION.*asfiled restore/s,
    )
  })
})

const canDropRights =
  isLinux &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(['setpriv', '--bounding-set=-sys_ptrace', '--inh-caps=-sys_ptrace', 'true']).exitCode === 0
if (!canDropRights)
  console.warn('skipped: only root can start a process without the right to look into others')

test.skipIf(!canDropRights)(
  'root of a container, who may not look into processes of other accounts, recognises the server of a folder',
  async () => {
    const cluster = await openCluster(folder, quiet)
    const pid = postmasterOf(folder)
    const script = `
      const { holderOf } = await import('./src/postgres/embedded/processes.ts')
      console.log(holderOf(${pid}, ${JSON.stringify(clusterOf(folder))}), holderOf(${pid}, ${JSON.stringify(root)}))`
    const child = Bun.spawnSync([
      'setpriv',
      '--bounding-set=-sys_ptrace',
      '--inh-caps=-sys_ptrace',
      'bun',
      '-e',
      script,
    ])
    expect(child.stdout.toString().trim()).toBe('server other')
    await cluster.close()
  },
)
