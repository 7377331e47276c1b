import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { companyDeps, principal } from '../companies/fixtures.ts'

let database: TestDatabase
let deps: CompanyDeps
beforeAll(async () => {
  database = await sampleDatabase()
  deps = companyDeps(database.sql, { today: () => '2026-11-20' })
}, 120_000)
afterAll(() => database.close(), 60_000)

const read = async (query: FundamentalsQuery) =>
  (await readCompany(deps, await planCompany(deps, principal('personal'), query))).data

test('trailing twelve months are served when asked for, as known on the day, and else never', async () => {
  const latest = async (as_of: string, metric = 'revenue') => {
    const rows = await read({ ticker: 'AAPL', fp: 'TTM', view: 'latest', metric, as_of })
    return rows.map(({ m, fp, end, v }) => [m, fp, end, m === 'revenue' ? v / 1e6 : v])
  }
  // 10-K 0001193125-09-214859; 10-K/A and 10-Q of 2010-01-25; 10-Q 0001193125-10-088957.
  expect(await latest('2009-12-31')).toEqual([['revenue', 'TTM', '2009-09-26', 36_537]])
  expect(await latest('2010-01-25')).toEqual([['revenue', 'TTM', '2009-12-26', 46_708]])
  expect(await latest('2010-04-20')).toEqual([['revenue', 'TTM', '2009-12-26', 46_708]])
  expect(await latest('2010-04-21')).toEqual([['revenue', 'TTM', '2010-03-27', 51_123]])
  // The year after the 10-K of 2010-10-27: 65,225.
  expect(await latest('2010-11-01')).toEqual([['revenue', 'TTM', '2010-09-25', 65_225]])
  expect(await latest('2010-11-01', 'eps,shares_diluted')).toEqual([])

  const everything = await read({ ticker: 'AAPL' })
  expect(nonEmpty(everything).some(row => row.fp === 'TTM' || row.m.endsWith('_ttm'))).toBe(false)
  const unasked = await read({ ticker: 'AAPL', view: 'latest' })
  expect(nonEmpty(unasked).some(row => row.fp === 'TTM' || row.m.endsWith('_ttm'))).toBe(false)
})

test('margins and returns on trailing twelve months; the history has vintages as any other', async () => {
  const rows = await read({ ticker: 'AAPL', fp: 'TTM', metric: 'net_margin,roe', as_of: '2010-04-21' })
  const margin = rows.find(row => row.m === 'net_margin' && row.end === '2010-03-27')
  // 8,235 + 6,452 - 3,875 over 51,123; equity of 2010-03-27: 39,348.
  expect(margin?.v).toBeCloseTo((8_235 + 6_452 - 3_875) / 51_123, 12)
  expect(rows.find(row => row.m === 'roe' && row.end === '2010-03-27')?.v).toBeCloseTo(10_812 / 39_348, 12)
  const years = await read({
    ticker: 'AAPL',
    fp: 'TTM',
    metric: 'revenue',
    from: '2009-09-26',
    as_of: '2010-02-01',
  })
  expect(years.map(row => [row.end, row.v / 1e6, row.until, row.kind])).toEqual([
    ['2009-09-26', 36_537, '2010-01-25', 'stated'],
    ['2009-09-26', 42_905, null, 'stated'],
    ['2009-12-26', 46_708, null, 'derived'],
  ])
  const first = await read({ ticker: 'AAPL', fp: 'TTM', metric: 'revenue', fy: '2009', vintage: 'first' })
  expect(first.map(row => row.v / 1e6)).toEqual([34_562, 36_537])
})

test('trailing twelve months that a restatement holds back are stale, and say why', async () => {
  const latest = async (as_of: string, metric: string) =>
    (await read({ ticker: 'AAPL', fp: 'TTM', view: 'latest', metric, as_of })).map(row => [
      row.end,
      row.stale,
      row.stale_reason,
    ])
  // 10-Q of 2017-08-02: nine months of fiscal 2016 restated from 8,978 to 9,058; the year waits for the 10-K of 2017-11-03.
  const reason =
    'No trailing twelve months to 2017-07-01 were known on 2017-08-10: dividends_paid was restated for one of the full year to 2016-09-24 and the year to date to 2016-06-25, and not yet for the other.'
  expect(await latest('2017-08-10', 'dividends_paid')).toEqual([['2017-04-01', true, reason]])
  expect(await latest('2017-08-01', 'dividends_paid')).toEqual([['2017-04-01', undefined, undefined]])
  expect(await latest('2017-11-03', 'dividends_paid')).toEqual([['2017-09-30', undefined, undefined]])
  // Revenue of the same day is not held back, nor is that of the restated year 2009, of which the interim figures came with it.
  expect(await latest('2017-08-10', 'revenue')).toEqual([['2017-07-01', undefined, undefined]])
  expect(await latest('2010-01-25', 'revenue')).toEqual([['2009-12-26', undefined, undefined]])
  // A figure made of one that is held back names that one.
  const [cashFlow] = await latest('2017-08-10', 'free_cash_flow')
  expect(cashFlow.slice(0, 2)).toEqual(['2016-12-31', true])
  expect(cashFlow[2]).toContain('operating_cash_flow is stated under names of different meaning')
})

test('TTM with other periods is refused, and says what to send', async () => {
  await expect(read({ ticker: 'AAPL', fp: 'FY,TTM' })).rejects.toThrow(/Send fp=TTM alone/)
})

test('a computed metric has a row where every component is stated, and else says what is missing', async () => {
  const short = async (query: FundamentalsQuery) =>
    (await read(query)).map(row => [row.m, row.fp, row.filed, row.v / 1e6, row.kind])
  // 10-K 0001193125-09-214859: cash flow from operations 10,159, payments for property 1,144; operating income 7,658 and
  // depreciation 703. 10-K/A 0001193125-10-012091: operating income 11,740, depreciation 734.
  expect(await short({ ticker: 'AAPL', metric: 'free_cash_flow', fp: 'FY', fy: '2009' })).toEqual([
    ['free_cash_flow', 'FY', '2009-10-27', 10_159 - 1_144, 'derived'],
  ])
  expect(await short({ ticker: 'AAPL', metric: 'ebitda', fp: 'FY', fy: '2009' })).toEqual([
    ['ebitda', 'FY', '2009-10-27', 7_658 + 703, 'derived'],
    ['ebitda', 'FY', '2010-01-25', 11_740 + 734, 'derived'],
  ])
  const list = await readCompany(
    deps,
    await planCompany(deps, principal('personal'), {
      ticker: 'LPA',
      metric: 'working_capital,ebitda',
      as_of: '2024-04-25',
    }),
  )
  expect(list.missing).toEqual([
    { metric: 'ebitda', components: ['operating_income', 'depreciation_amortization'] },
    { metric: 'working_capital', components: ['current_assets', 'current_liabilities'] },
  ])
})

test('debt that is not stated in all parts says which part is missing', async () => {
  const query = { ticker: 'SNOW', metric: 'total_debt,net_debt,book_value_per_share', fp: 'FY', fy: '2025' }
  const { data, missing } = await readCompany(deps, await planCompany(deps, principal('personal'), query))
  // 10-K 0001640147-25-000052: convertible notes of 2,271.5 million, and no debt due within a year is stated. Equity 2,999.929
  // million, 334.1 million shares on the cover.
  expect(data.map(row => [row.m, row.fp, row.filed, row.v.toFixed(2), row.u, row.kind])).toEqual([
    ['book_value_per_share', 'FY', '2025-03-21', '8.98', 'USD/shares', 'derived'],
  ])
  expect(missing).toEqual([
    { metric: 'total_debt', components: ['current_debt', 'long_term_debt_noncurrent'] },
    { metric: 'net_debt', components: ['total_debt'] },
  ])
})

test('where every part of a debt is served, what is missing is the reason why they are not added', async () => {
  const missingOf = async (query: FundamentalsQuery) =>
    (await readCompany(deps, await planCompany(deps, principal('personal'), query))).missing
  // 10-K 0001652044-21-000010: 999 million due within a year without leases, 13,932 million with them.
  const leases =
    'FY 2020: one of long_term_debt_current and long_term_debt_noncurrent is stated with leases and the other without, so they are not added.'
  const ofAlphabet = { ticker: 'GOOGL', fp: 'FY', fy: '2020' }
  expect(await missingOf({ ...ofAlphabet, metric: 'total_debt' })).toEqual([
    { metric: 'total_debt', components: [], reason: leases },
  ])
  expect(await missingOf({ ...ofAlphabet, metric: 'net_debt' })).toEqual([
    {
      metric: 'net_debt',
      components: ['total_debt'],
      reason: leases.replace('FY 2020: ', 'FY 2020: No total_debt: '),
    },
  ])
  // Only the year of the request counts: for 2018 no commercial paper is stated, and in 2019 a total debt is served.
  expect(await missingOf({ ...ofAlphabet, fy: '2019', metric: 'total_debt' })).toBeUndefined()
  // Praxair, 10-K 0001193125-10-038766: short-term borrowings of 227 million and 71 of long-term debt due within a year.
  const overlap = await missingOf({ ticker: 'CIK0000884905', metric: 'current_debt,total_debt', fp: 'FY' })
  expect(overlap?.map(({ metric, components }) => [metric, components])).toEqual([
    ['current_debt', []],
    ['total_debt', ['current_debt']],
  ])
  for (const { reason } of nonEmpty(overlap)) expect(reason).toContain('may include long_term_debt_current')
})

test('nothing is missing for the trailing twelve months of a balance, which has none', async () => {
  const metric = 'total_debt,net_debt,working_capital,book_value_per_share,ebitda'
  const query = { ticker: 'LPA', metric, fp: 'TTM', as_of: '2024-04-25' }
  const { data, missing } = await readCompany(deps, await planCompany(deps, principal('personal'), query))
  expect(data).toEqual([])
  expect(missing).toEqual([
    { metric: 'ebitda', components: ['operating_income', 'depreciation_amortization'] },
  ])
})
