import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { jpRegister } from '../../../../src/ingest/registers/jp/register.ts'
import { type TestDatabase, testDatabase } from '../../../database.ts'
import { zipped } from '../../../zipped.ts'
import { storedFacts } from '../../stored.ts'

setDefaultTimeout(180_000)

const fixtures = join(import.meta.dir, 'fixtures')
const nintendo = 'jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28'
const folder = mkdtempSync(join(tmpdir(), 'asfiled-jp-'))
let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

async function imported(...paths: string[]) {
  await db.sql`truncate import_file, fact, fact_repeat, filing`
  for (const path of paths) {
    await importRegister(db.sql, jpRegister, { paths: [path], observedOn: '2026-11-20' }, () => {})
  }
  return storedFacts(db.sql)
}

async function revenue(asOf: string, end: string): Promise<number[]> {
  const rows = await db.sql<{ value: number }[]>`
    select f.value from fact_as_of(${asOf}) f join metric m using (metric_id)
    where m.name = 'revenue' and f.period_end = ${end} and f.current`
  return rows.map(({ value }) => value)
}

/** Nintendo's report S100TMMG as CSV, in a zip named after its number, and the list of its day with the given time. */
async function files(submitted: string): Promise<{ report: string; list: string }> {
  const text = await Bun.file(join(fixtures, 'documents-2024-06-28.json')).text()
  const list = join(folder, `documents-${submitted.replace(/\W/g, '')}.json`)
  writeFileSync(list, text.replace('2024-06-28 12:22', submitted))
  const report = join(folder, 'S100TMMG.zip')
  const content = await Bun.file(join(fixtures, `${nintendo}.csv`)).bytes()
  writeFileSync(report, zipped([{ name: `XBRL_TO_CSV/${nintendo}.csv`, content }]))
  return { report, list }
}

test('report and list of documents are joined by the number, in whatever order they are imported', async () => {
  const { report, list } = await files('2024-06-28 12:22')
  const facts = await imported(report, list)
  expect(await imported(list, report)).toEqual(facts)
  expect(facts.length).toBeGreaterThan(20)
  expect(facts.every(row => row.includes('2024-06-28 03:22:00+00') && row.endsWith('JP:S100TMMG'))).toBe(true)
})

test('a report that the list dates later is not visible before, in whatever order they are imported', async () => {
  const { report, list } = await files('2024-07-01 09:00')
  for (const paths of [
    [report, list],
    [list, report],
  ]) {
    await imported(...paths)
    expect(await revenue('2024-06-30', '2024-03-31')).toEqual([])
    expect(await revenue('2024-07-01', '2024-03-31')).toEqual([1_671_865_000_000])
  }
})

test('instance and CSV of one report add no vintage to each other', async () => {
  const { report } = await files('2024-06-28 12:22')
  const instances = join(folder, 'S100TMMG')
  mkdirSync(instances, { recursive: true })
  writeFileSync(
    join(instances, `${nintendo}.xbrl`),
    await Bun.file(join(fixtures, `${nintendo}.xbrl`)).bytes(),
  )
  const facts = await imported(instances)
  expect(await imported(report, instances)).toEqual(facts)
  expect(await revenue('2026-01-01', '2020-03-31')).toEqual([1_308_519_000_000])
})

// The amendment is invented: one figure of the real report is changed.
test('an amendment adds vintages of its own date and leaves the earlier ones', async () => {
  const amended = join(folder, 'S100TEST')
  mkdirSync(amended, { recursive: true })
  const text = (await Bun.file(join(fixtures, `${nintendo}.xbrl`)).text())
    .replaceAll('1671865000000', '1671000000000')
    .replace('>2024-06-28</jpcrp_cor:FilingDateCoverPage', '>2024-09-02</jpcrp_cor:FilingDateCoverPage')
  writeFileSync(join(amended, `${nintendo.replace('01_2024-06-28', '02_2024-09-02')}.xbrl`), text)
  const { report, list } = await files('2024-06-28 12:22')
  await imported(amended, list, report)
  expect(await revenue('2024-06-27', '2024-03-31')).toEqual([])
  expect(await revenue('2024-09-01', '2024-03-31')).toEqual([1_671_865_000_000])
  expect(await revenue('2024-09-02', '2024-03-31')).toEqual([1_671_000_000_000])
  expect(await revenue('2024-09-02', '2023-03-31')).toEqual([1_601_677_000_000])
})
