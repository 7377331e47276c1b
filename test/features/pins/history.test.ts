import { afterAll, beforeEach, expect, test } from 'bun:test'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { advanceDataVersion } from '../../../src/postgres/dataVersion.ts'
import { PinnedPools } from '../../../src/postgres/pins/pinnedPools.ts'
import { readPinRange, shortenHistory, versionedTables } from '../../../src/postgres/pins/pinQueries.ts'
import { testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { pinsOf } from '../../pins.ts'
import { appleVintages, companyDeps, insertEntity, insertVintages } from '../companies/fixtures.ts'
import { answersOf } from './readers.ts'

const opened: { close(): Promise<void> }[] = []
let sql: Sql
let deps: CompanyDeps
let pins: ReturnType<typeof pinsOf>
beforeEach(async () => {
  const database = await testDatabase()
  sql = database.sql
  pins = pinsOf(sql)
  opened.push(database, pins)
  deps = companyDeps(sql)
  const apple = await insertEntity(sql, { market: 'US', issuerId: '320193', ticker: 'AAPL', name: 'Apple' })
  await insertVintages(sql, apple, appleVintages)
  for (let version = 1; version <= 12; version++)
    await sql.begin(async transaction => {
      await transaction`update fact set value = value + ${version}`
      await transaction`update entity set name = ${`Apple ${version}`}`
      await advanceDataVersion(transaction, { source: 'us', entities: 1, factsAdded: 0 })
    })
}, 180_000)
afterAll(async () => {
  for (const one of opened.reverse()) await one.close()
}, 180_000)

const askAt = (version: number) =>
  pins.use(version, store => answersOf({ ...deps, ...store }, ['AAPL'], '2026-11-20'))
const waitOut = () => sql`update oldest_pin set moved_at = moved_at - interval '11 minutes'`
async function pastRows(): Promise<number> {
  let rows = 0
  for (const table of versionedTables) {
    const [{ count }] = await sql<
      { count: number }[]
    >`select count(*)::int as count from ${sql(`${table}_past`)}`
    rows += count
  }
  return rows
}

test('the history ends at KEEP_VERSIONS: an older version is refused with the oldest allowed, then its rows are removed', async () => {
  const remembered = new Map<number, Record<string, string>>()
  for (let version = 7; version <= 12; version++) remembered.set(version, await askAt(version))
  const whole = await pastRows()
  // Nothing moves within ten minutes of the last move.
  await sql`update oldest_pin set moved_at = now()`
  await shortenHistory(sql, 5, 1_000)
  expect(await readPinRange(sql)).toEqual({ oldest: 0, newest: 12 })
  await waitOut()
  await shortenHistory(sql, 5, 1_000)
  expect(await readPinRange(sql)).toEqual({ oldest: 7, newest: 12 })
  const refused = await askAt(6).then(
    () => 'answered',
    (error: Error) => error.message,
  )
  expect(refused).toBe(
    'data_version=6 cannot be read: the oldest that is still remembered is 7 (the operator bounds the history with KEEP_VERSIONS). Send a version from 7 to 12, or omit data_version for the present.',
  )
  // Who was let in before the move still finds all rows.
  expect(await pastRows()).toBe(whole)
  await shortenHistory(sql, 5, 1_000)
  expect(await pastRows()).toBe(whole)
  await waitOut()
  // In slices: five rows of each table at a time.
  let before = whole
  for (let slice = 0; slice < 100; slice++) {
    await shortenHistory(sql, 5, 5)
    const left = await pastRows()
    expect(before - left).toBeLessThanOrEqual(10)
    if (left === before) break
    before = left
  }
  const [{ oldestUntil }] = await sql<
    { oldestUntil: number }[]
  >`select min(until_version) as "oldestUntil" from fact_past`
  expect(oldestUntil).toBe(8)
  expect(before).toBeLessThan(whole)
  for (const [version, answers] of nonEmpty(remembered))
    expect([version, await askAt(version)]).toEqual([version, answers])
})

test('two servers that shorten the history at once leave it whole', async () => {
  const remembered = new Map<number, Record<string, string>>()
  for (let version = 8; version <= 12; version++) remembered.set(version, await askAt(version))
  for (let round = 0; round < 4; round++) {
    await waitOut()
    await Promise.all([shortenHistory(sql, 4, 7), shortenHistory(sql, 4, 7), shortenHistory(sql, 4, 1_000)])
  }
  expect((await readPinRange(sql)).oldest).toBe(8)
  for (const [version, answers] of nonEmpty(remembered))
    expect([version, await askAt(version)]).toEqual([version, answers])
})

test('at most four versions have connections, and one in use is never closed', async () => {
  const closed: number[] = []
  let clock = 0
  const pools = new PinnedPools({
    readRange: async () => ({ oldest: 0, newest: 9 }),
    elapsedMs: () => clock,
    open: async version => ({ store: version, close: async () => void closed.push(version) }),
  })
  opened.push(pools)
  const held = [await pools.open(1), await pools.open(2), await pools.open(3), await pools.open(4)]
  expect(await pools.use(1, async store => store)).toBe(1)
  const waiting = pools.open(5)
  await Bun.sleep(20)
  expect([pools.versions, closed]).toEqual([[1, 2, 3, 4], []])
  held[1].release()
  held[1].release()
  const five = await waiting
  expect([five.store, pools.versions, closed]).toEqual([5, [1, 3, 4, 5], [2]])
  const left = new AbortController()
  const late = pools.open(6, left.signal).then(
    () => 'opened',
    (error: Error) => error.message,
  )
  await Bun.sleep(20)
  left.abort(new Error('left'))
  expect(await late).toBe('left')
  const patient = pools.open(6)
  held[0].release()
  expect((await patient).store).toBe(6)
  clock += 10_001
  await expect(pools.open(10)).rejects.toThrow('Send a version from 0 to 9')
})
