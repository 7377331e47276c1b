import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../src/postgres/client.ts'
import { openCluster } from '../../src/postgres/embedded/cluster.ts'
import { chooseAccount, runAs } from '../../src/postgres/embedded/identity.ts'

// On a busy machine initdb takes long.
setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-cluster-'))
const quiet = () => {}
const pidFile = join(folder, 'database/cluster/postmaster.pid')
const postmasterPid = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0])

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the embedded database', () => {
  test('makes its password readable for the owner only, and removes drafts of a killed first start', async () => {
    const abandoned = join(folder, 'database.new-999999999')
    mkdirSync(abandoned)
    const cluster = await openCluster(folder, quiet)
    expect(existsSync(abandoned)).toBe(false)
    expect(statSync(join(folder, 'database/password')).mode & 0o777).toBe(0o600)
    await cluster.close()
    expect(existsSync(pidFile)).toBe(false)
  })

  test('is shared by all that open the same folder, and stops with the last of them', async () => {
    const [first, second] = await Promise.all([openCluster(folder, quiet), openCluster(folder, quiet)])
    expect(second.url).toBe(first.url)
    const sql = connect({ url: second.url, connections: 1, statementTimeoutMs: 5_000 })
    await sql`select 1`
    await first.close()
    expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }])
    await sql.end()
    await second.close()
    expect(existsSync(pidFile)).toBe(false)
  })

  test.each(['the server', 'one of its processes'])(
    'restarts on its port after kill -9 of %s, with every committed row',
    async killed => {
      const cluster = await openCluster(folder, quiet)
      const sql = connect({ url: cluster.url, connections: 2, statementTimeoutMs: 5_000 })
      await sql`create table if not exists committed (n integer)`
      await sql`truncate committed`
      for (let n = 0; n < 50; n++) await sql`insert into committed values (${n})`
      const [{ pid }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
      const postmaster = postmasterPid()
      process.kill(killed === 'the server' ? postmaster : pid, 'SIGKILL')
      // It ends by itself when one of its processes was killed.
      for (let attempt = 0; attempt < 100 && isRunning(postmaster); attempt++) await Bun.sleep(50)
      expect(isRunning(postmaster)).toBe(false)
      await cluster.ensureRunning()
      const rows = await sql`select count(*)::int as count from committed`.catch(
        () => sql`select count(*)::int as count from committed`,
      )
      expect([...rows]).toEqual([{ count: 50 }])
      await sql.end()
      await cluster.close()
    },
  )

  test('a server that a killed owner left running is used by the next one', async () => {
    const owner = Bun.spawn(
      [
        'bun',
        '-e',
        `const { openCluster } = await import('./src/postgres/embedded/cluster.ts'); await openCluster(${JSON.stringify(folder)}, () => {}); console.log('up'); setInterval(() => {}, 1000)`,
      ],
      { stdout: 'pipe', stderr: 'inherit' },
    )
    const reader = owner.stdout.getReader()
    await reader.read()
    const pid = postmasterPid()
    owner.kill('SIGKILL')
    await owner.exited
    const next = await openCluster(folder, quiet)
    expect(postmasterPid()).toBe(pid)
    await next.close()
    expect(existsSync(pidFile)).toBe(false)
  })

  test.skipIf(process.getuid?.() !== 0)(
    'started by root, it can use files in a folder that is closed to its account',
    async () => {
      const closed = join(folder, 'closed')
      mkdirSync(closed, { mode: 0o700 })
      const program = join(closed, 'program')
      writeFileSync(program, '#!/bin/sh\n')
      chmodSync(program, 0o755)
      const account = chooseAccount([program], join(folder, 'no-cluster-yet'))
      // PostgreSQL looks for its own binary with access(2), which requires more than opening a file.
      const look = `require('node:fs').accessSync(${JSON.stringify(program)}, 5); console.log(process.getuid())`
      const { code, output } = await runAs(account, process.execPath, ['-e', look])
      expect([code, output.trim()]).toEqual([0, String(account?.uid)])
      expect(account?.uid).not.toBe(0)
    },
  )

  test.skipIf(process.getuid?.() !== 0)(
    'a folder copied by root opens, although root owns every file of the copy',
    async () => {
      const copy = `${folder}-copy`
      // Like `cp -r`, this does not preserve ownership.
      cpSync(folder, copy, { recursive: true })
      expect(statSync(join(copy, 'database/cluster')).uid).toBe(0)
      const cluster = await openCluster(copy, quiet)
      const sql = connect({ url: cluster.url, connections: 1, statementTimeoutMs: 5_000 })
      expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }])
      await sql.end()
      await cluster.close()
      rmSync(copy, { recursive: true, force: true })
    },
  )
})
