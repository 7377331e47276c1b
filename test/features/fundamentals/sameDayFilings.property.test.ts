import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber } from '../../../src/dates.ts'
import type { Filing } from '../../../src/facts/reportedFact.ts'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { rounds } from '../../rounds.ts'
import { companyDeps } from '../companies/fixtures.ts'
import { draftsOf, firstDay, importAs, spanDays, statementsOf } from '../companies/randomFilings.ts'
import { checkHistory, checkLatest, checkRatios, readRows } from './invariants.ts'

let database: TestDatabase
let deps: CompanyDeps
beforeAll(async () => {
  database = await testDatabase()
  deps = companyDeps(database.sql)
}, 180_000)
afterAll(() => database.close(), 60_000)

const years = [2018, 2019, 2020]
const filing = draftsOf(
  years.map(year => ({ start: `${year}-01-01`, end: `${year}-12-31` })),
  [1, 8],
)

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
        const statements = statementsOf(number, drafts)
        // In two imports, the statements shuffled between them.
        const [first, second] = [0, 1].map(part =>
          statements.filter(() => Number(order.next().value) % 2 === part),
        )
        let ticker = ''
        for (const part of [first, [...second, ...first].reverse(), statements]) {
          ticker = await importAs(deps.sql, 'US', number, part)
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
    { numRuns: rounds(14, 40) },
  )
}, 120_000)
