import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayNumber } from '../../../src/dates.ts'
import type { Filing, ReportedFact } from '../../../src/facts/reportedFact.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { Terms } from '../../../src/wholeFilings/terms.ts'
import { testCursors } from '../../cursors.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { isLong, rounds } from '../../rounds.ts'
import { rightsOf } from '../companies/fixtures.ts'
import {
  companyDrafts,
  firstDay,
  importAs,
  removeCompanies,
  spanDays,
  statementsOf,
} from '../companies/randomFilings.ts'
import { type JoinBench, joinBench } from './joinBench.ts'

/* A join row with a time must equal the answer of the fundamentals route for its company at that instant, which
 * `test/features/instants.property.test.ts` compares with filings. */

let database: TestDatabase
let bench: JoinBench
beforeAll(async () => {
  database = await testDatabase()
  bench = await joinBench(database.sql)
}, 180_000)
afterAll(async () => {
  await bench.close()
  await database.close()
}, 180_000)

const periodOf = {
  FY: { view: 'latest', fp: 'FY' },
  Q: { view: 'latest', fp: 'Q1,Q2,Q3,Q4' },
  TTM: { view: 'latest', fp: 'TTM' },
  latest: { view: 'latest' },
} as const satisfies Record<string, Partial<FundamentalsQuery>>

const hourMs = 3_600_000
const start = dayNumber(firstDay) * 24 * hourMs

const withHours = (facts: readonly ReportedFact[], hours: readonly (number | null)[]): ReportedFact[] => {
  const filings = new Map<Filing, Filing>()
  return facts.map(fact => {
    const hour = hours[filings.size % hours.length]
    const acceptedAt = hour === null ? null : (fact.filing.filed * 24 + hour) * hourMs
    const filing = filings.get(fact.filing) ?? { ...fact.filing, acceptedAt }
    filings.set(fact.filing, filing)
    return { ...fact, filing }
  })
}

async function naive(
  ticker: string,
  metric: string,
  fp: keyof typeof periodOf,
  as_of: string,
  maxAge?: number,
) {
  const { deps } = bench
  const query = { ticker, metric, as_of, ...periodOf[fp] }
  const plan = await planCompany(
    { ...deps, cursors: testCursors, terms: new Terms() },
    rightsOf('personal'),
    query,
  )
  const [row] = (await readCompany({ sql: deps.sql, markets: deps.markets, terms: new Terms() }, plan)).data
  const day = plan.asOf.slice(0, 10)
  if (row === undefined || (maxAge !== undefined && dayNumber(day) - dayNumber(row.end) > maxAge))
    return [null, null, null, null]
  return [row.v, row.end, row.filed, row.known_by ?? null]
}

test('every row with a time equals the answer of the fundamentals route at that instant', async () => {
  let found = 0
  let between = 0
  let byTime = 0
  let byDay = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(companyDrafts, { minLength: 1, maxLength: 3 }),
      fc.array(fc.constantFrom(null, null, -2, 13, 15.5, 21, 26, 30, 100), { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(fc.nat(20), fc.constantFrom(-1, 0, 1)), { minLength: 4, maxLength: 10 }),
      fc.constantFrom('roe', 'revenue', 'assets', 'net_margin'),
      fc.constantFrom('FY', 'Q', 'TTM', 'latest'),
      fc.option(fc.integer({ min: 0, max: 1_200 }), { nil: undefined }),
      async (companies, hours, picks, metric, fp, maxAge) => {
        await removeCompanies(database.sql)
        const times: number[] = []
        const tickers: string[] = []
        for (const [number, drafts] of companies.entries()) {
          const facts = withHours(statementsOf(number, drafts), hours)
          tickers.push(await importAs(database.sql, 'US', number, facts))
          for (const { filing } of facts) times.push(filing.acceptedAt ?? (filing.filed * 24 + 29) * hourMs)
        }
        // In the middle of the days of filing, and after them all.
        times.push(start + spanDays * 12 * hourMs)
        const afterAll = start + (spanDays + 6) * 24 * hourMs
        const rows = tickers.map(ticker => ({ time: new Date(afterAll).toISOString(), ticker }))
        for (const [pick, near] of picks) {
          const time = new Date(times[pick % times.length] + near * 1_000).toISOString()
          for (const ticker of tickers) rows.push({ time, ticker })
        }
        const answer = await bench.join({
          rows: { time: rows.map(row => row.time), ticker: rows.map(row => row.ticker) },
          metrics: [metric],
          fp,
          ...(maxAge === undefined ? {} : { max_age_days: maxAge }),
          with: ['end', 'filed', 'known_by'],
        })
        const { columns } = answer
        for (const [index, { time, ticker }] of rows.entries()) {
          const known = (await database.sql`select 1 from entity_ticker where ticker = ${ticker}`).length > 0
          const truth = known ? await naive(ticker, metric, fp, time, maxAge) : [null, null, null, null]
          const shown = [metric, `${metric}_end`, `${metric}_filed`, `${metric}_known_by`].map(
            name => columns[name][index],
          )
          expect([time, ticker, ...shown]).toEqual([time, ticker, ...truth])
          if (shown[0] !== null) found++
          if (shown[3] === 'time') byTime++
          if (shown[3] === 'day') byDay++
          between += (
            await database.sql`
              select 1 from known_moment join entity_ticker using (entity_id)
              where ticker = ${ticker} and known_at <= ${time} and until_at > ${time} and interim is not null`
          ).length
        }
        expect(columns.time).toEqual(rows.map(row => row.time))
        expect(answer.known).toBe('public by the time')
      },
    ),
    { numRuns: rounds(27, 80), endOnFailure: true },
  )
  expect(found).toBeGreaterThan(rounds(10, 50))
  // The rounds of CI may meet none of what is rare.
  if (isLong) expect(between).toBeGreaterThan(5)
  expect(byTime).toBeGreaterThan(rounds(1, 20))
  expect(byDay).toBeGreaterThan(rounds(1, 20))
}, 240_000)
