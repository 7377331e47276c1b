import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import fc from 'fast-check'
import { addDays, dayNumber, isIsoDate } from '../../../src/dates.ts'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import { checkCoverage } from '../../../src/features/coverage/check.ts'
import { coverageIndex } from '../../../src/features/coverage/index.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import {
  FundamentalsList,
  type FundamentalsQuery,
  type FundamentalsRow,
} from '../../../src/features/fundamentals/schema.ts'
import { fundamentalsSheet } from '../../../src/features/fundamentals/sheet.ts'
import { encodeList } from '../../../src/formats/rows.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { rounds } from '../../rounds.ts'
import { companyDeps, markets, rightsOf } from '../companies/fixtures.ts'
import { checkHistory, checkLatest, checkRatios, readRows } from './invariants.ts'

FormatRegistry.Set('date', isIsoDate)

const today = '2026-11-20'
let database: TestDatabase
let deps: CompanyDeps
/** Figures for which no file at hand has both the value and the filing day. */
const withoutFigures = ['0410682657.BE', '65305216.DK']
let tickers: string[] = []
const wholeHistory = new Map<string, FundamentalsRow[]>()

beforeAll(async () => {
  database = await sampleDatabase()
  deps = companyDeps(database.sql, { today: () => today })
  const known = (await coverageIndex(deps, { limit: 1_000 })).tickers.data
  tickers = known.map(entry => entry.ticker).filter(ticker => !withoutFigures.includes(ticker))
  expect(tickers.length).toBe(known.length - withoutFigures.length)
  for (const ticker of tickers) wholeHistory.set(ticker, await readRows(deps, ticker, 'history', today))
}, 120_000)
afterAll(() => database.close(), 60_000)

async function read(query: FundamentalsQuery, licence: Parameters<typeof rightsOf>[0] = 'personal') {
  return readCompany(deps, await planCompany(deps, rightsOf(licence), query))
}

// Quarter of revenue: year less nine months, both restated in 2010 (10-K/A of 2010-01-25, 10-Q of 2010-07-21).
test('every row says until when it was current, as far as that was known, and whether it is stated', async () => {
  const asked = { ticker: 'AAPL', metric: 'revenue', fy: '2009' } as const
  const short = async (as_of: string, fp: 'FY' | 'Q4') =>
    (await read({ ...asked, as_of, fp })).data.map(({ v, until, kind, generation = null }) => [
      v / 1e6,
      until,
      kind,
      generation,
    ])
  expect(await short('2010-01-24', 'FY')).toEqual([[36_537, null, 'stated', null]])
  expect(await short('2010-01-25', 'FY')).toEqual([
    [36_537, '2010-01-25', 'stated', null],
    [42_905, null, 'stated', null],
  ])
  expect(await short('2010-01-24', 'Q4')).toEqual([[9_870, null, 'derived', null]])
  expect(await short('2010-03-01', 'Q4')).toEqual([[9_870, null, 'derived', 'earlier']])
  expect(await short('2010-07-20', 'Q4')).toEqual([[9_870, null, 'derived', 'earlier']])
  expect(await short('2010-07-21', 'Q4')).toEqual([
    [9_870, '2010-07-21', 'derived', 'earlier'],
    [12_207, null, 'derived', null],
  ])
  const file = await encodeList(
    'csv',
    fundamentalsSheet,
    await read({ ...asked, as_of: '2010-03-01', fp: 'Q4' }),
  )
  expect(Buffer.from(file).toString()).toMatch(/,derived,earlier\r\n$/)
})

// 10-K 0001193125-09-214859 (2009-10-27) and 10-K/A 0001193125-10-012091 (2010-01-25) of Apple Inc.; the years
// after repeat the restated figures: 10-K of 2010-10-27 and of 2011-10-26.
describe('Apple, fiscal year 2009 (2008-09-28 to 2009-09-26), in the shipped sample', () => {
  const fy2009 = (rows: readonly FundamentalsRow[], metric: string) =>
    rows.filter(row => row.m === metric && row.end === '2009-09-26' && row.fp === 'FY')

  test('revenue is 36,537,000,000 as of 2009-12-31 and 42,905,000,000 as of 2010-02-01', async () => {
    for (const [as_of, value] of [
      ['2009-12-31', 36_537_000_000],
      ['2010-02-01', 42_905_000_000],
    ] as const) {
      const { data } = await read({ ticker: 'AAPL', as_of, metric: 'revenue' })
      expect(fy2009(data, 'revenue').at(-1)).toMatchObject({ v: value, fy: 2009, u: 'USD' })
    }
    const first = await read({ ticker: 'AAPL', as_of: '2009-12-31', metric: 'revenue', view: 'latest' })
    expect(first.data).toMatchObject([
      { v: 36_537_000_000, fp: 'FY', end: '2009-09-26', filed: '2009-10-27' },
    ])
  })

  test('history shows the two vintages of each figure and nothing for their repeats', async () => {
    const { data } = await read({ ticker: 'AAPL' })
    const vintages = (metric: string) => fy2009(data, metric).map(row => [row.filed, row.v])
    expect(vintages('revenue')).toEqual([
      ['2009-10-27', 36_537_000_000],
      ['2010-01-25', 42_905_000_000],
    ])
    expect(vintages('net_income')).toEqual([
      ['2009-10-27', 5_704_000_000],
      ['2010-01-25', 8_235_000_000],
    ])
    expect(vintages('assets')).toEqual([
      ['2009-10-27', 53_851_000_000],
      ['2010-01-25', 47_501_000_000],
    ])
  })

  test('net_margin has a vintage for each', async () => {
    const { data } = await read({ ticker: 'AAPL', metric: 'net_margin' })
    expect(fy2009(data, 'net_margin').map(row => [row.filed, row.v])).toEqual([
      ['2009-10-27', 5_704_000_000 / 36_537_000_000],
      ['2010-01-25', 8_235_000_000 / 42_905_000_000],
    ])
  })

  // The year moves from SalesRevenueNet to Revenues to RevenueFromContractWithCustomerExcludingAssessedTax in the
  // 10-Ks of 2017, 2018 and 2019.
  test('fiscal year 2017 revenue is one fact although its tag changes twice', async () => {
    const { data } = await read({ ticker: 'AAPL', metric: 'revenue' })
    expect(data.filter(row => row.fy === 2017 && row.fp === 'FY')).toMatchObject([
      { v: 229_234_000_000, filed: '2017-11-03' },
    ])
  })

  // 10-K 0000320193-20-000096 of 2020-10-30 restates fiscal 2018 for the four-for-one split of August 2020.
  test('diluted earnings per share of fiscal year 2018 are 11.91, and 2.98 since the split', async () => {
    const { data } = await read({ ticker: 'AAPL', metric: 'eps_diluted' })
    expect(data.filter(row => row.fy === 2018 && row.fp === 'FY').map(row => [row.filed, row.v])).toEqual([
      ['2018-11-05', 11.91],
      ['2020-10-30', 2.98],
    ])
  })
})

describe('over random days and every entity of the sample', () => {
  const anyDay = fc
    .integer({ min: dayNumber('2009-01-01'), max: dayNumber(today) })
    .map(day => addDays('1970-01-01', day))
  /** A day on which something was filed, or one of its neighbours: where a rule breaks if it breaks. */
  const filingDay = (ticker: string) =>
    fc
      .tuple(
        fc.constantFrom(...new Set((wholeHistory.get(ticker) ?? []).map(row => row.filed))),
        fc.integer({ min: -1, max: 1 }),
      )
      .map(([filed, shift]) => addDays(filed, shift))
      .filter(day => day <= today)

  test('no row was filed after as_of, no vintage is lost by a later as_of, latest is the end of history', async () => {
    expect(tickers.length).toBeGreaterThanOrEqual(9)
    for (const ticker of tickers) {
      const whole = wholeHistory.get(ticker) ?? []
      expect(whole.length).toBeGreaterThan(15)
      const filingDays = new Set(whole.map(row => row.filed)).size
      await fc.assert(
        fc.asyncProperty(fc.oneof(anyDay, filingDay(ticker)), async day => {
          const history = await checkHistory(deps, ticker, day, whole)
          await checkLatest(deps, ticker, day, history)
        }),
        { numRuns: Math.min(rounds(8, 25), 1 + filingDays) },
      )
    }
  }, 120_000)

  test('every ratio is of the figures known on its own filing day', () => {
    let checked = 0
    for (const ticker of tickers) checked += checkRatios(wholeHistory.get(ticker) ?? [])
    expect(checked).toBeGreaterThan(500)
  })

  test('history is ordered by metric, end and filing, and no vintage repeats the one before it', () => {
    for (const rows of nonEmpty(wholeHistory.values())) {
      const keys = rows.map(row => `${row.m} ${row.end} ${row.filed} ${row.fp === 'FY' ? 'Q0' : row.fp}`)
      expect(keys).toEqual(keys.toSorted())
      const lastOf = new Map<string, number>()
      const repeats: FundamentalsRow[] = []
      for (const row of nonEmpty(rows)) {
        const series = `${row.m} ${row.end} ${row.fp}`
        if (lastOf.get(series) === row.v) repeats.push(row)
        lastOf.set(series, row.v)
      }
      expect(repeats).toEqual([])
    }
  })
})

describe('the sample as its users meet it', () => {
  test('every response fits its schema, and every metric is one that the index lists', async () => {
    const schema = TypeCompiler.Compile(FundamentalsList)
    for (const ticker of nonEmpty(tickers)) {
      const list = await read({ ticker })
      const faults = schema.Check(list) ? [] : [...schema.Errors(list)].slice(0, 3)
      expect([schema.Check(list), faults]).toEqual([true, []])
      const unknown = new Set(list.data.map(row => row.m).filter(metric => !markets.metrics.has(metric)))
      expect([...unknown]).toEqual([])
    }
  }, 180_000)

  test('a demo key sees Apple as of any day, and of Snowflake its last full fiscal year', async () => {
    const apple = await read(
      { ticker: 'AAPL', as_of: '2009-12-31', metric: 'revenue', view: 'latest' },
      'demo',
    )
    expect(apple.data[0].v).toBe(36_537_000_000)
    const snow = await read({ ticker: 'SNOW' }, 'demo')
    const years = new Set(snow.data.map(row => row.fy))
    expect(years.size).toBe(1)
    expect(snow.data.some(row => row.m === 'revenue' && row.fp === 'FY')).toBe(true)
    const whole = wholeHistory.get('SNOW') ?? []
    const lastYear = Math.max(
      ...whole.filter(row => row.m === 'revenue' && row.fp === 'FY').map(row => row.fy),
    )
    expect([...years]).toEqual([lastYear])
  })

  test('GOOG and GOOGL are one company, each answered under the ID that was sent', async () => {
    const [goog, googl] = [
      await read({ ticker: 'GOOG', view: 'latest' }),
      await read({ ticker: 'GOOGL', view: 'latest' }),
    ]
    expect(goog.data.length).toBeGreaterThan(10)
    expect(goog.data.map(row => ({ ...row, ticker: 'GOOGL' }))).toEqual(googl.data)
    expect(goog.data.every(row => row.ticker === 'GOOG' && row.issuer_id === '0001652044')).toBe(true)
  })

  test('the coverage check finds Apple by its CIK and counts what history shows', async () => {
    const check = await checkCoverage(deps, 'CIK0000320193')
    const whole = wholeHistory.get('AAPL') ?? []
    expect(check).toMatchObject({
      ticker: 'AAPL',
      first_filed: whole.map(row => row.filed).toSorted()[0],
      last_filed: whole
        .map(row => row.filed)
        .toSorted()
        .at(-1),
      count: new Set(whole.map(row => row.m)).size,
    })
    const periods = new Set(whole.filter(row => row.m === 'revenue').map(row => `${row.end} ${row.fp}`))
    expect(check.data.find(metric => metric.m === 'revenue')?.periods).toBe(periods.size)
  })
})
