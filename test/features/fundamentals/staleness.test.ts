import { afterAll, beforeAll, expect, test } from 'bun:test'
import { addDays } from '../../../src/dates.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { fundamentalsSheet, sheetOf } from '../../../src/features/fundamentals/sheet.ts'
import { encodeList } from '../../../src/formats/rows.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { insertEntity, insertVintages } from '../companies/fixtures.ts'
import { readStored } from './readStored.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await sampleDatabase()
  const stopped = await insertEntity(database.sql, {
    market: 'US',
    issuerId: '0000000055',
    ticker: 'STOP',
    name: null,
  })
  await insertVintages(database.sql, stopped, [
    ['gross_profit', 0, 2018, '2018-01-01', '2018-12-31', '2019-02-10', 1, 's-1'],
    ['revenue', 0, 2018, '2018-01-01', '2018-12-31', '2019-02-10', 2, 's-1'],
    ['assets', 3, 2019, null, '2019-09-30', '2019-11-10', 3, 's-2'],
    // On the cover of a report that came a quarter late: no period of the company ends then.
    ['shares_outstanding', 3, 2019, null, '2019-12-31', '2020-01-05', 4, 's-2'],
    ['revenue', 0, 2019, '2019-01-01', '2019-12-28', '2020-02-10', 5, 's-3'],
  ])
}, 120_000)
afterAll(() => database.close(), 60_000)

const latest = (query: FundamentalsQuery) => readStored(database.sql, { view: 'latest', ...query })
const stale = async (query: Omit<FundamentalsQuery, 'ticker'>) =>
  (await latest({ ticker: 'STOP', ...query })).data.flatMap(({ m, stale }) => (stale ? [m] : []))

test('a row is stale once the company has reported a whole year since, and not for a quarter or a late cover', async () => {
  expect(await stale({ as_of: '2020-02-09' })).toEqual([])
  expect(await stale({ as_of: '2020-02-10' })).toEqual(['gross_profit'])
  for (const as_of of ['2020-02-10', '2026-11-20']) {
    expect(await stale({ as_of, metric: 'gross_profit' })).toEqual(['gross_profit'])
    expect(await stale({ as_of, metric: 'revenue' })).toEqual([])
    expect(await stale({ as_of, fy: '2018' })).toEqual(['gross_profit', 'revenue'])
  }
})

test('max_age_days leaves out rows whose period ended longer before as_of, to the day', async () => {
  // From 2018-12-31 to 2020-02-10 there are 406 days.
  const shown = async (max_age_days: number) =>
    (await latest({ ticker: 'STOP', as_of: '2020-02-10', max_age_days })).data.map(({ m }) => m)
  expect(await shown(406)).toContain('gross_profit')
  expect(await shown(405)).not.toContain('gross_profit')
  expect(await shown(405)).toContain('revenue')
  await expect(readStored(database.sql, { ticker: 'STOP', max_age_days: 9 })).rejects.toThrow(
    'Send view=latest, or from=',
  )
})

test('of real companies: stale are exactly the rows that end 350 days before the latest period, with and without a filter', async () => {
  let found = 0
  for (const ticker of ['AAPL', 'GOOGL', 'SNOW', '2330.TW', 'E02367.JP']) {
    for (const as_of of ['2012-06-30', '2019-06-30', '2026-11-20']) {
      const { data } = await latest({ ticker, as_of })
      const ends = data.flatMap(({ m, end }) => (m === 'shares_outstanding' ? [] : [end])).sort()
      const bound = addDays(ends.at(-1) ?? as_of, -350)
      expect(data.filter(row => row.stale)).toEqual(data.filter(({ end }) => end < bound))
      for (const row of data.filter(({ stale }) => stale)) {
        expect((await latest({ ticker, as_of, metric: row.m })).data).toEqual([row])
        found++
      }
    }
  }
  expect(found).toBeGreaterThan(3)
})

test('every format of view=latest says which rows are stale, and a history has no such column', async () => {
  const list = await latest({ ticker: 'STOP', as_of: '2020-02-10', metric: 'gross_profit,revenue' })
  const columns = sheetOf({ view: 'latest', adjust: null, fields: [] })
  const csv = Buffer.from(await encodeList('csv', columns, list)).toString()
  expect(csv.split('\r\n').map(line => line.split(',').at(-1))).toEqual(['stale', 'true', '', ''])
  expect(sheetOf({ view: 'history', adjust: null, fields: [] })).toEqual(fundamentalsSheet)
  const ndjson = Buffer.from(await encodeList('ndjson', columns, list)).toString()
  expect(
    ndjson
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).stale),
  ).toEqual([true, undefined])
})
