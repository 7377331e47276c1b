import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { testDatabase } from '../../database.ts'
import { pinsOf } from '../../pins.ts'
import { companyDeps } from '../companies/fixtures.ts'
import { answersOf } from './readers.ts'

setDefaultTimeout(180_000)
const opened: { close(): Promise<void> }[] = []
afterAll(async () => {
  for (const one of opened.reverse()) await one.close()
}, 180_000)

test('an import that is killed -9 leaves every version as it was, and takes no number', async () => {
  const database = await testDatabase()
  const pins = pinsOf(database.sql)
  opened.push(database, pins)
  const deps = companyDeps(database.sql)
  const tickers = ['E0', 'E1', 'E2']
  const ask = (from: typeof deps) => answersOf(from, tickers, '2026-11-20')
  const remembered = new Map<number, Record<string, string>>()
  for (let kill = 0; kill < 4; kill++) {
    const child = Bun.spawn([process.execPath, resolve(import.meta.dir, 'endlessImport.ts'), database.url], {
      stdout: 'pipe',
      stderr: 'ignore',
    })
    await child.stdout.getReader().read()
    await Bun.sleep(40 + 67 * kill)
    child.kill('SIGKILL')
    await child.exited
    // The server ends its transaction when it finds the connection gone.
    const [{ busy }] = await database.sql<{ busy: number }[]>`
      select count(*)::int as busy from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'active'`
    if (busy > 0) await Bun.sleep(300)
    const version = await readDataVersion(database.sql)
    const [{ batches }] = await database.sql<
      { batches: number }[]
    >`select count(*)::int as batches from import_batch`
    expect(batches).toBe(version)
    const now = await ask(deps)
    expect(await pins.use(version, store => ask({ ...deps, ...store }))).toEqual(now)
    remembered.set(version, now)
  }
  for (const [version, answers] of remembered)
    expect([version, await pins.use(version, store => ask({ ...deps, ...store }))]).toEqual([
      version,
      answers,
    ])
  expect(remembered.size).toBeGreaterThan(1)
})
