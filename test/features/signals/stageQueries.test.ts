import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openSignalStage, type StagedSignal } from '../../../src/features/signals/import/stageQueries.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 180_000)
afterAll(() => db.close(), 60_000)

const row: StagedSignal = {
  line: 2,
  date: '2026-01-05',
  horizonDays: 1,
  ticker: 'A',
  market: 'US',
  predicted: 0.1,
  actual: null,
  source: null,
}

async function isUsable(): Promise<void> {
  const stages = await Promise.all([
    openSignalStage(db.sql),
    openSignalStage(db.sql),
    openSignalStage(db.sql),
  ])
  for (const stage of stages) await stage.close()
  const left = await db.sql`select 1 from pg_class where relname like 'signal_%' and relpersistence = 't'`
  expect(left.length).toBe(0)
}

test('what was appended is staged, and closing leaves nothing behind', async () => {
  const stage = await openSignalStage(db.sql)
  await stage.append([row, { ...row, line: 3, actual: -0, source: 'live' }])
  await stage.seal()
  const rows =
    await stage.connection`select line::int, predicted, actual, source from signal_stage order by line`
  expect(rows.map(staged => ({ ...staged }))).toEqual([
    { line: 2, predicted: 0.1, actual: null, source: null },
    { line: 3, predicted: 0.1, actual: 0, source: 'live' },
  ])
  await stage.close()
  await isUsable()
})

test('rows that the database refuses at their end fail with what it says', async () => {
  const stage = await openSignalStage(db.sql)
  const rows = Array.from({ length: 50_000 }, (_, n) => ({ ...row, line: n + 2 }))
  await stage.append(rows)
  await stage.append([{ ...row, horizonDays: 100_000 }])
  // 22003: numeric_value_out_of_range (PostgreSQL, Appendix A).
  await expect(stage.seal()).rejects.toMatchObject({ code: '22003' })
  await stage.close()
  await isUsable()
}, 10_000)

test('a row that the database refuses fails the staging; it does not hang', async () => {
  const stage = await openSignalStage(db.sql)
  const staging = async () => {
    await stage.append([row, { ...row, date: '2026-02-30' }])
    await stage.seal()
  }
  await expect(staging()).rejects.toThrow()
  await stage.close()
  await isUsable()
}, 5_000)

test('a stage that is closed before it is sealed gives its connection back', async () => {
  const stage = await openSignalStage(db.sql)
  await stage.append([row])
  await stage.close()
  await isUsable()
}, 5_000)

test('a connection that dies amid the copy fails the staging', async () => {
  const stage = await openSignalStage(db.sql)
  await stage.append([row])
  const terminate = () => db.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'copy signal_stage%'`
  // The COPY begins while the first rows wait.
  for (let n = 0; n < 100 && (await terminate()).length === 0; n++) await Bun.sleep(10)
  const staging = async () => {
    for (let i = 0; i < 200; i++) {
      await stage.append([row])
      await Bun.sleep(5)
    }
    await stage.seal()
  }
  await expect(staging()).rejects.toThrow()
  await stage.close()
  await isUsable()
}, 10_000)
