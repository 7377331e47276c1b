import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readSampleCompanies } from '../../src/commands/data.ts'
import { dayNumber } from '../../src/dates.ts'
import { importRegister } from '../../src/ingest/import/importRegister.ts'
import { importStatements } from '../../src/ingest/import/importStatements.ts'
import { registerOf } from '../../src/ingest/registers/registers.ts'
import { us } from '../../src/ingest/registers/us/register.ts'
import { loadSample } from '../../src/ingest/sample/loadSample.ts'
import { readContributions, sampleKey } from '../../src/ingest/sample/makeSample.ts'
import { readDataVersion } from '../../src/postgres/snapshot.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { sampleFiles } from '../sampleFiles.ts'
import { sharedPath } from '../shared.ts'
import { storedFacts } from './stored.ts'

setDefaultTimeout(120_000)

const folder = sharedPath('registers/us')
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

const ignore = () => {}

test.skipIf(folder === null)('every real file is read, and none of it is added twice', async () => {
  const first = await importRegister(
    db.sql,
    us,
    { paths: [`${folder}/fsds/2009q3.zip`, `${folder}`], pulledOn: '2026-01-01' },
    ignore,
  )
  expect(first.read.skipped).toEqual([])
  expect(first.read.malformed).toBe(0)
  expect(first.written.factsAdded).toBeGreaterThan(40_000)
  const version = await readDataVersion(db.sql)
  const rows = await storedFacts(db.sql)
  // As if the records of what was imported were lost: everything is read again.
  await db.sql`truncate import_file`
  const second = await importRegister(db.sql, us, { paths: [`${folder}`], pulledOn: '2026-01-01' }, ignore)
  expect([second.written.factsAdded, second.written.factsRemoved, second.written.repeats]).toEqual([0, 0, 0])
  expect(await readDataVersion(db.sql)).toBe(version)
  expect(await storedFacts(db.sql)).toEqual(rows)
})

const workplace = mkdtempSync(join(tmpdir(), 'asfiled-real-'))
const files = sampleFiles(workplace)
afterAll(() => rmSync(workplace, { recursive: true, force: true }))

test.skipIf(files === null)('the sample says what the real files say, in every market', async () => {
  const real = await testDatabase()
  const sample = await testDatabase()
  const companies = await readSampleCompanies(resolve(import.meta.dir, '../../sample/companies.txt'))
  for (const [market, paths] of files ?? []) {
    const register = registerOf(market.toUpperCase())
    const { rules, overwrites = false, replaces = false } = register
    const contributions = (await readContributions(register, paths)).filter(({ profile }) =>
      companies.has(sampleKey(profile)),
    )
    // As importRegister does it, and without the thousands of companies that these files name too.
    const pulled = overwrites ? { pulledOn: dayNumber('2026-11-20'), replaces } : {}
    const units = contributions.map(contribution => ({ contributions: [contribution] }))
    await importStatements(real.sql, units, { source: 'real', rules, ...pulled })
  }
  await loadSample(sample.sql)
  expect(await storedFacts(sample.sql)).toEqual(await storedFacts(real.sql))
  const known = ({ sql }: TestDatabase) => sql`
    select e.market, e.issuer_id, e.ticker, e.name,
      array(select ticker from entity_ticker t where t.entity_id = e.entity_id order by 1) as tickers,
      array(select name from entity_other_name o where o.entity_id = e.entity_id order by 1) as others
    from entity e order by 1, 2`
  expect([...(await known(sample))]).toEqual([...(await known(real))])
  expect((await known(sample)).length).toBe(companies.size)
  await real.close()
  await sample.close()
})

test.skipIf(folder === null)(
  'what was current on a day, through the one function that knows the rule',
  async () => {
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
  },
)
