import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays } from '../../../src/dates.ts'
import { companyDirectory } from '../../../src/features/companies/directory.ts'
import { fillReadyAnswers } from '../../../src/ingest/store/readyQueries.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { pinsOf } from '../../pins.ts'
import { rounds } from '../../rounds.ts'
import { companyDeps } from '../companies/fixtures.ts'
import { firstDay, importAs, spanDays, statementsOf } from '../companies/randomFilings.ts'
import { anyChange, applyChange } from '../pins/changes.ts'
import { bytesOf, isReady, withoutReady } from './ready.ts'

/* A ready answer is the answer: whatever is imported, corrected, removed, renamed or moved, on whatever day the row was made and on
 * whatever later day it is read. */

/** LONG=1 looks longer. */
const numRuns = rounds(3, 60)

const tickers = [0, 1, 2].flatMap(number => [`E${number}`, `E${number}.JP`])
const opened: { close(): Promise<unknown> }[] = []
let database: TestDatabase
let live: Sql
beforeAll(async () => {
  database = await testDatabase()
  opened.push(database)
  live = await withoutReady(database.sql)
  opened.push({ close: () => live.end() })
}, 180_000)
afterAll(async () => {
  for (const one of opened.reverse()) await one.close()
}, 180_000)

/** As an importer that works on this day does. */
const fillOn = (day: string) =>
  database.sql.begin(async transaction => {
    await transaction`select set_config('asfiled.today', ${day}, true)`
    const companies = await transaction<{ id: number }[]>`select entity_id as id from entity`
    await fillReadyAnswers(
      transaction,
      companies.map(({ id }) => id),
    )
  })

test('a ready answer has the bytes of the tables, after every change and on every day', async () => {
  const { sql } = database
  let compared = 0
  let ready = 0
  let passedBy = 0
  const step = fc.record({
    change: anyChange,
    /** The day on which the rows are made; null: on none, so that the row of another day stays or none is there. */
    madeOn: fc.option(fc.integer({ min: -1, max: spanDays + 1 }), { nil: null }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 8 }), async steps => {
      for (const { change, madeOn } of nonEmpty(steps)) {
        // Imports make rows of this very day, which are not those of an earlier one.
        await sql`delete from ready_answer where first_day > ${addDays(firstDay, spanDays + 2)}`
        await applyChange(sql, change)
        if (madeOn !== null) {
          await sql`delete from ready_answer`
          await fillOn(addDays(firstDay, madeOn))
        }
        for (const after of [0, 4, 8, spanDays + 1, 3_000]) {
          const today = () => addDays(firstDay, after)
          const directory = companyDirectory(sql)
          const fast = companyDeps(sql, { today, directory })
          const slow = companyDeps(live, { today })
          for (const ticker of nonEmpty(tickers)) {
            for (const view of ['latest', 'history'] as const) {
              const query = { ticker, view }
              const expected = await bytesOf(slow, query)
              // First by the row that comes with the company, then by one that is looked up.
              for (const again of [false, true])
                expect([view, again, await bytesOf(fast, query)]).toEqual([view, again, expected])
              compared += 2
            }
            if (await isReady(fast, ticker)) ready++
            else passedBy++
          }
        }
      }
    }),
    { numRuns },
  )
  expect(compared).toBeGreaterThan(rounds(100, 1_000))
  expect(ready).toBeGreaterThan(rounds(0, 30))
  expect(passedBy).toBeGreaterThan(rounds(0, 30))
}, 900_000)

test('while imports, corrections and passes race them, answers are those of their data version', async () => {
  const fresh = await testDatabase()
  opened.push(fresh)
  const { sql } = fresh
  const today = () => '2031-01-01'
  const directory = companyDirectory(sql)
  const fast = companyDeps(sql, { today, directory })
  const pins = pinsOf(sql)
  opened.push(pins)
  const draft = (value: number) => [
    {
      day: value % spanDays,
      hour: null,
      name: 'New',
      figures: ['revenue', 'net_income', 'assets'].map(metric => ({
        metric,
        period: { start: '2019-01-01', end: '2019-12-31' },
        value: value + 1,
      })),
    },
  ]
  const seen = new Map<string, string>()
  let done = false
  let readyAnswers = 0
  const read = async () => {
    while (!done) {
      for (const ticker of nonEmpty(tickers)) {
        directory.forget()
        const view = seen.size % 2 === 0 ? 'latest' : 'history'
        const answer = await bytesOf(fast, { ticker, view })
        const [, version] = /"data_version":(\d+)/.exec(answer) ?? []
        if (version === undefined) continue
        const name = `${version} ${ticker} ${view}`
        expect(seen.get(name) ?? answer).toBe(answer)
        seen.set(name, answer)
      }
      for (const ticker of tickers) if (await isReady(fast, ticker)) readyAnswers++
    }
  }
  const sweep = async () => {
    while (!done) {
      await sql`select fill_ready_answers(array(select entity_id from entity))`
      await Bun.sleep(2)
    }
  }
  const change = async () => {
    for (let round = 0; round < 40; round++) {
      await importAs(sql, round % 2 === 0 ? 'US' : 'JP', round % 3, statementsOf(round % 3, draft(round)))
      await applyChange(sql, { kind: 'sql', number: round % 3, statements: ['correct', 'rename'] })
    }
    done = true
  }
  await Promise.all([change(), read(), read(), sweep()])
  expect(seen.size).toBeGreaterThan(100)
  expect(readyAnswers).toBeGreaterThan(10)
  for (const [name, answer] of seen) {
    const [version, ticker, view] = name.split(' ')
    const then = await pins.use(Number(version), store =>
      bytesOf({ ...fast, ...store }, { ticker, view: view === 'latest' ? 'latest' : 'history' }),
    )
    expect([name, answer]).toEqual([name, then])
  }
  expect(await readDataVersion(sql)).toBeGreaterThan(40)
}, 300_000)
