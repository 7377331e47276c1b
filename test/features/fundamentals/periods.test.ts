import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber } from '../../../src/dates.ts'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import type { FundamentalsBatch } from '../../../src/features/fundamentals/batchSchema.ts'
import { planCompanies, planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import {
  type FundamentalsQuery,
  type FundamentalsRow,
  fiscalPeriods,
  vintages,
} from '../../../src/features/fundamentals/schema.ts'
import { streamCompanies } from '../../../src/features/fundamentals/stream.ts'
import { tableOf } from '../../../src/features/fundamentals/table.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { companyDeps, insertEntity, insertVintages, rightsOf } from '../companies/fixtures.ts'

const today = '2026-11-20'
let database: TestDatabase
let deps: CompanyDeps
beforeAll(async () => {
  database = await sampleDatabase()
  deps = companyDeps(database.sql, { today: () => today })
}, 120_000)
afterAll(() => database.close(), 60_000)

type Licence = Parameters<typeof rightsOf>[0]

const read = async (query: FundamentalsQuery, licence: Licence = 'personal') =>
  readCompany(deps, await planCompany(deps, rightsOf(licence), query))

async function readSeveral(query: FundamentalsQuery): Promise<FundamentalsBatch> {
  const me = rightsOf('personal')
  const { body } = await streamCompanies(deps, me, query, await planCompanies(deps, me, query))
  return new Response(body).json()
}

const companies = ['AAPL', 'GOOGL', 'SNOW', '2330.TW', '005930.KS', 'E02367.JP']
const someMetrics: Pick<FundamentalsQuery, 'metric'>[] = [
  {},
  { metric: 'revenue' },
  { metric: 'revenue,net_margin,assets' },
]

const kinds = fc.option(
  fc.subarray(
    fiscalPeriods.filter(period => period !== 'TTM'),
    { minLength: 1 },
  ),
  { nil: undefined },
)
const years = fc.option(
  fc.tuple(fc.integer({ min: 2007, max: 2026 }), fc.option(fc.integer({ min: 0, max: 4 }), { nil: null })),
  { nil: undefined },
)
const request = fc.record({
  ticker: fc.constantFrom(...companies),
  metrics: fc.constantFrom(...someMetrics),
  day: fc.integer({ min: 0, max: dayNumber(today) - dayNumber('2009-06-01') }),
  kinds,
  years,
})

interface Wanted {
  kinds: string[] | undefined
  years: [number, number | null] | undefined
}

const sent = ({ kinds, years }: Wanted): Pick<FundamentalsQuery, 'fp' | 'fy'> => ({
  ...(kinds === undefined ? {} : { fp: kinds.join(',') }),
  ...(years === undefined
    ? {}
    : { fy: years[1] === null ? `${years[0]}` : `${years[0]}..${years[0] + years[1]}` }),
})

const fits = ({ kinds, years }: Wanted) => {
  const [first, span] = years ?? [0, 9_999]
  return (row: FundamentalsRow) =>
    (kinds === undefined || kinds.includes(row.fp)) && row.fy >= first && row.fy <= first + (span ?? 0)
}

/** Balances, and ratios of them alone. */
const isBalance = (metric: string) =>
  deps.markets.metrics.get(metric)?.kind === 'stock' || /^(debt_to_equity|current_ratio)$/.test(metric)

/** Where fourth quarters are wanted and years are not, a balance of a year end answers as that of the fourth quarter. */
const named = ({ kinds }: Wanted, rows: readonly FundamentalsRow[]): FundamentalsRow[] =>
  kinds?.includes('Q4') && !kinds.includes('FY')
    ? rows.map(row => (row.fp === 'FY' && isBalance(row.m) ? { ...row, fp: 'Q4' } : row))
    : [...rows]

/** Only view=latest marks rows as stale. */
const withoutStale = ({ stale: _, ...row }: FundamentalsRow) => row

/** The latest period of each metric. If a year and a quarter end on the same day, the year comes first. */
function latestOf(rows: readonly FundamentalsRow[]): FundamentalsRow[] {
  const rank = (row: FundamentalsRow) => `${row.end} ${row.fp === 'FY' ? 9 : row.fp.slice(1)}`
  const best = new Map<string, FundamentalsRow>()
  for (const row of rows) {
    const known = best.get(row.m)
    if (known === undefined || rank(row) >= rank(known)) best.set(row.m, row)
  }
  return [...best.values()]
}

describe('fp and fy select among the rows that are visible as of the day', () => {
  test('of a history: the answer is the whole history, filtered', async () => {
    await fc.assert(
      fc.asyncProperty(
        request,
        fc.constantFrom(...vintages),
        async ({ ticker, metrics, day, ...wanted }, vintage) => {
          const query = { ticker, ...metrics, vintage, as_of: addDays('2009-06-01', day) }
          const whole = await read(query)
          const some = await read({ ...query, ...sent(wanted) })
          expect(some.data).toEqual(named(wanted, whole.data).filter(fits(wanted)))
          expect(some.count).toBe(some.data.length)
        },
      ),
      { numRuns: 150 },
    )
  }, 120_000)

  test('of view=latest: the answer is the latest of the current rows that fit', async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ ticker, metrics, day, ...wanted }) => {
        const query = { ticker, ...metrics, as_of: addDays('2009-06-01', day) }
        const current = await read({ ...query, vintage: 'latest' })
        const some = await read({ ...query, view: 'latest', ...sent(wanted) })
        expect(some.data.map(withoutStale)).toEqual(
          latestOf(named(wanted, current.data).filter(fits(wanted))),
        )
      }),
      { numRuns: 150 },
    )
  }, 120_000)

  test('of several companies: the rows of each as if it were requested alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        request,
        fc.constantFrom('history' as const, 'latest' as const),
        async ({ metrics, day, ...wanted }, view) => {
          const query = { ...metrics, view, as_of: addDays('2009-06-01', day), ...sent(wanted) }
          const tickers = ['AAPL', '2330.TW', 'SNOW']
          const batch = await readSeveral({ ...query, ticker: tickers.join(',') })
          const alone = await Promise.all(tickers.map(ticker => read({ ...query, ticker })))
          expect(batch.data).toEqual(alone.flatMap(list => list.data))
          expect(batch.companies.map(company => company.note)).toEqual(alone.map(list => list.note))
        },
      ),
      { numRuns: 30 },
    )
  }, 120_000)

  test('never show a demo or free key more than it sees without them', async () => {
    let rows = 0
    await fc.assert(
      fc.asyncProperty(
        request,
        fc.constantFrom<Licence>('demo', 'free'),
        fc.constantFrom('history' as const, 'latest' as const),
        async ({ ticker, metrics, day: _, ...wanted }, licence, view) => {
          const query = { ticker, ...metrics }
          const seen = await read(query, licence)
          const some = await read({ ...query, view, ...sent(wanted) }, licence)
          const known = new Set(named(wanted, seen.data).map(row => JSON.stringify(row)))
          expect(some.data.filter(row => !known.has(JSON.stringify(withoutStale(row))))).toEqual([])
          rows += some.data.length
        },
      ),
      { numRuns: 80 },
    )
    expect(rows).toBeGreaterThan(0)
  }, 120_000)
})

// 10-K 0001193125-09-214859 (2009-10-27) and 10-K/A 0001193125-10-012091 (2010-01-25) of Apple Inc.
test('the revenue of fiscal year 2009: one row at the end of 2009, both on 2010-02-01', async () => {
  const query = { ticker: 'AAPL', metric: 'revenue', fp: 'FY', fy: '2009' }
  const rows = async (as_of: string) =>
    (await read({ ...query, as_of })).data.map(row => [row.fy, row.fp, row.filed, row.v])
  expect(await rows('2009-12-31')).toEqual([[2009, 'FY', '2009-10-27', 36_537_000_000]])
  expect(await rows('2010-02-01')).toEqual([
    [2009, 'FY', '2009-10-27', 36_537_000_000],
    [2009, 'FY', '2010-01-25', 42_905_000_000],
  ])
})

test('vintage=first is the first vintage of its period, even if a later one has the fiscal year that is sent', async () => {
  const entityId = await insertEntity(database.sql, {
    market: 'US',
    issuerId: '0000000077',
    ticker: 'MOVED',
    name: null,
  })
  await insertVintages(database.sql, entityId, [
    ['revenue', 0, 2019, '2019-04-01', '2020-03-31', '2020-05-01', 1, 'moved-1'],
    ['revenue', 0, 2020, '2019-04-01', '2020-03-31', '2021-05-01', 2, 'moved-2'],
  ])
  const values = async (query: Omit<FundamentalsQuery, 'ticker'>, licence?: Licence) =>
    (await read({ ticker: 'MOVED', ...query }, licence)).data.map(row => row.v)
  expect(await values({ vintage: 'first', fy: '2019' })).toEqual([1])
  expect(await values({ vintage: 'first', fy: '2020' })).toEqual([])
  expect(await values({ vintage: 'latest', fy: '2019' })).toEqual([])
  expect(await values({ fy: '2019..2020' })).toEqual([1, 2])
  // A demo key sees only fiscal year 2020, and this figure of that year is a restated one.
  expect(await values({}, 'demo')).toEqual([2])
  expect(await values({ vintage: 'first' }, 'demo')).toEqual([])
  expect(await values({ vintage: 'first', fp: 'TTM', fy: '2020' })).toEqual([])
  expect(await values({ vintage: 'first', fp: 'TTM' }, 'demo')).toEqual([])
})

describe('an answer without rows says which periods there are', () => {
  const noteOf = async (query: Omit<FundamentalsQuery, 'ticker'>, ticker = 'AAPL', licence?: Licence) => {
    const { count, note } = await read({ ticker, ...query }, licence)
    expect(count).toBe(0)
    return note
  }

  test('as far as they were filed by the day', async () => {
    // 10-K 0001193125-09-214859 states the fiscal years 2007 to 2009.
    const query = { metric: 'revenue', as_of: '2009-12-31' }
    expect(await noteOf({ ...query, fp: 'FY', fy: '2012' })).toMatch(
      /^revenue: No FY rows of fiscal year 2012 were filed up to 2009-12-31\. On record by then: FY 2007 to 2009[,.]/,
    )
    expect(await noteOf({ ...query, fy: '2012..2014' })).toStartWith(
      'revenue: No rows of fiscal years 2012 to 2014 were',
    )
    expect(await noteOf({ ...query, fp: 'Q1,Q2', fy: '2012' })).toStartWith(
      'revenue: No Q1 or Q2 rows of fiscal year 2012 were',
    )
    expect(await noteOf({ ...query, fp: 'FY', fy: '2008', from: '2009-01-01' })).toStartWith(
      'revenue: No FY rows of fiscal year 2008 that end on or after 2009-01-01 were',
    )
  })

  test('and of all metrics, where none is named', async () => {
    expect(await noteOf({ as_of: '2009-12-31', fp: 'FY', fy: '2012' })).toStartWith(
      'No FY rows of fiscal year 2012',
    )
  })

  test('one metric of several, too', async () => {
    const { note } = await read({
      ticker: 'MOVED',
      metric: 'revenue,assets',
      fy: '2019',
      vintage: 'first',
    })
    expect(note).toBe('MOVED reports no assets in filings up to 2026-11-20.')
  })

  test('and to a demo key only that it sees one fiscal year', async () => {
    const note = await noteOf({ fy: '2021' }, 'SNOW', 'demo')
    expect(note).toContain('This key sees only the most recent reported fiscal year of SNOW')
    expect(note).not.toContain('On record')
  })
})

describe('the cache key of a plan', () => {
  const keyOf = async (query: FundamentalsQuery) =>
    (await planCompany(deps, rightsOf('personal'), query)).cacheKey

  test('has fp and fy in one spelling, and nothing where neither is sent', async () => {
    const plain = await keyOf({ ticker: 'AAPL' })
    expect(JSON.parse(plain).length).toBe(16)
    const all = [
      await keyOf({ ticker: 'AAPL', fp: 'FY' }),
      await keyOf({ ticker: 'AAPL', fy: '2009' }),
      await keyOf({ ticker: 'AAPL', fp: 'FY', fy: '2009' }),
      await keyOf({ ticker: 'AAPL', fy: '2009..2010' }),
      await keyOf({ ticker: 'AAPL', fp: 'FY,Q1' }),
    ]
    expect(new Set([plain, ...all]).size).toBe(6)
    expect(await keyOf({ ticker: 'AAPL', fp: 'Q1, FY' })).toBe(all[4])
    expect(await keyOf({ ticker: 'AAPL', fy: '2009..2009' })).toBe(all[1])
  })
})

// Apple's 10-K 0001193125-09-214859: assets of 53,851 million; 10-K/A 0001193125-10-012091: 47,501. Its 10-K 0001193125-10-238044:
// assets of 75,183, revenue of 65,225 and, less 44,882 in nine months, 20,343.
describe('a balance of a year end answers to Q4', () => {
  const rows = async (query: Omit<FundamentalsQuery, 'ticker'>) =>
    (await read({ ticker: 'AAPL', as_of: '2010-12-31', ...query })).data

  test('as it does to FY, under the name that was sent, and once where both were', async () => {
    const short = async (fp: string) =>
      (await rows({ metric: 'assets', fy: '2009', fp })).map(row => [row.fp, row.end, row.filed, row.v / 1e6])
    const both = (name: string) => [
      [name, '2009-09-26', '2009-10-27', 53_851],
      [name, '2009-09-26', '2010-01-25', 47_501],
    ]
    expect(await short('Q4')).toEqual(both('Q4'))
    expect(await short('FY')).toEqual(both('FY'))
    expect(await short('FY,Q4')).toEqual(both('FY'))
    expect(
      (await rows({ metric: 'assets', fp: 'Q4', view: 'latest' })).map(row => [row.fp, row.v / 1e6]),
    ).toEqual([['Q4', 75_183]])
    const first = await rows({ metric: 'assets', fp: 'Q4', fy: '2009', vintage: 'first' })
    expect(first.map(row => row.v / 1e6)).toEqual([53_851])
    // The year's own flows and ratios stay the year's.
    expect(await rows({ metric: 'roe', fp: 'Q4' })).toEqual([])
  })

  test('in a wide table of quarters, whose fourth row has flows, balances and the count on the cover', async () => {
    const query = { metric: 'revenue,assets,shares_outstanding', fy: '2010', layout: 'wide' as const }
    const tableFor = async (fp: string) => {
      const sent = { ticker: 'AAPL', as_of: '2010-12-31', ...query, fp }
      const plan = await planCompany(deps, rightsOf('personal'), sent)
      const { data } = tableOf(await readCompany(deps, plan), plan.columns)
      return data.map(row => [row.fp, row.revenue, row.assets, row.shares_outstanding])
    }
    const quarters = await tableFor('Q1,Q2,Q3,Q4')
    expect(quarters.map(([fp, revenue]) => [fp, Number(revenue) / 1e6])).toEqual([
      ['Q1', 15_683],
      ['Q2', 13_499],
      ['Q3', 15_700],
      ['Q4', 20_343],
    ])
    expect(quarters.flat()).not.toContain(null)
    expect(quarters.at(-1)?.slice(2)).toEqual([75_183_000_000, 917_307_099])
    expect((await tableFor('FY,Q4')).map(row => [row[0], row[2]])).toEqual([
      ['Q4', null],
      ['FY', 75_183_000_000],
    ])
  })

  test('and a note lists periods as the request names them', async () => {
    const note = async (fp: string) =>
      (await read({ ticker: 'AAPL', metric: 'assets', fy: '1999', fp, as_of: '2010-12-31' })).note
    expect(await note('Q4')).toContain(
      'On record by then: Q1 2010, Q2 2010, Q3 2009 to 2010, Q4 2008 to 2010.',
    )
    expect(await note('FY')).toContain(
      'On record by then: FY 2008 to 2010, Q1 2010, Q2 2010, Q3 2009 to 2010.',
    )
  })
})
