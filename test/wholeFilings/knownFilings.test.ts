import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber, type IsoDate, isoDate } from '../../src/dates.ts'
import { type EntityProfile, type Filing, unknownFilingDate } from '../../src/facts/reportedFact.ts'
import { importFacts } from '../../src/ingest/import/importFacts.ts'
import type { ReadUnit } from '../../src/ingest/reading/progress.ts'
import { usRegister } from '../../src/ingest/registers/us/register.ts'
import { type AsOf, isInstant, lastWholeDay } from '../../src/instants.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { readDataVersion } from '../../src/postgres/dataVersion.ts'
import {
  type FilingContent,
  type KnownFiling,
  listFilingContents,
  listKnownFilings,
  readWholeFilings,
} from '../../src/wholeFilings/knownFilingQueries.ts'
import { type StatedFiling, type WholeSource, wholeSources } from '../../src/wholeFilings/statedFiling.ts'
import { loadMoreTerms, loadTerms, storeTerms } from '../../src/wholeFilings/termQueries.ts'
import { Terms } from '../../src/wholeFilings/terms.ts'
import type { WholeFiling } from '../../src/wholeFilings/wholeFiling.ts'
import { type TestDatabase, testDatabase } from '../database.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { pinsOf } from '../pins.ts'
import { rounds } from '../rounds.ts'

setDefaultTimeout(120_000)

let db: TestDatabase
let sql: Sql
beforeAll(async () => {
  db = await testDatabase()
  sql = db.sql
})
afterAll(() => db.close(), 60_000)

/** A company of its own for each test, so that no test sees the filings of another. */
let issuers = 0
let profile: EntityProfile
beforeEach(() => {
  issuers++
  profile = companyOf(0)
})

/** The first company of a test, or one of those that filed its reports, too. */
function companyOf(coFiler: number): EntityProfile {
  const issuerId = coFiler === 0 ? String(issuers) : `${issuers}.${coFiler}`
  return { market: 'US', issuerId, name: `Company ${issuerId}`, registers: true }
}

const accessionOf = (number: number) => `${issuers}-${number}`

interface Made {
  /** The content: one figure of this value, beside one that all contents share. */
  readonly value: string
  readonly number?: number
  readonly filed?: IsoDate
  readonly acceptedAt?: number
  readonly source?: WholeSource
  /** Set for a register that overwrites. */
  readonly seenOn?: IsoDate
  readonly lines?: number
  /** The company that states it; the test's first one if omitted. */
  readonly of?: EntityProfile
}

const instant = { start: null, end: dayNumber('2020-12-31'), quarters: null, dimensions: [] }

function unitOf({
  value,
  number = 1,
  filed,
  acceptedAt,
  source = 'documents',
  seenOn,
  lines = 2,
  of = profile,
}: Made): ReadUnit {
  const filing: Filing = {
    accession: accessionOf(number),
    form: '10-K',
    filed: filed === undefined ? unknownFilingDate : dayNumber(filed),
    acceptedAt: acceptedAt ?? null,
  }
  const concepts = ['us-gaap:Assets', `own:Item${value}`]
  const whole: WholeFiling = {
    accession: filing.accession,
    taxonomies: new Map([['us-gaap', 'us-gaap/2020']]),
    figures: concepts.map((concept, at) => ({
      concept,
      context: instant,
      unit: 'USD',
      decimals: null,
      value: at === 0 ? '1' : value,
    })),
    statements: [
      {
        role: 'balance',
        title: null,
        kind: 'BS',
        parenthetical: false,
        lines: concepts.slice(0, lines).map((concept, at) => ({
          order: at + 1,
          concept,
          depth: null,
          label: null,
          labelRole: null,
          negated: false,
        })),
      },
    ],
    sums: [],
    defaultMembers: new Map(),
  }
  const { market, issuerId } = of
  const stated: StatedFiling = {
    ...{ market, issuerId, whole, source, periodEnd: instant.end },
    ...(seenOn === undefined ? {} : { seenOn: dayNumber(seenOn) }),
  }
  return { parsed: [{ profile: of, reportedFacts: [], filings: [filing] }], wholeFilings: [stated] }
}

/** Imports filings one by one. */
async function put(...made: readonly Made[]): Promise<void> {
  for (const one of made) {
    const overwrites = one.seenOn === undefined ? {} : { observedOn: dayNumber(one.seenOn) }
    await importFacts(sql, [unitOf(one)], { source: 'test', rules: usRegister.rules, ...overwrites })
  }
}

async function entityId(of = profile): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    select entity_id as id from entity where market = 'US' and issuer_id = ${of.issuerId}`
  return row?.id ?? 0
}

async function known(asOf: AsOf, store: Sql = sql, of = profile): Promise<readonly KnownFiling[]> {
  const entity = await entityId(of)
  const listed = await listKnownFilings(store, entity, asOf)
  if (!isInstant(asOf)) {
    // Of the history of all contents, too, those of the day are the ones that are known then.
    for (const until of [asOf, '9999-12-31']) {
      const ofFiling = new Map<number, FilingContent>()
      for (const content of await listFilingContents(store, entity, until))
        if (content.since <= asOf) ofFiling.set(content.order, content)
      const latest = [...ofFiling.values()].sort((a, b) => b.order - a.order)
      expect(latest.map(({ since: _, isEdit: __, order: ___, ...content }) => content)).toEqual([...listed])
    }
  }
  return listed
}

/** The values of the contents that are known, by the number of the filing, the latest filing first. */
async function contents(asOf: AsOf, store: Sql = sql, of = profile): Promise<string[]> {
  const filings = await known(asOf, store, of)
  const whole = await readWholeFilings(store, new Terms(), filings)
  return whole.map(({ accession, figures }) => {
    const own = figures.find(({ concept }) => concept.startsWith('own:'))
    return `${accession.split('-')[1]}:${own?.value}`
  })
}

const storedRows = async () =>
  (
    await sql<{ row: string }[]>`
      select concat_ws(' ', w.filing_id, w.seen_on, w.period_end, w.source, w.figures, w.lines, md5(w.figure_block), md5(w.statement_block), w.xmin) as row
      from whole_filing w where w.entity_id = ${await entityId()} order by w.filing_id, w.seen_on`
  ).map(({ row }) => row)

test('a more complete source replaces a less complete one, and never the other way', async () => {
  for (const first of wholeSources)
    for (const second of wholeSources) {
      const number = wholeSources.indexOf(first) * 3 + wholeSources.indexOf(second)
      await put(
        { number, value: '10', source: first, filed: '2021-03-01' },
        { number, value: '20', source: second, filed: '2021-03-01' },
      )
      const listed = (await known('2021-03-01')).find(({ accession }) => accession === accessionOf(number))
      const isReplaced = wholeSources.indexOf(second) >= wholeSources.indexOf(first)
      expect(listed?.source).toBe(isReplaced ? second : first)
      expect(await contents('2021-03-01')).toContain(`${number}:${isReplaced ? 20 : 10}`)
    }
  expect(await contents('2021-02-28')).toEqual([])
})

test('of a register that overwrites, a more complete source counts from the day on which it was seen', async () => {
  await put(
    { value: '1', source: 'dataSet', filed: '2021-03-01', seenOn: '2021-04-01' },
    { value: '2', source: 'documents', filed: '2021-03-01', seenOn: '2021-05-01' },
    { value: '3', source: 'dataSet', filed: '2021-03-01', seenOn: '2021-06-01' },
  )
  // The documents may state what the register edited since the data set was made.
  for (const day of ['2021-03-01', '2021-04-15', '2021-04-30']) expect(await contents(day)).toEqual(['1:1'])
  for (const day of ['2021-05-01', '2021-05-31', '2021-06-02']) expect(await contents(day)).toEqual(['1:2'])
})

test('the same content that is imported again writes nothing and makes no data version, also when more terms are known', async () => {
  const made = { value: '7', filed: '2021-03-01' } as const
  await put(made)
  const rows = await storedRows()
  const version = await readDataVersion(sql)
  await put(made)
  const terms = await loadTerms(sql)
  const before = terms.count
  await storeTerms(sql, terms, ['own:Item7', 'us-gaap:Assets', 'USD', 'balance'])
  expect(terms.count).toBeGreaterThan(before)
  await put(made)
  expect(await storedRows()).toEqual([...nonEmpty(rows)])
  expect(await readDataVersion(sql)).toBe(version)
  // A change of one presented line is another content.
  await put({ ...made, lines: 1 })
  expect(await readDataVersion(sql)).toBe(version + 1)
})

test('content that is seen again on later days makes no data version either', async () => {
  const made = { value: '7', filed: '2021-03-01' } as const
  await put({ ...made, seenOn: '2021-04-01' })
  const [rows, version] = [await storedRows(), await readDataVersion(sql)]
  for (const seenOn of ['2021-04-01', '2021-04-09', '2021-04-05', '2021-04-09'])
    await put({ ...made, seenOn })
  expect([await storedRows(), await readDataVersion(sql)]).toEqual([rows, version])
})

test('what a register stated, edited and took back counts from the days on which it was seen, in any order of import', async () => {
  const seen = [
    ['2021-04-01', '1'],
    ['2021-04-11', '2'],
    ['2021-04-21', '2'],
    ['2021-05-01', '1'],
    ['2021-05-11', '3'],
  ] as const
  const expected = [
    ['2021-02-28', []],
    ['2021-03-01', ['1:1']],
    ['2021-04-10', ['1:1']],
    ['2021-04-11', ['1:2']],
    ['2021-04-30', ['1:2']],
    ['2021-05-01', ['1:1']],
    ['2021-05-10', ['1:1']],
    ['2021-05-11', ['1:3']],
    // At an instant the day on which it was seen has to have ended.
    ['2021-05-11T23:59:59-04:00', ['1:1']],
    ['2021-05-12T00:00:00-04:00', ['1:3']],
  ] as const
  for (const order of [
    [0, 1, 2, 3, 4],
    [4, 3, 2, 1, 0],
    [3, 0, 4, 1, 2],
    [0, 3, 4, 2, 1],
  ]) {
    issuers++
    profile = { ...profile, issuerId: String(issuers) }
    for (const at of order) await put({ value: seen[at][1], filed: '2021-03-01', seenOn: seen[at][0] })
    for (const [asOf, values] of expected) expect([asOf, await contents(asOf)]).toEqual([asOf, [...values]])
    expect(await storedRows()).toHaveLength(4)
  }
})

test('of two statements on one day the one that is read last counts', async () => {
  await put(
    { value: '1', filed: '2021-03-01', seenOn: '2021-04-01' },
    { value: '2', filed: '2021-03-01', seenOn: '2021-04-05' },
    { value: '3', filed: '2021-03-01', seenOn: '2021-04-05' },
  )
  expect(await contents('2021-04-05')).toEqual(['1:3'])
  await put({ value: '1', filed: '2021-03-01', seenOn: '2021-04-05' })
  expect(await contents('2021-04-05')).toEqual(['1:1'])
  expect(await storedRows()).toHaveLength(1)
})

test('a filing without a day is served on none, and from its day on once another import states it', async () => {
  await put({ value: '5' })
  expect(await storedRows()).toHaveLength(1)
  expect(await contents('2100-01-01')).toEqual([])
  const { parsed } = unitOf({ value: '5', filed: '2021-06-15' })
  await importFacts(sql, [{ parsed }], { source: 'test', rules: usRegister.rules })
  expect(await contents('2021-06-14')).toEqual([])
  expect(await contents('2021-06-15')).toEqual(['1:5'])
})

test('an instant shows a filing that was accepted by then, and one without a time when its day has ended', async () => {
  const acceptedAt = Date.parse('2021-06-15T16:30:00-04:00')
  await put({ value: '5', filed: '2021-06-15', acceptedAt }, { value: '6', number: 2, filed: '2021-06-15' })
  expect(await contents('2021-06-15T16:29:59-04:00')).toEqual([])
  expect(await contents('2021-06-15T16:30:00-04:00')).toEqual(['1:5'])
  expect(await contents('2021-06-16T00:00:00-04:00')).toEqual(['2:6', '1:5'])
})

test('pins still read what was replaced and what was deleted', async () => {
  const pins = pinsOf(sql)
  const at = (version: number, asOf: AsOf) => pins.use(version, store => contents(asOf, store.sql))
  try {
    await put({ value: '1', source: 'figures', filed: '2021-03-01' })
    const first = await readDataVersion(sql)
    await put({ value: '2', source: 'documents', filed: '2021-03-01' })
    const second = await readDataVersion(sql)
    expect(second).toBe(first + 1)
    expect(await at(first, '2021-03-01')).toEqual(['1:1'])
    expect(await at(second, '2021-03-01')).toEqual(['1:2'])
    expect(await at(first, '2021-02-28')).toEqual([])
    await sql`delete from filing where accession = ${accessionOf(1)}`
    expect(await contents('2021-03-01')).toEqual([])
    expect(await at(second, '2021-03-01')).toEqual(['1:2'])
  } finally {
    await pins.close()
  }
})

test('pins still show the content of each company that filed a report, before and after the other had one', async () => {
  const [parent, child] = [companyOf(0), companyOf(1)]
  const pins = pinsOf(sql)
  const at = (version: number) =>
    pins.use(version, async store => [
      await contents('2021-03-01', store.sql, parent),
      await contents('2021-03-01', store.sql, child),
    ])
  try {
    await put({ value: '1', source: 'figures', filed: '2021-03-01', of: child })
    const first = await readDataVersion(sql)
    await put({ value: '2', source: 'documents', filed: '2021-03-01', of: parent })
    const second = await readDataVersion(sql)
    await put({ value: '3', source: 'dataSet', filed: '2021-03-01', of: child })
    const third = await readDataVersion(sql)
    expect([second, third]).toEqual([first + 1, first + 2])
    const [rows, version] = [await storedRows(), third]
    await put({ value: '1', source: 'figures', filed: '2021-03-01', of: child })
    expect([await storedRows(), await readDataVersion(sql)]).toEqual([rows, version])
    expect(await at(first)).toEqual([[], ['1:1']])
    expect(await at(second)).toEqual([['1:2'], ['1:1']])
    expect(await at(third)).toEqual([['1:2'], ['1:3']])
    await sql`delete from filing where accession = ${accessionOf(1)}`
    expect(await contents('2021-03-01', sql, child)).toEqual([])
    expect(await at(third)).toEqual([['1:2'], ['1:3']])
  } finally {
    await pins.close()
  }
})

test('who deletes a filing deletes its blocks and the days on which they were seen', async () => {
  for (const seenOn of ['2021-04-01', '2021-04-05'] as const)
    await put({ value: '1', filed: '2021-03-01', seenOn })
  const [{ id }] = await sql<{ id: number }[]>`
    select filing_id as id from filing where accession = ${accessionOf(1)}`
  const rows = async () =>
    (
      await sql<{ rows: number }[]>`
        select ((select count(*) from whole_filing where filing_id = ${id})
              + (select count(*) from whole_filing_repeat where filing_id = ${id}))::int as rows`
    )[0].rows
  expect(await rows()).toBe(2)
  await sql`delete from filing where filing_id = ${id}`
  expect(await rows()).toBe(0)
})

test('two readers that load terms into one dictionary at once add each of them once', async () => {
  const terms = await loadTerms(sql)
  const added = Array.from({ length: 50 }, (_, at) => `added:${at}`)
  await storeTerms(sql, await loadTerms(sql), added)
  await Promise.all([
    loadMoreTerms(sql, terms),
    storeTerms(sql, terms, ['added:last']),
    loadMoreTerms(sql, terms),
    storeTerms(sql, terms, ['added:last', 'added:0']),
    loadMoreTerms(sql, terms),
  ])
  const all = await loadTerms(sql)
  expect(terms.count).toBe(all.count)
  for (const text of nonEmpty([...added, 'added:last'])) expect(terms.numberOf(text)).toBe(all.numberOf(text))
})

const firstDay = '2021-01-01'
const dayOf = fc.nat({ max: 40 }).map(days => addDays(firstDay, days))
const seenFiling = fc.record({
  filed: dayOf,
  seen: fc.uniqueArray(
    fc.record({
      seenOn: dayOf,
      value: fc.integer({ min: 1, max: 3 }).map(String),
      // Some reports are of a second company as well.
      coFiler: fc.constantFrom(0, 0, 1),
    }),
    { minLength: 1, maxLength: 5, selector: ({ seenOn, coFiler }) => `${seenOn} ${coFiler}` },
  ),
})
/** Whole days and instants between them. */
const askedFor = fc
  .tuple(
    fc.nat({ max: 45 }).map(days => addDays(firstDay, days)),
    fc.constantFrom('', 'T00:00:00-05:00', 'T12:00:00-05:00', 'T23:59:59-05:00'),
  )
  .map(([day, time]) => `${day}${time}`)

interface Seen {
  readonly seenOn: IsoDate
  readonly value: string
  readonly coFiler: number
}

/** What the rule says of a company, by going through everything that was ever seen. */
function bruteForce(
  filings: readonly { readonly filed: IsoDate; readonly seen: readonly Seen[] }[],
  asOf: AsOf,
  company: number,
): string[] {
  const day = isInstant(asOf) ? isoDate(dayNumber(asOf.slice(0, 10)) - 1) : asOf
  expect(day).toBe(lastWholeDay(asOf))
  return filings
    .flatMap(({ filed, seen }, index) => {
      if (filed > day) return []
      const inOrder = seen
        .filter(({ coFiler }) => coFiler === company)
        .sort((a, b) => (a.seenOn < b.seenOn ? -1 : 1))
      if (inOrder.length === 0) return []
      const counting = inOrder.filter(({ seenOn }) => seenOn <= day).at(-1) ?? inOrder[0]
      return [{ filed, index, text: `${index}:${counting.value}` }]
    })
    .sort((a, b) => (a.filed === b.filed ? b.index - a.index : a.filed < b.filed ? 1 : -1))
    .map(({ text }) => text)
}

test('as of any day or instant, filings that were seen on any days, imported in any order, are those of a brute-force reader', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(seenFiling, { minLength: 1, maxLength: 3 }),
      fc.array(askedFor, { minLength: 6, maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      async (filings, asked, order) => {
        issuers++
        const imports = filings.flatMap(({ filed, seen }, number) =>
          seen.map(({ seenOn, value, coFiler }) => ({
            ...{ number, filed, seenOn, value, of: companyOf(coFiler) },
            rank: order.next().value ?? 0,
          })),
        )
        imports.sort((a, b) => a.rank - b.rank)
        await put(...imports)
        for (const asOf of asked)
          for (const company of [0, 1]) {
            const found = await contents(asOf, sql, companyOf(company))
            expect([asOf, company, found]).toEqual([asOf, company, bruteForce(filings, asOf, company)])
          }
      },
    ),
    { numRuns: rounds(14, 40) },
  )
})

test('the list has what the filing and its content state', async () => {
  await put({ value: '5', filed: '2021-06-15', source: 'dataSet', seenOn: '2021-07-01' })
  const [listed] = nonEmpty<KnownFiling>(await known('2021-07-01'))
  expect(listed).toEqual({
    filingId: expect.any(Number),
    entityId: await entityId(),
    accession: accessionOf(1),
    form: '10-K',
    filed: '2021-06-15',
    acceptedAt: null,
    periodEnd: '2020-12-31',
    source: 'dataSet',
    figures: 2,
    lines: 2,
    seenOn: '2021-07-01',
  })
})
