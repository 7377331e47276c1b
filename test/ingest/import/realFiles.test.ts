import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readSampleCompanies } from '../../../src/commands/companyLists.ts'
import { dayNumber } from '../../../src/dates.ts'
import { entityKey } from '../../../src/facts/reportedFact.ts'
import { registerOf } from '../../../src/ingest/allRegisters.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { readRegisterFiles } from '../../../src/ingest/sample/makeSample.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { sampleDatabase, type TestDatabase, testDatabase } from '../../database.ts'
import { sampleFiles } from '../../sampleFiles.ts'
import { unitedStatesPaths } from '../../shared.ts'
import { storedFacts, storedFilings, storedProvenance, storedRepeatRows } from '../stored.ts'

setDefaultTimeout(120_000)

const paths = unitedStatesPaths()
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

const ignore = () => {}

test.skipIf(paths === null)('every real file is read, and nothing is added twice', async () => {
  const first = await importRegister(
    db.sql,
    usRegister,
    { paths: paths ?? [], observedOn: '2026-01-01' },
    ignore,
  )
  expect(first.read.skipped).toEqual([])
  expect(first.read.malformed).toBe(0)
  expect(first.written.factsAdded).toBeGreaterThan(40_000)
  const version = await readDataVersion(db.sql)
  const rows = await storedFacts(db.sql)
  const provenance = await storedProvenance(db.sql)
  // Without the records of what was imported everything is read again.
  await db.sql`truncate import_file`
  const second = await importRegister(
    db.sql,
    usRegister,
    { paths: (paths ?? []).toReversed(), observedOn: '2026-01-01' },
    ignore,
  )
  expect([second.written.factsAdded, second.written.factsRemoved, second.written.repeats]).toEqual([0, 0, 0])
  expect(await readDataVersion(db.sql)).toBe(version)
  expect(await storedFacts(db.sql)).toEqual(rows)
  expect(await storedProvenance(db.sql)).toEqual(provenance)
})

const workplace = mkdtempSync(join(tmpdir(), 'asfiled-real-'))
const files = sampleFiles(workplace)
afterAll(() => rmSync(workplace, { recursive: true, force: true }))

test.skipIf(files === null)('the sample gives the same rows as the real files, in every market', async () => {
  const real = await testDatabase()
  const sample = await sampleDatabase()
  const companies = await readSampleCompanies(resolve(import.meta.dir, '../../../sample/companies.txt'))
  let chosenCompanies = 0
  for (const [market, paths] of files ?? []) {
    const register = registerOf(market.toUpperCase())
    const { rules, settleTimes = null, overwrites = false, replaces = false } = register
    const read = (await readRegisterFiles(register, paths)).documents
    const chosen = new Set(companies.named)
    for (const { profile, reportedFacts } of read)
      if (companies.wholeMarkets.has(profile.market) && reportedFacts.length > 0)
        chosen.add(entityKey(profile))
    const documents = read.filter(({ profile }) => chosen.has(entityKey(profile)))
    chosenCompanies += [...chosen].filter(key => key.startsWith(market.toUpperCase())).length
    // As importRegister does it, but without the thousands of other companies that these files name.
    const overwriting = overwrites ? { observedOn: dayNumber('2026-11-20'), replaces } : {}
    const units = documents.map(document => ({ parsed: [document] }))
    await importFacts(real.sql, units, { source: 'real', rules, settleTimes, ...overwriting })
  }
  expect(await storedFacts(sample.sql)).toEqual(await storedFacts(real.sql))
  expect(await storedProvenance(sample.sql)).toEqual(await storedProvenance(real.sql))
  expect(await storedRepeatRows(sample.sql)).toEqual(await storedRepeatRows(real.sql))
  expect(await storedFilings(sample.sql)).toEqual(await storedFilings(real.sql))
  const known = ({ sql }: TestDatabase) => sql`
    select e.market, e.issuer_id, e.ticker, e.name, e.fiscal_year_end, e.sector, e.exchange, e.status,
      array(select ticker from entity_ticker t where t.entity_id = e.entity_id order by 1) as tickers,
      array(select name from entity_other_name o where o.entity_id = e.entity_id order by 1) as others
    from entity e order by 1, 2`
  expect([...(await known(sample))]).toEqual([...(await known(real))])
  expect((await known(sample)).length).toBe(chosenCompanies)
  await real.close()
  await sample.close()
})

test.skipIf(paths === null)('fact_as_of gives what was current on a day', async () => {
  const current = async (ticker: string, metric: string, fy: number, fp: number, asOf: string) => {
    const rows = await db.sql<{ value: number }[]>`
      select f.value from fact_as_of(${asOf}) f
      join entity_ticker t using (entity_id) join metric m using (metric_id)
      where t.ticker = ${ticker} and m.name = ${metric} and f.fy = ${fy} and f.fp = ${fp} and f.current`
    return rows.map(row => row.value)
  }
  // Apple's 10-K 0001193125-09-214859 and 10-K/A 0001193125-10-012091.
  expect(await current('AAPL', 'revenue', 2009, 0, '2009-10-26')).toEqual([])
  expect(await current('AAPL', 'revenue', 2009, 0, '2009-12-31')).toEqual([36_537_000_000])
  expect(await current('AAPL', 'revenue', 2009, 0, '2010-02-01')).toEqual([42_905_000_000])
  expect(await current('AAPL', 'net_margin', 2009, 0, '2009-12-31')).toEqual([5_704 / 36_537])
  expect(await current('AAPL', 'net_margin', 2009, 0, '2010-02-01')).toEqual([8_235 / 42_905])
  // Both classes of Alphabet name one company; revenue of 2022 is in its 10-K 0001652044-23-000016.
  for (const ticker of ['GOOGL', 'GOOG']) {
    expect(await current(ticker, 'revenue', 2022, 0, '2023-12-31')).toEqual([282_836_000_000])
  }
})
