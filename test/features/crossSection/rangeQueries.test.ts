import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { CrossSectionScope } from '../../../src/features/crossSection/queries.ts'
import { crossSectionRows } from '../../../src/features/crossSection/queries.ts'
import { readPage } from '../../../src/features/crossSection/rangeQueries.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { allYears, recentYear } from '../companies/fixtures.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await sampleDatabase()
}, 120_000)
afterAll(() => db.close(), 60_000)

const scope: CrossSectionScope = {
  metric: 'revenue',
  market: 'US',
  asOf: '2026-01-01',
  fp: 0,
  from: null,
  after: null,
  limit: 5_000,
  recentFiscalYearOnly: allYears,
  filters: [],
  sector: null,
}

test('a page that is read by ranges is the one that is read company by company, on every day, with every bound and cursor', async () => {
  const markets = await db.sql<{ market: string; ids: number[] }[]>`
    select market, array_agg(entity_id order by entity_id) as ids from entity group by market order by market`
  let compared = 0
  let rows = 0
  for (const { market, ids } of nonEmpty(markets)) {
    for (const metric of ['revenue', 'net_income', 'assets', 'roe']) {
      for (const asOf of [
        '0001-01-01',
        '2009-10-26',
        '2012-06-30',
        '2020-12-31',
        '2024-07-01',
        '2026-01-01',
      ]) {
        for (const change of [
          {},
          { limit: 1 },
          { limit: 3, after: ids[Math.floor(ids.length / 2)] },
          { from: '2009-09-01' },
          { from: '2024-12-31', limit: 2 },
        ]) {
          const wanted = { ...scope, market, metric, asOf, ...change }
          const page = await readPage(db.sql, wanted, 1)
          expect(page).toEqual(await crossSectionRows(db.sql, wanted))
          compared++
          rows += page.rows.length
        }
      }
    }
  }
  expect(compared).toBeGreaterThan(500)
  expect(rows).toBeGreaterThan(500)
}, 120_000)

test('quarters, filters, sectors and keys that see one year are read company by company', async () => {
  for (const change of [
    { fp: null },
    { fp: 2 },
    { fp: 4 },
    { fp: 5 },
    { recentFiscalYearOnly: recentYear },
    { filters: [{ metric: 'assets', min: 1e9, max: null }] },
    { sector: '7' },
  ]) {
    const wanted = { ...scope, ...change }
    expect(await readPage(db.sql, wanted, 1)).toEqual(await crossSectionRows(db.sql, wanted))
  }
}, 180_000)
