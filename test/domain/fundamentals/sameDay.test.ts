import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FundamentalsDeps } from '../../../src/domain/fundamentals/deps.ts'
import { importStatements } from '../../../src/domain/ingest/importStatements.ts'
import { addDays, dayNumber } from '../../../src/model/date.ts'
import type { Filing, MetricRules, Statement } from '../../../src/model/statement.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { markets } from './handmade.ts'
import { checkHistory, checkLatest, checkRatios, readRows } from './invariants.ts'

let database: TestDatabase
let deps: FundamentalsDeps
beforeAll(async () => {
  database = await testDatabase()
  deps = {
    sql: database.sql,
    markets,
    today: () => '2026-11-20',
    flagship: new Set(),
    recordEntities: async () => true,
  }
}, 60_000)
afterAll(() => database.close(), 60_000)

const rules: MetricRules = {
  rule: metric => ({ kind: metric === 'assets' || metric === 'equity' ? 'instant' : 'flow', additive: true }),
  rank: () => 0,
  group: () => 0,
  annualForm: /^10-K/,
  quarterlyForm: /^10-Q/,
}

const firstDay = '2021-02-01'
const spanDays = 12
const years = [2018, 2019, 2020]

/** A filing on one of a dozen days, often the same as another's, its hour known, equal or not known at all. */
const filing = fc.record({
  day: fc.integer({ min: 0, max: spanDays }),
  hour: fc.constantFrom(null, 8, 8, 16),
  figures: fc.array(
    fc.record({
      metric: fc.constantFrom('revenue', 'net_income', 'assets', 'equity'),
      year: fc.constantFrom(...years),
      // Few values, zero among them: repeats, returns to an older value, ratios without a denominator.
      value: fc.constantFrom(0, 1, 2, 3, 5),
    }),
    { minLength: 1, maxLength: 8 },
  ),
})

/** Filings in the order in which they were made known: day, hour (unknown first), accession. */
function inOrder(filings: readonly Filing[]): Filing[] {
  return [...filings].sort(
    (a, b) =>
      a.filed - b.filed ||
      (a.acceptedAt ?? Number.NEGATIVE_INFINITY) - (b.acceptedAt ?? Number.NEGATIVE_INFINITY) ||
      (a.accession < b.accession ? -1 : 1),
  )
}

let counter = 0

test('filings of one day, in any order of import, never leak, lose or misplace a vintage', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(filing, { minLength: 1, maxLength: 10 }),
      fc.infiniteStream(fc.nat()),
      async (drafts, order) => {
        const number = counter++
        const statements: Statement[] = []
        drafts.forEach((draft, index) => {
          const filed = dayNumber(firstDay) + draft.day
          const made: Filing = {
            accession: `${number}-${(index * 7) % 10}-${index}`,
            form: '10-K',
            filed,
            acceptedAt: draft.hour === null ? null : (filed * 24 + draft.hour) * 3_600_000,
          }
          const said = new Set<string>()
          for (const { metric, year, value } of draft.figures) {
            if (said.has(`${metric} ${year}`)) continue
            said.add(`${metric} ${year}`)
            const end = dayNumber(`${year}-12-31`)
            const start = rules.rule(metric).kind === 'flow' ? dayNumber(`${year}-01-01`) : null
            statements.push({
              metric,
              tag: metric,
              unit: 'USD',
              start,
              end,
              value,
              rounded: false,
              filing: made,
            })
          }
        })
        const ticker = `E${number}`
        const profile = {
          market: 'US',
          issuerId: String(number),
          tickers: [ticker],
          fiscalYearEnd: '1231',
          registers: true,
        }
        // In two imports, the statements shuffled between them.
        const [first, second] = [0, 1].map(part =>
          statements.filter(() => Number(order.next().value) % 2 === part),
        )
        for (const part of [first, [...second, ...first].reverse(), statements]) {
          await importStatements(
            deps.sql,
            [{ contributions: [{ profile, statements: part, filings: [] }] }],
            {
              source: 'US',
              rules,
            },
          )
        }
        const today = await readRows(deps, ticker, 'history', '2026-11-20')
        const faults: object[] = []
        const filings = inOrder([...new Set(statements.map(statement => statement.filing))])
        for (let day = -1; day <= spanDays + 1; day++) {
          const asOf = addDays(firstDay, day)
          const history = await checkHistory(deps, ticker, asOf, today)
          await checkLatest(deps, ticker, asOf, history)
          // The value that counts is the one said last by that day.
          for (const metric of ['revenue', 'net_income', 'assets', 'equity']) {
            for (const year of years) {
              let said: number | undefined
              for (const made of filings) {
                if (made.filed > dayNumber(asOf)) break
                said =
                  statements.find(
                    s => s.filing === made && s.metric === metric && s.end === dayNumber(`${year}-12-31`),
                  )?.value ?? said
              }
              const last = history.filter(row => row.m === metric && row.end === `${year}-12-31`).at(-1)
              if (last?.v !== said) faults.push({ metric, year, asOf, served: last?.v, said })
            }
          }
        }
        expect(faults).toEqual([])
        checkRatios(today)
      },
    ),
    { numRuns: 40 },
  )
}, 120_000)
