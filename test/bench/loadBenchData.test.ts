import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { loadBenchData } from '../../bench/data/loadBenchData.ts'
import { makeEntity, randomOf } from '../../bench/data/makeEntity.ts'
import { makeName } from '../../bench/data/makeName.ts'
import { allEntities, marketSizes } from '../../bench/data/marketSizes.ts'
import { sampleDatabase, type TestDatabase, testDatabase } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'

setDefaultTimeout(180_000)

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

const sizeOf = (market: string) => {
  const size = marketSizes.find(one => one.market === market)
  if (size === undefined) throw new Error(market)
  return size
}

test('an entity depends on seed, market and number alone', () => {
  for (const size of nonEmpty(marketSizes)) {
    expect(makeEntity(size, 7, 1)).toEqual(makeEntity(size, 7, 1))
    expect(makeEntity(size, 8, 1).profile.issuerId).not.toBe(makeEntity(size, 7, 1).profile.issuerId)
    expect(makeEntity(size, 7, 2).reportedFacts).not.toEqual(makeEntity(size, 7, 1).reportedFacts)
  }
})

test('filings come after their period, and each year also states the previous one', () => {
  for (const size of nonEmpty(marketSizes)) {
    const { reportedFacts } = makeEntity(size, 3, 1)
    for (const { end, filing } of nonEmpty(reportedFacts)) expect(filing.filed).toBeGreaterThan(end)
    const annual = reportedFacts.filter(({ filing }) => filing.form === 'annual')
    const byFiling = Map.groupBy(annual, ({ filing }) => filing.accession)
    const ends = [...byFiling.values()].map(all => new Set(all.map(({ end }) => end)).size)
    expect(ends[0]).toBe(1)
    for (const count of nonEmpty(ends.slice(1))) expect(count).toBe(2)
  }
})

test('names have the word frequencies of real names', () => {
  const random = randomOf('names')
  const words = Array.from({ length: 4_000 }, () => makeName('NZ', [], random).split(' ')).flat()
  // Trust is the most common word of the 45,245 names of the register: cut, tr, sort, uniq -c.
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const [common] = [...counts].sort(([, a], [, b]) => b - a)
  expect(common[0]).toBe('Trust')
  expect(makeName('TW', [], random)).not.toContain(' ')
})

test('loaded entities are not loaded again, and a second run continues', async () => {
  const { sql } = db
  const load = (entities: number) => loadBenchData(sql, { entities, seed: 1, onProgress: () => {} })
  const added = async () => {
    const [{ facts, entities }] = await sql<{ facts: number; entities: number }[]>`
      select (select count(*)::int from fact) as facts, (select count(*)::int from entity) as entities`
    return { facts, entities }
  }
  const first = await load(1_000)
  const before = await added()
  expect(before.entities).toBe(first.entities)
  // The full service has 60 million facts; with ratios about 40 per entity.
  expect(before.facts / before.entities).toBeGreaterThan((60e6 / allEntities) * 1.2)
  expect(sizeOf('FR').entities / allEntities).toBeCloseTo(
    (await sql`select count(*)::int as n from entity where market = 'FR'`)[0].n / before.entities,
    2,
  )
  const second = await load(1_000)
  expect([second.known, second.summaries.reduce((sum, { factsAdded }) => sum + factsAdded, 0)]).toEqual([
    second.entities,
    0,
  ])
  expect(await added()).toEqual(before)
}, 180_000)

test('a database with other data is refused and not changed', async () => {
  const other = await sampleDatabase()
  try {
    const load = loadBenchData(other.sql, { entities: 100, seed: 1, onProgress: () => {} })
    await expect(load).rejects.toMatchObject({ code: 'conflict' })
    const [{ n }] = await other.sql<
      { n: number }[]
    >`select count(*)::int as n from entity where issuer_id like '99%'`
    expect(n).toBe(0)
  } finally {
    await other.close()
  }
})
