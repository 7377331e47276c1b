import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays } from '../../../src/dates.ts'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { pinsOf } from '../../pins.ts'
import { rounds } from '../../rounds.ts'
import { companyDeps } from '../companies/fixtures.ts'
import { firstDay, spanDays } from '../companies/randomFilings.ts'
import { anyChanges, applyChange, type Change } from './changes.ts'
import { answersOf } from './readers.ts'

/* What the store answered at a version is what it answers for that version ever after, whatever is imported, corrected, removed or
 * imported again. Nothing later is in it, so what was known on a day at a version cannot look ahead. */

/** Each takes ten seconds, and the first is the example. */
const numRuns = rounds(2, 30)

const opened: { close(): Promise<void> }[] = []
afterAll(async () => {
  for (const one of opened.reverse()) await one.close()
}, 180_000)

let database: TestDatabase
let deps: CompanyDeps
let pins: ReturnType<typeof pinsOf>
beforeAll(async () => {
  database = await testDatabase()
  deps = companyDeps(database.sql)
  pins = pinsOf(database.sql)
  opened.push(database, pins)
}, 180_000)

const tickers = [0, 1, 2].flatMap(number => [`E${number}`, `E${number}.JP`])

/** Four filings state one figure, so three repeat it, and one that repeats it is removed. The next import failed on its rows while they
 * stayed: seed 1321267824 found that. */
const repeating: Change = {
  kind: 'import',
  market: 'US',
  number: 0,
  drafts: [0, 1, 2, 3].map(day => ({
    day,
    hour: null,
    name: null,
    figures: [{ metric: 'revenue', period: { start: '2018-01-01', end: '2018-12-31' }, value: 1 }],
  })),
}
const repeatsOfRemovedFilings: [Change[], number] = [
  [repeating, { kind: 'sql', number: 0, statements: ['remove filing'] }, repeating],
  6,
]

test('every reader answers for a version what it answered at that version, as of any day and instant', async () => {
  let compared = 0
  let different = 0
  await fc.assert(
    fc.asyncProperty(anyChanges, fc.integer({ min: 0, max: spanDays }), async (changes, day) => {
      const { sql } = database
      const remembered = new Map<number, Record<string, string>>()
      const middle = addDays(firstDay, day)
      const days = [middle, `${middle}T12:00:00-05:00`, '2026-11-20']
      const ask = async (from: CompanyDeps) => {
        const answers: Record<string, string> = {}
        for (const as_of of days) Object.assign(answers, await answersOf(from, tickers, as_of))
        return answers
      }
      for (const change of changes) {
        await applyChange(sql, change)
        remembered.set(await readDataVersion(sql), await ask(deps))
      }
      let last: Record<string, string> | null = null
      for (const [version, answers] of nonEmpty(remembered)) {
        const again = await pins.use(version, store => ask({ ...deps, ...store }))
        for (const [name, answer] of nonEmpty(Object.entries(answers))) {
          expect([version, name, again[name]]).toEqual([version, name, answer])
          compared++
          if (
            last !== null &&
            last[name].replaceAll(/"data_?[vV]ersion":\d+/g, '') !==
              answer.replaceAll(/"data_?[vV]ersion":\d+/g, '')
          )
            different++
        }
        last = answers
      }
    }),
    { numRuns, examples: [repeatsOfRemovedFilings] },
  )
  expect(compared).toBeGreaterThan(rounds(100, 300))
  expect(different).toBeGreaterThan(0)
}, 900_000)
