import { expect, setDefaultTimeout, test } from 'bun:test'
import { dayNumber } from '../../../src/dates.ts'
import type { EntityProfile, Filing, ParsedDocument, ReportedFact } from '../../../src/facts/reportedFact.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import type { ReadUnit } from '../../../src/ingest/reading/progress.ts'
import { FinancialStatementData } from '../../../src/ingest/registers/us/dataSets.ts'
import { readJson } from '../../../src/ingest/registers/us/readDocument.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { loadSample, readSample } from '../../../src/ingest/sample/loadSample.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { sampleDatabase } from '../../database.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { storedFacts, storedRepeats } from '../stored.ts'

setDefaultTimeout(180_000)

const fresh = freshDatabases()

const options = { source: 'test', rules: usRegister.rules, settleTimes: usRegister.settleTimes ?? null }
const sample = (await readSample()).filter(({ profile }) => profile.market === 'US')

/** What an import of all companies at once stores. */
const whole = lazily(async () => {
  const sql = await fresh()
  await importFacts(sql, [{ parsed: sample }], options)
  return { facts: await storedFacts(sql), repeats: await storedRepeats(sql) }
})

function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}

test('the sample loads, and a second time changes nothing', async () => {
  const { sql, close } = await sampleDatabase()
  // A batch for each market.
  expect(await readDataVersion(sql)).toBe(8)
  const rows = await storedFacts(sql)
  expect(rows.length).toBeGreaterThan(5_000)
  const second = await loadSample(sql)
  for (const summary of nonEmpty(second))
    expect([summary.factsAdded, summary.factsRemoved, summary.changed]).toEqual([0, 0, false])
  expect(await readDataVersion(sql)).toBe(8)
  expect(await storedFacts(sql)).toEqual(rows)
  await close()
})

test('filings imported in parts, the latest first, give the same rows as all at once', async () => {
  const parts = await fresh()
  const companies = sample.map(document => {
    const byFiling = Map.groupBy(document.reportedFacts, reported => reported.filing.accession)
    return { document, filings: [...byFiling.values()].sort((a, b) => b[0].filing.filed - a[0].filing.filed) }
  })
  // Most companies have two or three filings, so each comes in a part of its own.
  const count = 6
  let continued = 0
  for (let part = 0; part < count; part++) {
    const parsed = companies.flatMap(({ document, filings }) => {
      const size = Math.ceil(filings.length / count)
      const reportedFacts = filings.slice(part * size, (part + 1) * size).flat()
      return reportedFacts.length === 0 ? [] : [{ ...document, reportedFacts }]
    })
    if (part > 0) continued += parsed.length
    await importFacts(parts, [{ parsed }], options)
  }
  expect(continued).toBeGreaterThan(400)
  const { facts, repeats } = await whole()
  expect(await storedFacts(parts)).toEqual(facts)
  expect(await storedRepeats(parts)).toBe(repeats)
})

test('a failing batch leaves nothing behind, those before it stay, and the next run completes the import', async () => {
  const sql = await fresh()
  const units: ReadUnit[] = sample.map(document => ({ parsed: [document] }))
  const breaking = async function* (): AsyncGenerator<ReadUnit> {
    yield units[0]
    throw new Error('the disk is gone')
  }
  await expect(importFacts(sql, breaking(), options)).rejects.toThrow('the disk is gone')
  expect(await storedFacts(sql)).toEqual([])
  await importFacts(sql, units.slice(0, 2), options)
  const partial = await storedFacts(sql)
  const before = await readDataVersion(sql)
  // No text in PostgreSQL contains a NUL: the batch fails half-way, when its filings are copied.
  const failing = {
    ...sample[2],
    reportedFacts: sample[2].reportedFacts.map(reported => ({
      ...reported,
      filing: { ...reported.filing, form: 'bad\u0000form' },
    })),
  }
  await expect(importFacts(sql, [{ parsed: [failing] }], options)).rejects.toThrow()
  expect(await storedFacts(sql)).toEqual(partial)
  expect(await readDataVersion(sql)).toBe(before)
  await importFacts(sql, units, options)
  expect(await storedFacts(sql)).toEqual((await whole()).facts)
})

test('a filing of two companies counts the figures of both, in whatever order and however often they are imported', async () => {
  const [one] = sample
  const parent = { ...one, reportedFacts: one.reportedFacts.filter((_, index) => index % 3 > 0) }
  const { issuerId: _, tickers: __, ...same } = one.profile
  const subsidiary = { ...one, profile: { ...same, issuerId: '0000000007', tickers: ['SUBS'] } }
  const named = { profile: subsidiary.profile, reportedFacts: [], filings: [] }
  for (const imports of [
    [[parent, subsidiary]],
    [[parent], [subsidiary]],
    [[subsidiary], [parent, named], [parent]],
  ]) {
    const sql = await fresh()
    for (const parsed of imports) await importFacts(sql, [{ parsed }], options)
    const counts = await sql<{ figures: number; rows: number; companies: number }[]>`
      select l.figures, count(*)::int as rows, count(distinct s.entity_id)::int as companies
      from filing l join (
        select filing_id, entity_id from fact where tag_id is not null
        union all select filing_id, entity_id from fact_repeat) s using (filing_id)
      group by l.filing_id`
    expect(nonEmpty(counts).filter(({ figures, rows }) => figures !== rows)).toEqual([])
    expect(counts.filter(({ companies }) => companies === 2).length).toBeGreaterThan(10)
  }
})

const profile = (issuerId: string, more: Partial<EntityProfile> = {}): EntityProfile => ({
  market: 'US',
  issuerId,
  registers: true,
  ...more,
})

function revenue(value: number, filing: Filing): ReportedFact {
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

test('acceptance times that arrive after the figures put the vintages of one day in order', async () => {
  const sql = await fresh()
  const early = '0000000001-21-000009'
  const late = '0000000001-21-000001'
  const figures: ParsedDocument = {
    profile: profile('0000000001'),
    reportedFacts: [revenue(10, filing(early)), revenue(20, filing(late))],
    filings: [],
  }
  const times: ParsedDocument = {
    profile: profile('0000000001', { registers: false }),
    reportedFacts: [],
    filings: [filing(early, '2021-02-01T08:00:00Z'), filing(late, '2021-02-01T17:00:00Z')],
  }
  await importFacts(sql, [{ parsed: [figures] }], options)
  const current = () =>
    sql`select value, accession from fact join filing using (filing_id) where superseded = 'infinity'`
  expect([...(await current())]).toEqual([{ value: 10, accession: early }])
  await importFacts(sql, [{ parsed: [times] }], options)
  expect([...(await current())]).toEqual([{ value: 20, accession: late }])

  const inverse = await fresh()
  await importFacts(inverse, [{ parsed: [{ ...times, profile: profile('0000000001') }] }], options)
  await importFacts(inverse, [{ parsed: [figures] }], options)
  expect(await storedFacts(inverse)).toEqual(await storedFacts(sql))
})

test('month-end figures join the exact ones of their filing, in either order of import', async () => {
  const fixtures = new URL('../registers/us/fixtures/', import.meta.url)
  const exact = readJson(await Bun.file(new URL('companyfacts-aapl-fy2009.json', fixtures)).json(), 'a')
  const rounded = async () => {
    const data = new FinancialStatementData()
    const lines = async (name: string) =>
      (await Bun.file(new URL(name, fixtures)).text()).trimEnd().split('\n')
    for (const line of await lines('fsds-sub.txt')) data.readSubmission(line)
    for (const line of await lines('fsds-num.txt')) data.readFigure(line)
    return { parsed: [...data.take()] }
  }
  const one = await fresh()
  await importFacts(one, [exact], options)
  await importFacts(one, [await rounded()], options)
  const other = await fresh()
  await importFacts(other, [await rounded()], options)
  await importFacts(other, [exact], options)
  expect(await storedFacts(one)).toEqual(await storedFacts(other))
  expect(await storedRepeats(one)).toBe(await storedRepeats(other))
  // 10-Q 0001193125-09-153165: the quarter that ended on 2009-06-27, which the data set calls 2009-06-30.
  const rows = await one`
    select f.period_end, f.value from fact f join metric m using (metric_id)
    join filing l on l.filing_id = f.filing_id
    where m.name = 'revenue' and f.fp = 3 and f.fy = 2009 and l.accession = '0001193125-09-153165'`
  expect([...rows]).toEqual([{ period_end: '2009-06-27', value: 8_337_000_000 }])
})

test('acceptance times of older submissions are stored also where they arrive before their filer is known', async () => {
  const sql = await fresh()
  const name = 'CIK0001318605-submissions-001.json'
  const document = await Bun.file(new URL(`../registers/us/fixtures/${name}`, import.meta.url)).json()
  await importFacts(sql, [readJson(document, name)], options)
  const rows = await sql`select accession, accepted_at from filing order by accession desc limit 1`
  expect([...rows]).toEqual([
    { accession: '0001564590-17-021343', accepted_at: new Date('2017-11-02T23:56:36Z') },
  ])
})

test('a filer without a ticker is identified by its CIK until an exchange gives it one', async () => {
  const sql = await fresh()
  const put = (...profiles: EntityProfile[]) =>
    importFacts(
      sql,
      [{ parsed: profiles.map(each => ({ profile: each, reportedFacts: [], filings: [] })) }],
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
  // The exchange reuses a free ticker for another company.
  const version = await readDataVersion(sql)
  await put(profile('0000000001', { tickers: ['TWO', 'ONE'] }))
  expect(await ids()).toEqual(['0000000001 ONE: ONE TWO', '0000000002 TWO-B: TWO-B'])
  expect(await readDataVersion(sql)).toBe(version + 1)
  await put(profile('0000000001', { tickers: ['TWO', 'ONE'] }))
  expect(await readDataVersion(sql)).toBe(version + 1)
  // Those who file no accounts are not added.
  await put(profile('0000000003', { name: 'A person', registers: false }))
  expect(await ids()).toHaveLength(2)
})

test('a figure under a preferred tag of the same filing replaces the other, of which nothing is left', async () => {
  const sql = await fresh()
  const filing: Filing = {
    accession: '0000000001-21-000001',
    form: '10-K',
    filed: dayNumber('2021-02-20'),
    acceptedAt: null,
  }
  const report = (tag: string, value: number): ParsedDocument => ({
    profile: { market: 'US', issuerId: '0000000001', registers: true },
    reportedFacts: [
      {
        metric: 'revenue',
        tag,
        unit: 'USD',
        value,
        rounded: false,
        filing,
        start: dayNumber('2020-01-01'),
        end: dayNumber('2020-12-31'),
      },
    ],
    filings: [],
  })
  const values = async () => (await sql<{ value: number }[]>`select value from fact`).map(row => row.value)
  await importFacts(sql, [{ parsed: [report('us-gaap:SalesRevenueGoodsNet', 90)] }], options)
  expect(await values()).toEqual([90])
  const second = await importFacts(sql, [{ parsed: [report('us-gaap:Revenues', 100)] }], options)
  expect(await values()).toEqual([100])
  expect([second.factsAdded, second.factsRemoved, second.dataVersion]).toEqual([1, 1, 2])
  // The register mended what it had taken from the filing: what it states last counts, whether it is less or more.
  await importFacts(sql, [{ parsed: [report('us-gaap:Revenues', 99)] }], options)
  expect(await values()).toEqual([99])
  await importFacts(sql, [{ parsed: [report('us-gaap:Revenues', 100)] }], options)
  expect(await values()).toEqual([100])
})

test('an import reads rows whose names a concurrent import has added', async () => {
  const sql = await fresh()
  const of = (reported: ReportedFact): ParsedDocument => ({
    profile: profile('0000000001'),
    reportedFacts: [reported],
    filings: [],
  })
  const first = revenue(10, filing('0000000001-21-000001'))
  const second = { ...revenue(20, filing('0000000001-21-000002')), unit: 'CHF', tag: 'ifrs-full:Revenue' }
  const concurrent = async function* (): AsyncGenerator<ReadUnit> {
    // The outer import has read all names by now.
    await importFacts(sql, [{ parsed: [of(second)] }], options)
    yield { parsed: [of(first)] }
  }
  await importFacts(sql, concurrent(), options)
  const apart = await fresh()
  await importFacts(apart, [{ parsed: [of(first), of(second)] }], options)
  expect(await storedFacts(sql)).toEqual(await storedFacts(apart))
})
