import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importRegister } from '../../../src/domain/ingest/importRegister.ts'
import { nz } from '../../../src/registers/nz/register.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { storedFacts } from '../../domain/ingest/stored.ts'

setDefaultTimeout(60_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-nz-'))
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a later pull is seen from its day on, and what was seen before stays', async () => {
  const text = await Bun.file(new URL('fixtures/returns.json', import.meta.url)).text()
  const pull = async (pulledOn: string, content: string) => {
    const path = join(folder, `${pulledOn}.json`)
    await Bun.write(path, content)
    return importRegister(db.sql, nz, { paths: [path], pulledOn }, () => {})
  }
  const assets = async (asOf: string) =>
    (
      await db.sql<{ value: number }[]>`
      select f.value from fact_as_of(${asOf}) f join metric m using (metric_id)
      where m.name = 'assets' and f.fy = 2024 and f.current`
    ).map(({ value }) => value)
  // Return 395815: total assets 1,771,593,000 on 2024-06-30.
  const first = await pull('2025-03-01', text)
  expect(first.read.skipped).toEqual([])
  expect(first.written.sums.counts['assets = liabilities + equity']).toEqual({
    checked: 2,
    broken: 0,
    open: 0,
  })
  const before = await storedFacts(db.sql)
  // The return was edited, then replaced by one with a higher number.
  await pull('2025-05-01', text.replaceAll('1771593000', '1771000000'))
  await pull(
    '2025-08-01',
    text.replaceAll('1771593000', '1772000000').replaceAll('AnnualReturnId=395815', 'AnnualReturnId=400001'),
  )
  const days = ['2025-01-02', '2025-01-03', '2025-04-30', '2025-05-01', '2025-07-31', '2025-08-01']
  expect(await Promise.all(days.map(assets))).toEqual([
    [],
    [1_771_593_000],
    [1_771_593_000],
    [1_771_000_000],
    [1_771_000_000],
    [1_772_000_000],
  ])
  // The first vintages are as they were but for the day that ended them.
  const untilEnded = (row: string) => row.replace(/\|(infinity|2025-0[58]-01)\|/, '|-|')
  const after = new Set((await storedFacts(db.sql)).map(untilEnded))
  for (const row of before) expect(after).toContain(untilEnded(row))
  const rows = await storedFacts(db.sql)
  await db.sql`truncate import_file`
  await pull(
    '2025-09-01',
    text.replaceAll('1771593000', '1772000000').replaceAll('AnnualReturnId=395815', 'AnnualReturnId=400001'),
  )
  expect(await storedFacts(db.sql)).toEqual(rows)
})
