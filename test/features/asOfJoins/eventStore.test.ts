import { afterAll, beforeAll, expect, test } from 'bun:test'
import { buildEvents, companiesPerBlock, eventBytes } from '../../../src/backtest/asOf/figureEvents.ts'
import type { PackedVintages } from '../../../src/backtest/asOf/packedVintages.ts'
import { buildVintages } from '../../../src/backtest/audit/vintages.ts'
import { EventStore } from '../../../src/features/asOfJoins/eventStore.ts'
import type { BlockName } from '../../../src/features/asOfJoins/queries.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { insertEntity, insertVintages, markets } from '../companies/fixtures.ts'
import { joinBench } from './joinBench.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  const entity = { market: 'US', issuerId: '1', ticker: 'ONE', name: null }
  await insertVintages(database.sql, await insertEntity(database.sql, entity), [
    ['revenue', 0, 2009, '2009-01-01', '2009-12-31', '2010-02-20', 100, 'p-1'],
    ['assets', 0, 2009, null, '2009-12-31', '2010-02-20', 500, 'p-1'],
    ['equity', 0, 2009, null, '2009-12-31', '2010-02-20', 200, 'p-1'],
  ])
}, 180_000)
afterAll(() => database.close(), 60_000)

const name = (metric: string, block = 0): BlockName => ({
  metric,
  fp: 'FY',
  firstEntity: block * companiesPerBlock,
})
const bytesOfOne = eventBytes(buildEvents({ firstEntity: 0, rows: new Uint8Array(0) }))

function counting(maxBytes: number) {
  const built: number[] = []
  const events = async (vintages: PackedVintages) => {
    built.push(vintages.firstEntity)
    await Bun.sleep(5)
    return buildEvents(vintages)
  }
  const store = new EventStore(
    { events, vintages: async filings => buildVintages(filings) },
    maxBytes,
    markets,
  )
  return { store, built }
}

test('each block is built once, however many requests wait for it, and once more for another data version', async () => {
  const { store, built } = counting(2 ** 24)
  const leases = Array.from({ length: 8 }, () => store.lease())
  const opened = await Promise.all(
    leases.map(lease => lease.open(database.sql, 1, [name('revenue'), name('assets')])),
  )
  expect(built.length).toBe(2)
  expect(new Set(opened.map(([block]) => block)).size).toBe(1)
  for (const lease of leases) lease.release()
  const lease = store.lease()
  expect(lease.find(1, [name('revenue')])).not.toBeNull()
  expect(lease.find(2, [name('revenue')])).toBeNull()
  await lease.open(database.sql, 2, [name('revenue')])
  expect(built.length).toBe(3)
  lease.release()
})

test('the memory is bounded: the least recently used block goes first, and none that a request uses', async () => {
  const { store, built } = counting(3 * bytesOfOne + 100)
  const use = async (block: number) => {
    const lease = store.lease()
    await lease.open(database.sql, 1, [name('nothing', block)])
    lease.release()
  }
  for (const block of [1, 2, 3, 1, 4]) await use(block)
  expect(built.length).toBe(4)
  expect(store.bytes).toBeLessThanOrEqual(3 * bytesOfOne + 100)
  // 2 was used longest ago.
  await use(1)
  await use(3)
  expect(built.length).toBe(4)
  await use(2)
  expect(built.length).toBe(5)
  const holding = store.lease()
  const failed = await holding
    .open(
      database.sql,
      1,
      [5, 6, 7, 8].map(block => name('nothing', block)),
    )
    .catch(error => error)
  expect(failed.code).toBe('compute_busy')
  expect(failed.message).toContain('PANEL_MEMORY_MB')
  expect(store.bytes).toBeLessThanOrEqual(3 * bytesOfOne + 100)
  holding.release()
  await use(8)
  expect(store.size).toBe(3)
})

test('drops blocks that were not used for some intervals, but none that a request uses, down to what it keeps at rest', async () => {
  const { store, built } = counting(2 ** 30)
  const use = async (block: number) => {
    const lease = store.lease()
    await lease.open(database.sql, 1, [name('nothing', block)])
    lease.release()
  }
  const holding = store.lease()
  await holding.open(database.sql, 1, [name('nothing', 1)])
  for (const block of [2, 3, 4]) await use(block)
  expect(store.dropUnused(2, bytesOfOne)).toBe(0)
  await use(2)
  expect(store.dropUnused(2, bytesOfOne)).toBe(0)
  // 1 is in use, 2 was used an interval ago.
  expect(store.dropUnused(2, bytesOfOne)).toBe(2 * bytesOfOne)
  expect([store.size, store.bytes]).toEqual([2, 2 * bytesOfOne])
  holding.release()
  await use(2)
  expect(built.length).toBe(4)
  expect(store.dropUnused(2, bytesOfOne)).toBe(bytesOfOne)
  for (let interval = 0; interval < 5; interval++) expect(store.dropUnused(2, bytesOfOne)).toBe(0)
  await use(2)
  expect([built.length, store.size]).toEqual([4, 1])
})

test('blocks of the four data versions used last stay, and those that a request uses: imports do not fill the memory', async () => {
  const { store, built } = counting(2 ** 30)
  const use = async (version: number) => {
    const lease = store.lease()
    await lease.open(database.sql, version, [name('nothing', 1), name('nothing', 2)])
    lease.release()
  }
  const holding = store.lease()
  await holding.open(database.sql, 1, [name('nothing', 1)])
  for (const version of [2, 3, 4, 5, 6, 7]) await use(version)
  // Two blocks of each of four versions, and the one that is held.
  expect([store.size, store.bytes, built.length]).toEqual([9, 9 * bytesOfOne, 13])
  for (const version of [4, 5, 6, 7]) await use(version)
  expect(built.length).toBe(13)
  holding.release()
  await use(8)
  expect([store.size, store.bytes]).toEqual([8, 8 * bytesOfOne])
})

test('a read that fails is not remembered, and those who waited for it read by themselves', async () => {
  let broken = true
  const events = async (vintages: PackedVintages) => {
    await Bun.sleep(10)
    if (!broken) return buildEvents(vintages)
    broken = false
    throw new Error('the thread is gone')
  }
  const store = new EventStore(
    { events, vintages: async filings => buildVintages(filings) },
    2 ** 24,
    markets,
  )
  const results = await Promise.allSettled(
    [1, 2, 3].map(() => store.lease().open(database.sql, 1, [name('revenue')])),
  )
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(store.size).toBe(1)
  expect(store.bytes).toBe(eventBytes((await store.lease().open(database.sql, 1, [name('revenue')]))[0]))
})

test('joins at the same time, while imports change the data version, are each of one version', async () => {
  const bench = await joinBench(database.sql)
  const request = {
    rows: { date: ['2012-01-01'], ticker: ['ONE'] },
    metrics: ['revenue', 'assets', 'equity'],
  }
  let stop = false
  const importing = (async () => {
    while (!stop) {
      // All three figures change together, with the version.
      await database.sql.begin(async transaction => {
        await transaction`update fact set value = value + 1`
        await transaction`update data_version set version = version + 1`
      })
      await Bun.sleep(3)
    }
  })()
  const seen = new Map<number, string>()
  for (let round = 0; round < 15; round++) {
    const answers = await Promise.all([1, 2, 3].map(() => bench.join(request)))
    for (const { columns, data_version } of nonEmpty(answers)) {
      const [[revenue], [assets], [equity]] = [columns.revenue, columns.assets, columns.equity]
      expect([Number(assets) - Number(revenue), Number(equity) - Number(revenue)]).toEqual([400, 100])
      expect(seen.get(data_version) ?? `${revenue}`).toBe(`${revenue}`)
      seen.set(data_version, `${revenue}`)
    }
  }
  stop = true
  await importing
  expect(seen.size).toBeGreaterThan(3)
  await bench.close()
}, 180_000)
