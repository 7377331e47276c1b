import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays } from '../../../src/dates.ts'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { draftsOf, firstDay, importAs, spanDays, statementsOf } from '../companies/randomFilings.ts'
import { follow, Mirror, truth } from './mirror.ts'

let database: TestDatabase
let other: Sql
beforeAll(async () => {
  database = await testDatabase()
  other = connect({ url: database.url, connections: 2, statementTimeoutMs: 60_000 })
}, 180_000)
afterAll(async () => {
  await other.end()
  await database.close()
}, 180_000)

const periods = [2018, 2019, 2020].flatMap(year => [
  { start: `${year}-01-01`, end: `${year}-12-31` },
  { start: `${year}-01-01`, end: `${year}-03-31` },
])
/** Imports of a company's filings in any order, so that rows end, are corrected and go; on days before and after they are filed. */
const scenario = fc.record({
  companies: fc.array(
    fc.record({
      drafts: fc.array(draftsOf(periods, [2, 8]), { minLength: 2, maxLength: 6 }),
      order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  steps: fc.array(
    fc.record({
      /** After the first. */
      days: fc.integer({ min: 0, max: 4 }),
      limit: fc.constantFrom(1, 3, 7, 1_000),
      syncs: fc.boolean(),
      saysDay: fc.boolean(),
      importsMeanwhile: fc.boolean(),
      renames: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 3, maxLength: 7 },
  ),
})

let number = 0
const mirror = new Mirror()
let day = firstDay

let sql: Sql

/** Imports of new connections are of this day. */
async function setDay(to: string): Promise<void> {
  const isNew = sql === undefined || to !== day
  day = to
  if (!isNew) return
  await database.admin.unsafe(
    `alter database ${new URL(database.url).pathname.slice(1)} set asfiled.today = '${to}'`,
  )
  await sql?.end()
  sql = connect({ url: database.url, connections: 3, statementTimeoutMs: 60_000 })
}

test('a copy maintained by the feed is the data, row by row, on every day and under imports', async () => {
  await setDay(day)
  let examined = 0
  await fc.assert(
    fc.asyncProperty(scenario, async ({ companies, steps }) => {
      // The clock never goes back: each run continues the database and the copy of the one before.
      const start = day
      const shift = { days: Math.round((Date.parse(start) - Date.parse(firstDay)) / 86_400_000) }
      const waiting = companies.flatMap(({ drafts, order }) => {
        const own = number++
        const statements = statementsOf(
          own,
          drafts.map(draft => ({ ...draft, day: draft.day + shift.days })),
        )
        const filings = [...new Set(statements.map(({ filing }) => filing))]
        return order
          .filter(place => place < filings.length)
          .map(
            place => () =>
              importAs(
                sql,
                'US',
                own,
                statements.filter(({ filing }) => filing === filings[place]),
              ),
          )
      })
      const importNext = async () => waiting.shift()?.()
      for (const step of steps) {
        await setDay(addDays(day, step.days))
        await importNext()
        if (step.renames) await rename()
        if (!step.syncs) continue
        const expected = await truth(sql, day)
        const meanwhile = step.importsMeanwhile ? importNext : undefined
        await follow([sql, other], mirror, {
          ...step,
          day,
          ...(meanwhile === undefined ? {} : { meanwhile }),
        })
        expect(mirror.sorted()).toEqual(expected)
        examined += expected.length
      }
      while (waiting.length > 0) await importNext()
      await follow([sql, other], mirror, { day, limit: 1_000, saysDay: false })
      expect(mirror.sorted()).toEqual(await truth(sql, day))
      await setDay(addDays(day, spanDays + 1))
      await follow([sql, other], mirror, { day, limit: 50 })
      expect(mirror.sorted()).toEqual(await truth(sql, day))
    }),
    { numRuns: Number(process.env.RUNS ?? 12), endOnFailure: true },
  )
  expect(examined).toBeGreaterThan(100)
  // The feed has sent every kind of row.
  expect(Object.keys(mirror.changes).sort()).toEqual(['added', 'ended', 'removed', 'renamed'])
  await sql.end()
}, 120_000)

/** A company changes its ID, in a data version of its own, as an import of a list of companies does it. */
async function rename(): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`
      update entity set ticker = ticker || 'X' where entity_id = (select max(entity_id) from entity)`
    await transaction`update data_version set version = version + 1`
    await transaction`
      insert into import_batch (version, source, entities, facts_added)
      select version, 'test', 1, 0 from data_version`
  })
}
