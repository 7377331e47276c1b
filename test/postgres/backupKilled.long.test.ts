import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openDatabase } from '../../src/boot/database.ts'
import { readConfig } from '../../src/config.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { nonEmpty } from '../nonEmpty.ts'

setDefaultTimeout(600_000)

const isLong = process.env.LONG === '1'
if (!isLong)
  console.warn('skipped: killing backups and restores at random moments takes minutes; it runs with LONG=1')
const testLong = test.skipIf(!isLong)

const rounds = 12
const rows = 200_000
const repository = resolve(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-backup-killed-'))
const dataDir = join(folder, 'data')
const whole = join(folder, 'whole.tar.zst')

const withDatabase = async <T>(of: string, work: (sql: Sql) => Promise<T>): Promise<T> => {
  const opened = await openDatabase(readConfig({ DATA_DIR: of }), 0, () => {})
  try {
    return await work(opened.sql)
  } finally {
    await opened.close()
  }
}

const countRows = (of: string) =>
  withDatabase(of, async sql => (await sql`select count(*)::int as count from ballast`)[0].count)

interface Ended {
  readonly code: number | null
  readonly ms: number
}

/** Runs a command, and kills it with `signal` after `afterMs`, should it still run. */
async function run(args: string[], of: string, afterMs: number, signal: NodeJS.Signals): Promise<Ended> {
  const startedAt = performance.now()
  const child = Bun.spawn(['bun', 'src/cli.ts', ...args], {
    cwd: repository,
    env: { ...process.env, DATA_DIR: of, DATABASE_URL: '' },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const timer = setTimeout(() => child.kill(signal), afterMs)
  await child.exited
  clearTimeout(timer)
  return { code: child.exitCode, ms: performance.now() - startedAt }
}

async function assertWhole(file: string): Promise<void> {
  const to = `${file}-restored`
  expect((await run(['restore', file], to, boundMs, 'SIGKILL')).code).toBe(0)
  expect(await countRows(to)).toBe(rows)
  rmSync(to, { recursive: true, force: true })
}

const boundMs = 60_000
let backupMs = 0

beforeAll(async () => {
  if (!isLong) return
  await withDatabase(dataDir, async sql => {
    await sql`create table ballast as select n, md5(random()::text) as text from generate_series(1, ${rows}::int) n`
  })
  const done = await run(['backup', whole], dataDir, boundMs, 'SIGKILL')
  expect(done.code).toBe(0)
  backupMs = done.ms
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

testLong('a backup that is killed at any moment leaves no file of its name or a whole one', async () => {
  let killed = 0
  for (let round = 0; round < rounds; round++) {
    const file = join(folder, `killed-${round}`)
    const { code } = await run(['backup', file], dataDir, backupMs * Math.random(), 'SIGKILL')
    if (code !== 0) killed++
    // A kill after the last step leaves a whole backup.
    if (existsSync(file)) await assertWhole(file)
    else expect(code).not.toBe(0)
  }
  expect(killed).toBeGreaterThan(0)
  const next = join(folder, 'next')
  expect((await run(['backup', next], dataDir, boundMs, 'SIGKILL')).code).toBe(0)
  await assertWhole(next)
  expect(await countRows(dataDir)).toBe(rows)
})

testLong('a restore that is killed at any moment leaves no database or a whole one', async () => {
  const first = await run(['restore', whole], join(folder, 'unhurried'), boundMs, 'SIGKILL')
  expect(first.code).toBe(0)
  let killed = 0
  for (let round = 0; round < rounds; round++) {
    const to = join(folder, `restored-${round}`)
    const { code } = await run(['restore', whole], to, first.ms * Math.random(), 'SIGKILL')
    if (code !== 0) killed++
    if (!existsSync(join(to, 'database')))
      expect((await run(['restore', whole], to, boundMs, 'SIGKILL')).code).toBe(0)
    expect(await countRows(to)).toBe(rows)
    expect(readdirSync(to).filter(name => name.startsWith('database'))).toEqual(['database'])
  }
  expect(killed).toBeGreaterThan(0)
})

testLong('Ctrl-C during a backup or a restore ends with 1 and leaves nothing', async () => {
  const file = join(folder, 'stopped')
  const to = join(folder, 'stopped-restore')
  const backup = await run(['backup', file], dataDir, backupMs / 2, 'SIGINT')
  expect(existsSync(file)).toBe(backup.code === 0)
  expect(nonEmpty(readdirSync(folder)).filter(name => name.startsWith('stopped.'))).toEqual([])
  const restore = await run(['restore', whole], to, backupMs / 2, 'SIGINT')
  if (restore.code !== 0 && existsSync(to))
    expect(readdirSync(to).filter(name => name.startsWith('database'))).toEqual([])
})
