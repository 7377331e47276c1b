import { afterAll, beforeAll, expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { parquetReadObjects } from 'hyparquet'
import { isIsoDate } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { planCrossSection, readCrossSection } from '../../../src/features/crossSection/crossSection.ts'
import {
  type CrossSectionQuery,
  CrossSectionTable,
  type CrossSectionTableRow,
  crossSectionTableSheet,
} from '../../../src/features/crossSection/schema.ts'
import { readCrossSectionTable } from '../../../src/features/crossSection/table.ts'
import { csvLine } from '../../../src/formats/columns.ts'
import { encodeList } from '../../../src/formats/rows.ts'
import { loadSample } from '../../../src/ingest/sample/loadSample.ts'
import {
  type CompanyBench,
  companyBench,
  evaluationKey,
  insertEntity,
  insertVintages,
  principal,
  seenEntities,
} from '../companies/fixtures.ts'

FormatRegistry.Set('date', isIsoDate)

let bench: CompanyBench
beforeAll(async () => {
  bench = await companyBench()
  await bench.sql`truncate fact, fact_repeat, filing, entity_ticker, entity restart identity cascade`
  await loadSample(bench.sql)
  // Figures that stopped long ago, and one in another currency.
  const old = await insertEntity(bench.sql, {
    market: 'US',
    issuerId: '0000000099',
    ticker: 'OLD',
    name: null,
  })
  await insertVintages(bench.sql, old, [
    ['revenue', 0, 2010, '2010-01-01', '2010-12-31', '2011-02-01', 5, 'old-1'],
    ['net_income', 0, 2011, '2011-01-01', '2011-12-31', '2012-02-01', 1, 'old-2'],
    ['assets', 0, 2011, null, '2011-12-31', '2012-02-01', 7, 'old-2'],
    ['shares_outstanding', 0, 2011, null, '2012-01-20', '2012-02-01', 3, 'old-2'],
  ])
}, 120_000)
afterAll(() => bench.database.close(), 60_000)

const personal = principal('personal')
const metrics = ['revenue', 'roe', 'shares_outstanding', 'assets']

async function table(query: Partial<CrossSectionQuery> = {}, bounds = {}, who = personal) {
  const sent = { metric: metrics.join(), market: 'US', ...query }
  const plan = planCrossSection(bench, who, sent, new Map(Object.entries(bounds)))
  const list = await readCrossSectionTable(bench, who, plan)
  expect([...Value.Errors(CrossSectionTable, list)]).toEqual([])
  return list
}

async function single(metric: string, query: Partial<CrossSectionQuery> = {}, bounds = {}, who = personal) {
  const plan = planCrossSection(
    bench,
    who,
    { metric, market: 'US', ...query },
    new Map(Object.entries(bounds)),
  )
  return readCrossSection(bench, who, plan)
}

const cellsOf = (rows: readonly CrossSectionTableRow[], metric: string) =>
  rows.flatMap(row => (row[metric] === null ? [] : [[row.ticker, row[metric]]]))

test('each column of a table is the answer for its metric alone', async () => {
  for (const as_of of ['2010-02-01', '2016-06-30', '2020-12-31', '2026-11-20']) {
    for (const fp of ['FY', 'Q1', 'latest'] as const) {
      for (const bound of [{}, { max_age_days: 400 }, { max_age_days: 3_000 }]) {
        const query = { as_of, fp, ...bound }
        const { data } = await table(query)
        for (const metric of metrics) {
          const alone = (await single(metric, query)).data
          expect(cellsOf(data, metric)).toEqual(alone.map(row => [row.ticker, row.value]))
          for (const { ticker, fy, fp: period, end, filed, value } of alone) {
            const row = data.find(other => other.ticker === ticker)
            if (row === undefined) throw new Error(`${ticker} is missing`)
            expect(filed <= row.filed).toBe(true)
            const isOlder = row.older?.includes(`${metric}:${end}`) ?? false
            expect(row[metric]).toBe(value)
            expect(isOlder).toBe(fy !== row.fy || period !== row.fp)
          }
        }
      }
    }
  }
})

test('a figure of an earlier period is named with its end, and a cover count is of its report', async () => {
  const row = (await table()).data.find(({ ticker }) => ticker === 'OLD')
  expect(row).toMatchObject({
    fy: 2011,
    fp: 'FY',
    end: '2011-12-31',
    filed: '2012-02-01',
    revenue: 5,
    assets: 7,
    shares_outstanding: 3,
    older: 'revenue:2010-12-31',
    currency: 'USD',
  })
})

test('filters leave the companies that fit, in a table and of one metric, and pages continue among them', async () => {
  const { data } = await table()
  const fits = data.filter(
    row => row.roe !== null && Number(row.roe) >= 0.1 && row.revenue !== null && Number(row.revenue) <= 5e11,
  )
  const bounds = { min_roe: 0.1, max_revenue: 5e11 }
  const filtered = await table({}, bounds)
  expect(fits.length).toBeGreaterThan(0)
  expect(fits.length).toBeLessThan(data.length)
  expect(filtered.data).toEqual(fits)
  expect(filtered.filters).toEqual([
    { metric: 'revenue', min: null, max: 5e11 },
    { metric: 'roe', min: 0.1, max: null },
  ])
  const alone = await single('assets', {}, bounds)
  expect(alone.data.map(row => row.ticker)).toEqual(fits.map(row => row.ticker))
  const pages: CrossSectionTableRow[] = []
  let cursor: string | null = null
  do {
    const page: CrossSectionTable = await table({ limit: 25, ...(cursor === null ? {} : { cursor }) }, bounds)
    pages.push(...page.data)
    cursor = page.next
  } while (cursor !== null)
  expect(pages).toEqual(fits)
  expect((await table({}, { min_roe: 1e6 })).note).toContain('with roe of at least 1000000')
})

test('of a demo key a table and its filters know the most recent fiscal year alone', async () => {
  const demo = principal('demo')
  const { data } = await table({ fp: 'latest' }, {}, demo)
  for (const metric of metrics) {
    const alone = (await single(metric, { fp: 'latest' }, {}, demo)).data
    expect(cellsOf(data, metric)).toEqual(alone.map(row => [row.ticker, row.value]))
  }
  // OLD has revenue of 2010 alone: its most recent fiscal year is 2011.
  expect(data.find(row => row.ticker === 'OLD')).toMatchObject({ revenue: null, assets: 7 })
  expect((await table({}, { max_revenue: 10 }, demo)).data).toEqual([])
  expect((await single('assets', {}, { max_revenue: 10 }, demo)).data).toEqual([])
})

test('all formats have the same cells, in the order of the request', async () => {
  const list = await table({ as_of: '2020-12-31' })
  const sheet = crossSectionTableSheet(list.metrics)
  const names = sheet.map(({ name }) => name)
  expect(Object.keys(list.data[0])).toEqual(names)
  expect(names.slice(6, 10)).toEqual(metrics)
  const csv = await encodeList('csv', sheet, list)
  expect(new TextDecoder().decode(Buffer.from(csv))).toBe(
    csvLine(names) + list.data.map(row => csvLine(names.map(name => row[name] ?? null))).join(''),
  )
  const ndjson = new TextDecoder().decode(Buffer.from(await encodeList('ndjson', sheet, list)))
  expect(
    ndjson
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual(list.data)
  const bytes = new Uint8Array(Buffer.from(await encodeList('parquet', sheet, list)))
  const rows = await parquetReadObjects({ file: bytes.buffer })
  const plain = rows.map(row =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Date ? value.toISOString().slice(0, 10) : value,
      ]),
    ),
  )
  expect(plain).toEqual(list.data)
})

test('what cannot be a table is refused with the way to mend it', () => {
  const refused = (metric: string, bounds = {}) => {
    try {
      planCrossSection(bench, personal, { metric, market: 'US' }, new Map(Object.entries(bounds)))
    } catch (error) {
      if (error instanceof Failure) return error.message
    }
    return ''
  }
  const many = [...bench.markets.metrics.keys()]
  expect(refused(many.slice(0, 21).join())).toContain('names 21 metrics')
  expect(refused(many.slice(0, 20).join(), { [`min_${many[20]}`]: 1 })).toContain('limit is 20')
  expect(refused(many.slice(0, 20).join())).toBe('')
  expect(refused('roe', { min_roee: 1 })).toContain('Did you mean min_roe?')
  expect(refused('roe', { min_roe: 2, max_roe: 1 })).toContain('no company fits')
})

test('a company counts once against the cap, whatever the number of columns', async () => {
  const who = await evaluationKey(bench.sql, 1_000)
  const { data } = await table({}, {}, who)
  expect((await seenEntities(bench.sql, who)).length).toBe(data.length)
})
