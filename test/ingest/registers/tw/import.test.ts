import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { twRegister } from '../../../../src/ingest/registers/tw/register.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { storedFacts, storedRepeats } from '../../stored.ts'

setDefaultTimeout(180_000)

const fixtures = `${import.meta.dir}/fixtures`
const folder = mkdtempSync(join(tmpdir(), 'asfiled-tw-'))
afterAll(() => rmSync(folder, { recursive: true }), 60_000)
const fresh = freshDatabases()

const load = (sql: Sql, ...paths: string[]) =>
  importRegister(sql, twRegister, { paths, observedOn: '2026-11-20' }, () => {})

const files = ['income_2023-2024.csv', 't187ap06_L_ci.json', 't187ap07_L_ci.json'].map(
  name => `${fixtures}/${name}`,
)

/** The current vintage of a figure on a day, as [filed, value]. */
async function current(sql: Sql, ticker: string, metric: string, end: string, asOf: string) {
  const rows = await sql<{ filed: string; value: number }[]>`
    select f.filed::text, f.value from fact_as_of(${asOf}) f
    join entity_ticker t using (entity_id) join metric m using (metric_id)
    where t.ticker = ${ticker} and m.name = ${metric} and f.period_end = ${end} and f.current`
  return rows.map(row => [row.filed, row.value])
}

test('income statement and balance sheet give the same rows in any order, together or one by one', async () => {
  const together = await fresh()
  await load(together, ...files)
  const rows = await storedFacts(together)
  expect(rows.length).toBeGreaterThan(100)
  const apart = await fresh()
  for (const path of files.toReversed()) await load(apart, path)
  expect(await storedFacts(apart)).toEqual(rows)
  const repeats = await storedRepeats(together)
  for (let time = 0; time < 2; time++) {
    await together`truncate import_file`
    const again = await load(together, ...files)
    expect([again.written.changed, await storedRepeats(together)]).toEqual([false, repeats])
  }
  // Hon Hai's half-year 2026 counts from the deadline, although the table was made three days later.
  expect(await current(together, '2317.TW', 'revenue_ytd', '2026-06-30', '2026-08-13')).toEqual([])
  expect(await current(together, '2317.TW', 'revenue_ytd', '2026-06-30', '2026-08-14')).toEqual([
    ['2026-08-14', 4_645_427_824_000],
  ])
  expect(await current(together, '2317.TW', 'assets', '2026-06-30', '2026-08-14')).toEqual([
    ['2026-08-14', 5_622_576_474_000],
  ])
})

test('what a later table states differently counts from the day on which that table was made', async () => {
  const sql = await fresh()
  await load(sql, ...files)
  const before = await storedFacts(sql)
  // The same table as if it were made on 31 August, with another revenue of Taiwan Cement.
  const later = join(folder, 't187ap06_L_ci.json')
  const text = await Bun.file(`${fixtures}/t187ap06_L_ci.json`).text()
  await Bun.write(later, text.replaceAll('1150817', '1150831').replace('71289957.00', '71289950.00'))
  const { written } = await load(sql, later)
  expect(written.factsRemoved).toBe(0)
  const revenue = (asOf: string) => current(sql, '1101.TW', 'revenue_ytd', '2026-06-30', asOf)
  expect(await revenue('2026-08-30')).toEqual([['2026-08-14', 71_289_957_000]])
  expect(await revenue('2026-08-31')).toEqual([['2026-08-31', 71_289_950_000]])
  const added = (await storedFacts(sql)).filter(row => !before.includes(row))
  // The new vintage with its margins, and the end of the earlier ones: all of Taiwan Cement.
  expect(new Set(added.map(row => row.split('|')[0]))).toEqual(new Set(['1101']))
  expect(
    added
      .filter(row => row.includes('|revenue_ytd|'))
      .map(row => row.split('|').at(-1))
      .sort(),
  ).toEqual(['TW:1101:2026Q2', 'TW:1101:2026Q2@2026-08-31'])
})
