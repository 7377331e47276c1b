import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { loadBenchData } from '../../bench/data/loadBenchData.ts'
import { makeEntity, randomOf } from '../../bench/data/makeEntity.ts'
import { allEntities, marketSizes } from '../../bench/data/marketSizes.ts'
import type { ParsedDocument } from '../../src/facts/reportedFact.ts'
import { spanOf } from '../../src/facts/spans.ts'
import { registerOf } from '../../src/ingest/allRegisters.ts'
import { importFacts } from '../../src/ingest/import/importFacts.ts'
import { readSample } from '../../src/ingest/sample/loadSample.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { storedFacts, storedProvenance, storedRepeatRows } from '../ingest/stored.ts'
import { nonEmpty } from '../nonEmpty.ts'

setDefaultTimeout(120_000)

const entities = 2_000
let loaded: TestDatabase
let single: TestDatabase
beforeAll(async () => {
  loaded = await testDatabase()
  single = await testDatabase()
  await loadBenchData(loaded.sql, { entities, seed: 1, onProgress: () => {} })
})
afterAll(() => Promise.all([loaded.close(), single.close()]))

/** Random made companies of a market, as `loadBenchData` makes them. */
function madeOf(market: string, count: number): ParsedDocument[] {
  const size = marketSizes.find(one => one.market === market)
  if (size === undefined) throw new Error(market)
  const all = Math.max(1, Math.round((size.entities * entities) / allEntities))
  const random = randomOf(`load and import ${market}`)
  const numbers = new Set(Array.from({ length: count }, () => Math.floor(random() * all)))
  return [...numbers].map(number => makeEntity(size, number, 1))
}

/** A document for each filing, in the order of filing or another. */
const filingsOf = (document: ParsedDocument, isReversed = false): ParsedDocument[] => {
  const byFiling = [...Map.groupBy(document.reportedFacts, ({ filing }) => filing.accession).values()]
  byFiling.sort(([a], [b]) => a.filing.filed - b.filing.filed)
  if (isReversed) byFiling.reverse()
  return byFiling.map(reportedFacts => ({ ...document, reportedFacts }))
}

const importOne = (sql: Sql, document: ParsedDocument) =>
  importFacts(sql, [{ parsed: [document] }], {
    source: 'test',
    rules: registerOf(document.profile.market).rules,
    isPart: true,
  })

test('made figures do not contradict one another', () => {
  for (const { reportedFacts } of nonEmpty(['US', 'TW'].flatMap(market => madeOf(market, 20)))) {
    const first = reportedFacts.filter(
      ({ filing, metric }) => filing.form === 'quarterly' && metric === 'net_income',
    )
    const years = Map.groupBy(first, ({ filing }) => filing.accession.replace(/Q\d$/, ''))
    for (const ofYear of nonEmpty(years.values())) {
      const quarters = ofYear.filter(({ start, end }) => spanOf(start, end) === 1)
      for (const { end, value } of nonEmpty(ofYear.filter(one => (spanOf(one.start, one.end) ?? 0) > 1))) {
        const parts = quarters.filter(quarter => quarter.end <= end)
        expect(parts.reduce((sum, part) => sum + part.value, 0)).toBe(value)
      }
    }
  }
})

test('companies that a load wrote have the rows that imports of their filings one by one give', async () => {
  // Korea and Denmark have numbers in common, by which the rows are told apart here.
  const markets = marketSizes.filter(({ market }) => market !== 'KR')
  const all = markets.flatMap(({ market }) => madeOf(market, market === 'US' ? 6 : 3))
  const made = all.filter(({ profile }) => profile.market !== 'DK' || profile.issuerId > '99000010')
  for (const [place, document] of made.entries())
    for (const one of filingsOf(document, place % 2 === 1)) await importOne(single.sql, one)
  const numbers = new Set(made.map(({ profile }) => profile.issuerId))
  const isChosen = (row: string) => numbers.has(row.slice(0, row.indexOf('|')))
  for (const read of [storedFacts, storedRepeatRows, storedProvenance]) {
    const rows = await read(single.sql)
    expect(rows.length).toBeGreaterThan(100)
    expect((await read(loaded.sql)).filter(isChosen)).toEqual(rows)
  }
})

test('so have real companies', async () => {
  const [bulk, apart] = await Promise.all([testDatabase(), testDatabase()])
  try {
    const random = randomOf('real companies')
    const markets = new Set(['US', 'JP', 'KR'])
    const sample = (await readSample()).filter(
      ({ profile, reportedFacts }) => markets.has(profile.market) && reportedFacts.length > 0,
    )
    const chosen = sample.filter(
      ({ profile }) => profile.market !== 'US' || profile.issuerId === '0001640147' || random() < 0.04,
    )
    expect(chosen.length).toBeGreaterThan(10)
    for (const market of markets) {
      const units = chosen.filter(({ profile }) => profile.market === market).map(one => ({ parsed: [one] }))
      await importFacts(bulk.sql, units, { source: 'test', rules: registerOf(market).rules })
    }
    for (const [place, document] of chosen.entries())
      for (const one of filingsOf(document, place % 2 === 1)) await importOne(apart.sql, one)
    for (const read of [storedFacts, storedRepeatRows, storedProvenance])
      expect(await read(apart.sql)).toEqual(await read(bulk.sql))
  } finally {
    await Promise.all([bulk.close(), apart.close()])
  }
})

test('the first import after a load replaces nothing that no filing changed', async () => {
  const before = await storedFacts(loaded.sql)
  const [made] = madeOf('US', 1)
  const again = await importOne(loaded.sql, made)
  expect([again.factsAdded, again.factsRemoved, again.changed]).toEqual([0, 0, false])
  // Another report restates the last year's profit by a twentieth.
  const last = made.reportedFacts.findLast(
    ({ metric, filing }) => metric === 'net_income' && filing.form === 'annual',
  )
  if (last === undefined) throw new Error('There is no annual report.')
  const filing = { ...last.filing, accession: `${last.filing.accession}A`, filed: last.filing.filed + 30 }
  const value = last.value + Math.round(Math.abs(last.value) / 20) + 1
  const added = await importOne(loaded.sql, { ...made, reportedFacts: [{ ...last, filing, value }] })
  expect(added.factsRemoved).toBe(0)
  const after = await storedFacts(loaded.sql)
  const fresh = new Set(after)
  // Of the existing rows, only the day on which they end may have changed.
  const withoutEnd = (row: string) => row.split('|').toSpliced(9, 1).join('|')
  const kept = new Set(after.map(withoutEnd))
  expect(before.filter(row => !kept.has(withoutEnd(row)))).toEqual([])
  const changed = before.filter(row => !fresh.has(row))
  expect(changed.length).toBeGreaterThan(0)
  expect(new Set(changed.map(row => row.split('|')[0]))).toEqual(new Set([made.profile.issuerId]))
  for (const row of changed) expect(row.split('|')[1]).toMatch(/^(net_income|net_margin|roe|roa)/)
})
