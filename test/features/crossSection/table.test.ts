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
import { type TablePage, tableRows } from '../../../src/features/crossSection/tablePage.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import { csvLine } from '../../../src/formats/csv.ts'
import { encodeList } from '../../../src/formats/rows.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import {
  asCapped,
  type CompanyBench,
  evaluationKey,
  insertEntity,
  insertVintages,
  rightsOf,
  sampleBench,
  seenEntities,
  viewerOf,
} from '../companies/fixtures.ts'

FormatRegistry.Set('date', isIsoDate)

let bench: CompanyBench
beforeAll(async () => {
  bench = await sampleBench()
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

const personal = rightsOf('personal')
const metrics = ['revenue', 'roe', 'shares_outstanding', 'assets']

async function table(query: Partial<CrossSectionQuery> = {}, bounds = {}, who = personal) {
  const sent = { metric: metrics.join(), market: 'US', ...query }
  const plan = planCrossSection(bench, viewerOf(who), sent, new Map(Object.entries(bounds)))
  const list = await readCrossSectionTable(bench, who, plan)
  expect([...Value.Errors(CrossSectionTable, list)]).toEqual([])
  return list
}

async function single(metric: string, query: Partial<CrossSectionQuery> = {}, bounds = {}, who = personal) {
  const plan = planCrossSection(
    bench,
    viewerOf(who),
    { metric, market: 'US', ...query },
    new Map(Object.entries(bounds)),
  )
  return readCrossSection(bench, who, plan)
}

const cellsOf = (rows: readonly CrossSectionTableRow[], metric: string) =>
  rows.flatMap(row => (row[metric] === null ? [] : [[row.ticker, row[metric]]]))

test('each column of a table is the answer for its metric alone', async () => {
  for (const as_of of ['2010-02-01', '2016-06-30', '2020-12-31', '2026-11-20']) {
    for (const fp of ['FY', 'Q1', 'Q4', 'TTM', 'latest'] as const) {
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
            const isSame = fp !== 'TTM' && fy === row.fy && period === row.fp
            expect(isOlder).toBe(!isSame && end < row.end)
          }
        }
      }
    }
  }
})

test('trailing twelve months of a market are those of each company, and filters are bounds of them', async () => {
  const named = ['revenue', 'net_margin', 'roe', 'free_cash_flow', 'eps', 'assets']
  let interim = 0
  for (const as_of of ['2010-04-20', '2010-04-21', '2016-06-30', '2021-08-01', '2026-11-20']) {
    const { data, note } = await table({ metric: named.join(), fp: 'TTM', as_of })
    expect(note).toBeUndefined()
    // Apple and the other three first, and one in ten of the many.
    for (const row of nonEmpty(data.filter((_, place) => place < 4 || place % 10 === 0))) {
      const query = { ticker: row.ticker, metric: named.join(), fp: 'TTM', view: 'latest', as_of } as const
      const own = await readCompany(bench, await planCompany(bench, personal, query))
      const cells = named.flatMap(metric => (row[metric] === null ? [] : [[metric, row[metric]]]))
      expect(cells.toSorted()).toEqual(own.data.map(({ m, v }) => [m, v]))
      expect(row.fp).toBe('TTM')
      expect([row.eps, row.assets]).toEqual([null, null])
    }
    for (const metric of named) {
      const alone = (await single(metric, { fp: 'TTM', as_of })).data
      expect(cellsOf(data, metric)).toEqual(alone.map(row => [row.ticker, row.value]))
      for (const row of alone) if (row.kind === 'derived') interim++
    }
  }
  expect(interim).toBeGreaterThan(10)
  // 42,905 of the year + 29,182 - 20,964; profit 8,235 + 6,452 - 3,875. 10-K/A 0001193125-10-012091 and 10-Q 0001193125-10-088957.
  const query = { metric: 'revenue,net_income', fp: 'TTM', as_of: '2010-04-21' } as const
  expect((await table(query)).data.find(row => row.ticker === 'AAPL')).toMatchObject({
    fp: 'TTM',
    end: '2010-03-27',
    revenue: 51_123e6,
    net_income: 10_812e6,
    older: null,
  })
  const hasApple = async (change: Partial<CrossSectionQuery>, bounds = {}) =>
    (await single('revenue', { ...query, ...change }, bounds)).data.some(row => row.ticker === 'AAPL')
  expect(await hasApple({}, { min_revenue: 51_123e6, max_net_income: 10_812e6 })).toBe(true)
  expect(await hasApple({}, { min_revenue: 51_124e6 })).toBe(false)
  expect(await hasApple({ as_of: '2010-04-20' }, { min_revenue: 46_708e6 })).toBe(true)
  expect(await hasApple({ as_of: '2010-04-20' }, { min_revenue: 46_709e6 })).toBe(false)
  // From 2010-03-27 to 2010-04-21 there are 25 days.
  expect(await hasApple({ max_age_days: 25 })).toBe(true)
  expect(await hasApple({ max_age_days: 24 })).toBe(false)
  expect((await single('eps', { fp: 'TTM' })).note).toContain(
    'No company of market US reports eps with fp=TTM',
  )
})

test('a page that is read in parts is the page that one statement reads, wherever the parts end', async () => {
  for (const number of [201, 202, 203])
    await insertEntity(bench.sql, {
      market: 'US',
      issuerId: `0000000${number}`,
      ticker: `NO${number}`,
      name: null,
    })
  const bounds = new Map([['min_assets', 5]])
  let pages = 0
  for (const who of [personal, rightsOf('demo')]) {
    for (const filters of [undefined, bounds]) {
      for (const limit of [80, 170, 600]) {
        const sent = { metric: metrics.join(), market: 'US', fp: 'latest', limit } as const
        const plan = planCrossSection(bench, viewerOf(who), sent, filters)
        let after: number | null = null
        do {
          const whole: TablePage = await tableRows(bench.sql, { ...plan, after }, limit)
          for (const companiesPerPart of [7, 40])
            if (limit >= 2 * companiesPerPart)
              expect(await tableRows(bench.sql, { ...plan, after }, companiesPerPart)).toEqual(whole)
          after = whole.next
          pages++
        } while (after !== null)
      }
    }
  }
  expect(pages).toBeGreaterThan(10)
})

test('a table marks figures of an earlier generation, as the answer for one metric does', async () => {
  // The year 2009 was restated on 2010-01-25, its nine months on 2010-07-21 alone.
  const query = { metric: 'revenue,net_income,cash', fp: 'Q4', as_of: '2010-03-01' } as const
  const apple = async (as_of: string) =>
    (await table({ ...query, as_of })).data.find(({ ticker }) => ticker === 'AAPL')
  expect(await apple('2010-03-01')).toMatchObject({ revenue: 9_870e6, earlier: 'revenue net_income' })
  expect(await apple('2010-07-21')).toMatchObject({ revenue: 12_207e6, earlier: null })
})

test('sector leaves the companies whose latest filing of the day states a code that begins so', async () => {
  // sub.txt of the data sets: IBM 3570, Apple 3571, Pfizer 2834, Johnson & Johnson 2834.
  const tickersOf = async (sector: string, more: Partial<CrossSectionQuery> = {}) =>
    (await table({ metric: 'revenue,assets', as_of: '2010-03-31', sector, ...more })).data.map(
      row => row.ticker,
    )
  const computers = await tickersOf('357')
  expect(computers).toContain('AAPL')
  expect(computers).toContain('IBM')
  expect(await tickersOf('3571')).not.toContain('IBM')
  expect(await tickersOf('2834')).toContain('PFE')
  expect(await tickersOf('2834')).not.toContain('AAPL')
  const alone = await single('revenue', { as_of: '2010-03-31', sector: '357' })
  expect(alone.data.map(row => row.ticker)).toEqual(
    (await table({ metric: 'revenue,assets', as_of: '2010-03-31', sector: '357' })).data
      .filter(row => row.revenue !== null)
      .map(row => row.ticker),
  )
  // Before the first filing that states it the code is unknown: Apple's of 2009-07-22.
  expect(await tickersOf('3571', { as_of: '2009-07-21', fp: 'latest' })).toEqual([])
  expect(await tickersOf('3571', { as_of: '2009-07-22', fp: 'latest' })).toEqual(['AAPL'])
  expect((await table({ sector: '9999' })).note).toContain('with an SIC code of 9999')
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

test('trailing twelve months to an earlier quarter are older, although their year and name are those of the row', async () => {
  const company = { market: 'US', issuerId: '0000000098', ticker: 'HELD', name: null }
  const held = await insertEntity(bench.sql, company)
  await insertVintages(bench.sql, held, [
    ['revenue_ttm', 5, 2010, '2009-04-01', '2010-03-31', '2010-05-01', 10, 'held-1'],
    ['net_income_ttm', 5, 2010, '2009-04-01', '2010-03-31', '2010-05-01', 1, 'held-1'],
    ['net_income_ttm', 5, 2010, '2009-07-01', '2010-06-30', '2010-08-01', 2, 'held-2'],
  ])
  const sent = { metric: 'revenue,net_income', fp: 'TTM', as_of: '2010-12-31' } as const
  const row = (await table(sent)).data.find(({ ticker }) => ticker === 'HELD')
  expect(row).toMatchObject({ end: '2010-06-30', revenue: 10, net_income: 2, older: 'revenue:2010-03-31' })
  await bench.sql`delete from fact where entity_id = ${held}`
})

test('filters leave the companies that fit, in a table and of one metric, and pages continue among them', async () => {
  const { data } = await table()
  // Amounts in other currencies than the market's own are not compared with a bound.
  const fits = data.filter(
    row =>
      row.currency === 'USD' &&
      row.roe !== null &&
      Number(row.roe) >= 0.1 &&
      row.revenue !== null &&
      Number(row.revenue) <= 5e11,
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
  const demo = rightsOf('demo')
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

test.each(['FY', 'Q4', 'TTM'] as const)(
  'all formats have the same cells, in the order of the request: %s',
  async fp => {
    const list = await table({ as_of: '2020-12-31', fp })
    expect(list.count).toBeGreaterThan(1)
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
  },
)

test('what cannot be a table is refused with the way to mend it', () => {
  const refused = (metric: string, bounds = {}) => {
    try {
      planCrossSection(bench, viewerOf(personal), { metric, market: 'US' }, new Map(Object.entries(bounds)))
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
  const { data } = await asCapped(bench.sql, who, viewer => {
    const query = { metric: metrics.join(), market: 'US', limit: 200 }
    return readCrossSectionTable(bench, who, planCrossSection(bench, viewer, query))
  })
  expect(data.length).toBeGreaterThan(1)
  expect((await seenEntities(bench.sql, who)).length).toBe(data.length)
})
