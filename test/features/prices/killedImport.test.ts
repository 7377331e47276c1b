import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isoDate } from '../../../src/dates.ts'
import { testDatabase } from '../../database.ts'

setDefaultTimeout(240_000)

const root = resolve(import.meta.dir, '../../..')
const database = await testDatabase()
const folder = mkdtempSync(join(tmpdir(), 'asfiled-killed-'))
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database.close()
})

const securities = 1_200
const days = 250
const path = join(folder, 'prices.csv')
const lines = ['date,symbol,close']
for (let day = 0; day < days; day++)
  for (let at = 0; at < securities; at++)
    lines.push(`${isoDate(15_000 + day)},S${at},${10 + ((day * at) % 97) / 4}`)
writeFileSync(path, `${lines.join('\n')}\n`)

const importing = () =>
  Bun.spawn(
    [
      process.execPath,
      join(root, 'src/cli.ts'),
      'prices',
      'import',
      path,
      '--currency',
      'USD',
      '--raw',
      '--known',
      'date',
      '--json',
    ],
    { cwd: folder, env: { ...process.env, DATABASE_URL: database.url }, stdout: 'pipe', stderr: 'pipe' },
  )

/** What any reader can see of prices. */
const visible = async () => {
  const [row] = await database.sql<{ sets: number; blocks: number; imports: number }[]>`
    select (select count(*)::int from price_set) as sets, (select count(*)::int from price_block) as blocks,
           (select count(*)::int from price_import) as imports`
  return row
}

test('an import that is killed leaves nothing, and the same command then imports all', async () => {
  for (let round = 0; round < 3; round++) {
    const killed = importing()
    // The first writes are under way when the transaction of this import holds a lock on its table.
    for (;;) {
      const [{ count }] = await database.sql<{ count: number }[]>`
        select count(*)::int as count from pg_locks where relation = 'price_block'::regclass and mode = 'RowExclusiveLock'`
      if (count > 0 || killed.exitCode !== null) break
      await Bun.sleep(1)
    }
    const isRunning = killed.exitCode === null
    killed.kill('SIGKILL')
    await killed.exited
    expect(isRunning).toBe(true)
    // PostgreSQL notices that its client is gone when it next reads from it.
    for (let tries = 0; tries < 1_000; tries++) {
      const [{ count }] = await database.sql<{ count: number }[]>`
        select count(*)::int as count from pg_locks where relation = 'price_block'::regclass and mode = 'RowExclusiveLock'`
      if (count === 0) break
      await Bun.sleep(10)
    }
    expect(await visible()).toEqual({ sets: 0, blocks: 0, imports: 0 })
  }
  const whole = importing()
  const out = await new Response(whole.stdout).text()
  expect([await whole.exited, JSON.parse(out).stored]).toEqual([0, securities * days])
  expect(await visible()).toEqual({ sets: 1, blocks: securities, imports: 1 })
})
