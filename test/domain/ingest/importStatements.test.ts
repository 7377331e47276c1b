import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type ImportUnit, importStatements } from '../../../src/domain/ingest/importStatements.ts'
import { loadSample, readSample } from '../../../src/domain/ingest/loadSample.ts'
import { dayNumber } from '../../../src/model/date.ts'
import type { Contribution, EntityProfile, Filing, Statement } from '../../../src/model/statement.ts'
import { usRules } from '../../../src/registers/us/concepts.ts'
import { readDataVersion } from '../../../src/store/data-version.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { storedFacts, storedRepeats } from './stored.ts'

const databases: TestDatabase[] = []
afterAll(() => Promise.all(databases.map(database => database.close())))

async function fresh() {
  const database = await testDatabase()
  databases.push(database)
  return database.sql
}

const options = { source: 'test', rules: usRules }
const sample = await readSample()

setDefaultTimeout(60_000)

test('the sample loads within three seconds, and a second time changes nothing', async () => {
  const sql = await fresh()
  const began = performance.now()
  const first = await loadSample(sql)
  expect(performance.now() - began).toBeLessThan(3_000)
  expect(first.factsAdded).toBeGreaterThan(5_000)
  expect(await readDataVersion(sql)).toBe(1)
  const rows = await storedFacts(sql)
  const second = await loadSample(sql)
  expect([second.factsAdded, second.factsRemoved, second.changed]).toEqual([0, 0, false])
  expect(await readDataVersion(sql)).toBe(1)
  expect(await storedFacts(sql)).toEqual(rows)
})

test('filings imported one by one, the latest first, give the same rows as all at once', async () => {
  const whole = await fresh()
  await importStatements(whole, [{ contributions: sample }], options)
  const parts = await fresh()
  for (const contribution of sample) {
    const byFiling = Map.groupBy(contribution.statements, statement => statement.filing.accession)
    const filings = [...byFiling.values()].sort((a, b) => b[0].filing.filed - a[0].filing.filed)
    for (let at = 0; at < filings.length; at += 12) {
      const statements = filings.slice(at, at + 12).flat()
      await importStatements(parts, [{ contributions: [{ ...contribution, statements }] }], options)
    }
  }
  expect(await storedFacts(parts)).toEqual(await storedFacts(whole))
  expect(await storedRepeats(parts)).toBe(await storedRepeats(whole))
})

test('a batch that fails leaves nothing behind, those before it stay, and the next run completes', async () => {
  const sql = await fresh()
  const units: ImportUnit[] = sample.map(contribution => ({ contributions: [contribution] }))
  const breaking = async function* (): AsyncGenerator<ImportUnit> {
    yield units[0]
    throw new Error('the disk is gone')
  }
  await expect(importStatements(sql, breaking(), options)).rejects.toThrow('the disk is gone')
  expect(await storedFacts(sql)).toEqual([])
  await importStatements(sql, units.slice(0, 2), options)
  const partial = await storedFacts(sql)
  const before = await readDataVersion(sql)
  // No text in PostgreSQL holds a NUL: the batch fails half-way, when its filings are copied.
  const failing = {
    ...sample[2],
    statements: sample[2].statements.map(statement => ({
      ...statement,
      filing: { ...statement.filing, form: 'bad\u0000form' },
    })),
  }
  await expect(importStatements(sql, [{ contributions: [failing] }], options)).rejects.toThrow()
  expect(await storedFacts(sql)).toEqual(partial)
  expect(await readDataVersion(sql)).toBe(before)
  await importStatements(sql, units, options)
  const whole = await fresh()
  await importStatements(whole, units, options)
  expect(await storedFacts(sql)).toEqual(await storedFacts(whole))
})

const profile = (issuerId: string, more: Partial<EntityProfile> = {}): EntityProfile => ({
  market: 'US',
  issuerId,
  registers: true,
  ...more,
})

function revenue(value: number, filing: Filing): Statement {
  return {
    metric: 'revenue',
    tag: 'us-gaap:Revenues',
    unit: 'USD',
    start: dayNumber('2020-01-01'),
    end: dayNumber('2020-12-31'),
    value,
    rounded: false,
    filing,
  }
}

const filing = (accession: string, acceptedAt: string | null = null): Filing => ({
  accession,
  form: '10-K',
  filed: dayNumber('2021-02-01'),
  acceptedAt: acceptedAt === null ? null : Date.parse(acceptedAt),
})

test('acceptance times that arrive after the figures put the vintages of one day in their order', async () => {
  const sql = await fresh()
  const early = '0000000001-21-000009'
  const late = '0000000001-21-000001'
  const figures: Contribution = {
    profile: profile('0000000001'),
    statements: [revenue(10, filing(early)), revenue(20, filing(late))],
    filings: [],
  }
  const times: Contribution = {
    profile: profile('0000000001', { registers: false }),
    statements: [],
    filings: [filing(early, '2021-02-01T08:00:00Z'), filing(late, '2021-02-01T17:00:00Z')],
  }
  await importStatements(sql, [{ contributions: [figures] }], options)
  const current = () => sql`select value, accession from fact where superseded = 'infinity'`
  expect([...(await current())]).toEqual([{ value: 10, accession: early }])
  await importStatements(sql, [{ contributions: [times] }], options)
  expect([...(await current())]).toEqual([{ value: 20, accession: late }])

  const inverse = await fresh()
  await importStatements(
    inverse,
    [{ contributions: [{ ...times, profile: profile('0000000001') }] }],
    options,
  )
  await importStatements(inverse, [{ contributions: [figures] }], options)
  expect(await storedFacts(inverse)).toEqual(await storedFacts(sql))
})

test('a filer without a ticker is known by its CIK until an exchange gives it one', async () => {
  const sql = await fresh()
  const put = (...contributions: EntityProfile[]) =>
    importStatements(
      sql,
      [{ contributions: contributions.map(each => ({ profile: each, statements: [], filings: [] })) }],
      options,
    )
  const ids = async () =>
    (
      await sql<{ text: string }[]>`
      select e.issuer_id || ' ' || e.ticker || ': ' || string_agg(t.ticker, ' ' order by t.ticker) as text
      from entity e join entity_ticker t using (entity_id) group by e.entity_id order by 1`
    ).map(row => row.text)
  await put(profile('0000000001', { name: 'One' }), profile('0000000002', { tickers: ['TWO', 'TWO-B'] }))
  expect(await ids()).toEqual(['0000000001 CIK0000000001: CIK0000000001', '0000000002 TWO: TWO TWO-B'])
  await put(profile('0000000001', { tickers: ['ONE'] }))
  expect(await ids()).toEqual(['0000000001 ONE: ONE', '0000000002 TWO: TWO TWO-B'])
  // The exchange gives a ticker that became free to another company.
  const version = await readDataVersion(sql)
  await put(profile('0000000001', { tickers: ['TWO', 'ONE'] }))
  expect(await ids()).toEqual(['0000000001 ONE: ONE TWO', '0000000002 TWO-B: TWO-B'])
  expect(await readDataVersion(sql)).toBe(version + 1)
  await put(profile('0000000001', { tickers: ['TWO', 'ONE'] }))
  expect(await readDataVersion(sql)).toBe(version + 1)
  // Those who file no accounts are not registered.
  await put(profile('0000000003', { name: 'A person', registers: false }))
  expect(await ids()).toHaveLength(2)
})
