import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { nzRegister } from '../../../../src/ingest/registers/nz/register.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../../database.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { storedFacts } from '../../stored.ts'

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-nz-'))
const databases: TestDatabase[] = []
async function fresh(): Promise<Sql> {
  const database = await testDatabase()
  databases.push(database)
  return database.sql
}
afterAll(async () => {
  for (const database of databases) await database.close()
  rmSync(folder, { recursive: true, force: true })
}, 180_000)

// Return 395815: total assets 1,771,593,000 on 2024-06-30.
const text = await Bun.file(new URL('fixtures/returns.json', import.meta.url)).text()
const edited = text.replaceAll('1771593000', '1771000000')
const replaced = text
  .replaceAll('1771593000', '1772000000')
  .replaceAll('AnnualReturnId=395815', 'AnnualReturnId=400001')

async function pull(sql: Sql, observedOn: string, content: string, isDayKnown = true) {
  const path = join(folder, `${observedOn}.json`)
  await Bun.write(path, content)
  return importRegister(sql, nzRegister, { paths: [path], observedOn, isDayKnown }, () => {})
}

const assets = async (sql: Sql, asOf: string) =>
  (
    await sql<{ value: number }[]>`
    select f.value from fact_as_of(${asOf}) f join metric m using (metric_id)
    where m.name = 'assets' and f.fy = 2024 and f.current`
  ).map(({ value }) => value)

test('a later observation is visible from its day on, and what was visible before stays', async () => {
  const sql = await fresh()
  const first = await pull(sql, '2025-03-01', text)
  expect(first.read.skipped).toEqual([])
  expect(first.written.balances.counts['assets = liabilities + equity']).toEqual({
    checked: 2,
    broken: 0,
    open: 0,
  })
  const before = await storedFacts(sql)
  // The return was edited, then replaced by one with a higher number.
  await pull(sql, '2025-05-01', edited)
  await pull(sql, '2025-08-01', replaced)
  const days = ['2025-01-02', '2025-01-03', '2025-04-30', '2025-05-01', '2025-07-31', '2025-08-01']
  expect(await Promise.all(days.map(day => assets(sql, day)))).toEqual([
    [],
    [1_771_593_000],
    [1_771_593_000],
    [1_771_000_000],
    [1_771_000_000],
    [1_772_000_000],
  ])
  // The first vintages are unchanged except for the day that ends them.
  const untilEnded = (row: string) => row.replace(/\|(infinity|2025-0[58]-01)\|/, '|-|')
  const after = new Set((await storedFacts(sql)).map(untilEnded))
  for (const row of nonEmpty(before)) expect(after).toContain(untilEnded(row))
  const rows = await storedFacts(sql)
  await sql`truncate import_file`
  await pull(sql, '2025-09-01', replaced)
  expect(await storedFacts(sql)).toEqual(rows)
})

const pulls = [
  ['2025-03-01', text],
  ['2025-05-01', edited],
  // The register returns to its earlier state: the very same file.
  ['2025-06-01', text],
  ['2025-08-01', replaced],
] as const

test('a return to an earlier state is a vintage of its own day, whatever the order of the imports', async () => {
  const inOrder = await fresh()
  for (const [day, content] of pulls) await pull(inOrder, day, content)
  const days = ['2025-04-30', '2025-05-01', '2025-05-31', '2025-06-01', '2025-08-01']
  const expected = [1_771_593_000, 1_771_000_000, 1_771_000_000, 1_771_593_000, 1_772_000_000]
  expect((await Promise.all(days.map(day => assets(inOrder, day)))).flat()).toEqual(expected)
  const backwards = await fresh()
  for (const [day, content] of pulls.toReversed()) await pull(backwards, day, content)
  const rows = await storedFacts(inOrder)
  expect(await storedFacts(backwards)).toEqual(rows)
  // Filings that counted as edits during the imports are gone, and the market's days are those of the remaining filings.
  const spans = `
    select first_filed::text, last_filed::text, (select array_agg(accession order by accession) from filing) as filings
    from market_coverage where market = 'NZ'`
  expect(await backwards.unsafe(spans)).toEqual(await inOrder.unsafe(spans))
  const before = await inOrder`select version from data_version`
  for (const [day, content] of pulls) {
    const { written } = await pull(inOrder, day, content)
    expect([written.reportedFacts, written.changed]).toEqual([0, false])
  }
  expect(await inOrder`select version from data_version`).toEqual(before)
})

test('a file that was imported before is no new observation unless its day is stated', async () => {
  const sql = await fresh()
  await pull(sql, '2025-03-01', text, false)
  await pull(sql, '2025-05-01', edited, false)
  const rows = await storedFacts(sql)
  const { read } = await pull(sql, '2025-06-01', text, false)
  expect([read.documents, read.documentsUnchanged]).toEqual([1, 1])
  expect(await storedFacts(sql)).toEqual(rows)
  await pull(sql, '2025-06-01', text)
  expect(await assets(sql, '2025-06-01')).toEqual([1_771_593_000])
})

test('facts stored before observations were recorded count as observed before all others', async () => {
  const [recorded, lost] = [await fresh(), await fresh()]
  for (const [day, content] of pulls) {
    await pull(recorded, day, content)
    await pull(lost, day, content)
    await lost`truncate pulled_filing`
  }
  await pull(recorded, '2025-09-01', replaced.replaceAll('1772000000', '1773000000'))
  await pull(lost, '2025-09-01', replaced.replaceAll('1772000000', '1773000000'))
  const rows = await storedFacts(recorded)
  expect(await storedFacts(lost)).toEqual(rows)
  const days = await lost<{ first: string }[]>`
    select min(days[1])::text as first from pulled_filing group by accession order by 1`
  expect(days[0].first).toBe('-infinity')
})
