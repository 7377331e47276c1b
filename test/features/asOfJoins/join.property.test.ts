import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber } from '../../../src/dates.ts'
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

/* A row of a join is what the fundamentals route answers for its company as of the day before its date. So each row is compared with that
 * answer, and each company is imported once more, under another ID, without what was filed on that day or later. */

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

interface Cell {
  readonly value: number | null
  readonly end: string | null
  readonly filed: string | null
}
const nothing: Cell = { value: null, end: null, filed: null }

/** The route's response for one row. */
async function naive(
  ticker: string,
  metric: string,
  fp: keyof typeof periodOf,
  known: string,
  date: string,
  maxAge: number | undefined,
): Promise<Cell> {
  const { deps } = bench
  const plan = await planCompany(
    { ...deps, cursors: testCursors, terms: new Terms() },
    rightsOf('personal'),
    {
      ticker,
      metric,
      as_of: known,
      ...periodOf[fp],
    },
  )
  const { data } = await readCompany({ sql: deps.sql, markets: deps.markets, terms: new Terms() }, plan)
  const [row] = data
  if (data.length > 1) throw new Error('view=latest has one row a metric')
  if (row === undefined) return nothing
  if (maxAge !== undefined && dayNumber(date) - dayNumber(row.end) > maxAge) return nothing
  return { value: row.v, end: row.end, filed: row.filed }
}

test('every row is what the fundamentals route answers as of the day before its date, whatever was filed later', async () => {
  let found = 0
  let aged = 0
  let later = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(companyDrafts, { minLength: 1, maxLength: 3 }),
      fc.uniqueArray(fc.integer({ min: -1, max: spanDays + 2 }), { minLength: 2, maxLength: 4 }),
      fc.constantFrom('roe', 'revenue', 'assets', 'net_margin'),
      fc.constantFrom('FY', 'Q', 'TTM', 'latest'),
      fc.boolean(),
      fc.option(fc.integer({ min: 0, max: 1_200 }), { nil: undefined }),
      fc.integer({ min: 0, max: 3 }),
      async (companies, days, metric, fp, inclusive, maxAge, cut) => {
        await removeCompanies(database.sql)
        const lag = inclusive ? 0 : -1
        const cutDate = addDays(firstDay, days[cut % days.length])
        const cutDay = addDays(cutDate, lag)
        for (const [number, drafts] of companies.entries()) {
          const statements = statementsOf(number, drafts)
          await importAs(bench.deps.sql, 'US', number, statements)
          await importAs(
            bench.deps.sql,
            'JP',
            number,
            statements.filter(statement => statement.filing.filed <= dayNumber(cutDay)),
          )
        }
        const tickers = companies.map((_, number) => `E${number}`)
        const rows = days.flatMap(day => tickers.map(ticker => ({ date: addDays(firstDay, day), ticker })))
        const settings = {
          metrics: [metric],
          fp,
          inclusive,
          with: ['end', 'filed'],
          ...(maxAge === undefined ? {} : { max_age_days: maxAge }),
        }
        const { columns, units } = await bench.join({
          ...settings,
          rows: { date: rows.map(row => row.date), ticker: rows.map(row => row.ticker) },
        })
        const cells = rows.map((_, i) => ({
          value: columns[metric][i],
          end: columns[`${metric}_end`][i],
          filed: columns[`${metric}_filed`][i],
        }))
        const truth: Cell[] = []
        for (const { date, ticker } of rows)
          truth.push(await naive(ticker, metric, fp, addDays(date, lag), date, maxAge))
        expect(cells).toEqual(truth)
        for (const [i, { filed }] of cells.entries()) {
          if (filed === null) continue
          found++
          expect(String(filed) <= addDays(rows[i].date, lag)).toBe(true)
        }
        if (maxAge !== undefined) aged += truth.filter(cell => cell.value === null).length
        expect(units[metric].length).toBeLessThanOrEqual(1)
        // A company without later filings on record has the same figures on that day.
        const twins = await bench.join({
          ...settings,
          rows: { date: tickers.map(() => cutDate), ticker: tickers.map(ticker => `${ticker}.JP`) },
        })
        const own = cells.filter((_, i) => rows[i].date === cutDate)
        expect(twins.columns[metric]).toEqual(own.map(cell => cell.value))
        expect(twins.columns[`${metric}_filed`]).toEqual(own.map(cell => cell.filed))
        later += own.filter(cell => cell.filed !== null).length
      },
    ),
    { numRuns: rounds(20, 50) },
  )
  expect(found).toBeGreaterThan(rounds(0, 15))
  // The rounds of CI may meet none of what is rare.
  if (!isLong) return
  expect(aged).toBeGreaterThan(3)
  expect(later).toBeGreaterThan(2)
}, 180_000)
