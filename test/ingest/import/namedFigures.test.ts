import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isoDate } from '../../../src/dates.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-named-'))
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

const filed = { accn: '0000000001-21-000001', form: '10-K', filed: '2021-02-01' }
const year = { start: '2020-01-01', end: '2020-12-31', ...filed }

/** Imports companyfacts whose figures of revenue are written as they stand here: JSON has no other way to say 1e400. */
async function importFigures(cik: number, figures: readonly string[]) {
  const path = join(folder, `CIK${String(cik).padStart(10, '0')}.json`)
  const revenues = `{"Revenues":{"units":{"USD":[${figures.join(',')}]}}}`
  await Bun.write(path, `{"cik":${cik},"entityName":"A","facts":{"us-gaap":${revenues}}}`)
  return importRegister(db.sql, usRegister, { paths: [path], observedOn: '2026-11-20' }, () => {})
}

const figure = (change: object = {}) => JSON.stringify({ ...year, val: 100, ...change })

const revenueOf = async (cik: number) =>
  (
    await db.sql<{ value: number }[]>`
      select f.value from fact f join entity e using (entity_id) join metric m using (metric_id)
      where e.issuer_id = ${String(cik).padStart(10, '0')} and m.name = 'revenue' and f.fp = 0`
  ).map(({ value }) => value)

test('each malformed figure is named with its place, and what is wrong with it', async () => {
  const { read } = await importFigures(11, [
    figure().replace('100', '1e400'),
    figure({ val: '100' }),
    figure({ val: null }),
    figure({ end: '2024-13-45' }),
    figure({ start: '2021-01-01' }),
    figure({ filed: 'soon', accn: '0000000001-21-000002' }),
    'null',
    figure(),
  ])
  expect([read.malformed, read.faults.count]).toEqual([7, 7])
  const places = [
    'figure 1: val is a number beyond 1.8e308, not a finite number (0000000001-21-000001)',
    'figure 2: val is "100", not a finite number (0000000001-21-000001)',
    'figure 3: val is null, not a finite number (0000000001-21-000001)',
    'figure 4: end is "2024-13-45", not a day (0000000001-21-000001)',
    'figure 5: it starts on "2021-01-01", after its end (0000000001-21-000001)',
    'figure 6: accn "0000000001-21-000002", form "10-K" and filed "soon" name no filing',
    'figure 7: null is not an object',
  ]
  expect(read.faults.named).toEqual(
    places.map(place => `${join(folder, 'CIK0000000011.json')}: us-gaap:Revenues USD, ${place}`),
  )
  expect(await revenueOf(11)).toEqual([100])
})

test('of two values in one filing the finer is taken, else the first, and the report says so', async () => {
  const { read } = await importFigures(12, [figure({ val: 5_000_000 }), figure({ val: 4_812_000 })])
  expect(await revenueOf(12)).toEqual([4_812_000])
  expect(read.contradictions.count).toBe(1)
  expect(read.contradictions.named[0]).toContain(
    'us-gaap:Revenues USD 2020-01-01..2020-12-31 in 0000000001-21-000001: 5000000 and 4812000; 4812000 is taken',
  )
  // Neither rounds to the other: the larger comes first here.
  const other = await importFigures(13, [figure({ val: 700 }), figure({ val: 400 }), figure({ val: 700 })])
  expect(await revenueOf(13)).toEqual([700])
  expect(other.read.contradictions.named[0]).toContain('700 and 400; 700 is taken, the first of them')
})

test('a later document that states another value for a filing counts, upward and downward, and is named', async () => {
  await importFigures(14, [figure({ val: 100 })])
  for (const [before, val] of [
    [100, 120],
    [120, 90],
  ]) {
    const { written } = await importFigures(14, [figure({ val })])
    expect(await revenueOf(14)).toEqual([val])
    expect([written.factsAdded, written.factsRemoved, written.corrections.count]).toEqual([1, 1, 1])
    expect(written.corrections.named).toEqual([
      `US 0000000014 revenue to 2020-12-31 in 0000000001-21-000001: ${before}, now ${val}`,
    ])
  }
  const again = await importFigures(14, [figure({ val: 90 })])
  expect([again.written.factsAdded, again.written.corrections.count]).toEqual([0, 0])
})

test('filings dated after today are named with their day', async () => {
  const next = { accn: '0000000001-27-000001', filed: '2027-02-01' }
  const { read, written } = await importFigures(15, [figure(), figure({ ...next, val: 110 })])
  expect([...read.futureFilings].map(([accession, day]) => [accession, isoDate(day)])).toEqual([
    ['0000000001-27-000001', '2027-02-01'],
  ])
  expect(written.factsAdded).toBe(2)
  expect((await importFigures(16, [figure({ filed: '2026-11-20' })])).read.futureFilings.size).toBe(0)
})
