import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber } from '../../../src/dates.ts'
import { listChanges } from '../../../src/features/changes/changes.ts'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { listKnownFilings, readWholeFilings } from '../../../src/wholeFilings/knownFilingQueries.ts'
import { type WholeSource, wholeSources } from '../../../src/wholeFilings/statedFiling.ts'
import { loadTerms } from '../../../src/wholeFilings/termQueries.ts'
import { testCursors } from '../../cursors.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { importWhole } from '../statements/importWhole.ts'
import { manifests } from './mirror.ts'

let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await testDatabase()
  await setDay(day)
}, 120_000)
afterAll(async () => {
  await sql?.end()
  await database.close()
}, 180_000)

let day = '2021-03-01'

/** Imports of new connections are of this day. */
async function setDay(to: string): Promise<void> {
  day = to
  await database.admin.unsafe(
    `alter database ${new URL(database.url).pathname.slice(1)} set asfiled.today = '${to}'`,
  )
  await sql?.end()
  sql = connect({ url: database.url, connections: 3, statementTimeoutMs: 60_000 })
}

const accessionOf = (number: number) => `0000000001-21-${String(number).padStart(6, '0')}`

interface Imported {
  readonly number: number
  /** 1: the other of two companies that filed it. */
  readonly coFiler?: 0 | 1
  readonly filed: string
  readonly source: WholeSource
  /** How many figures state `value`. */
  readonly figures: number
  readonly value: string
}

/** Imports a company's content of a filing. */
async function importFiling({ number, coFiler = 0, filed, source, figures, value }: Imported): Promise<void> {
  const company = (number + coFiler) % 3
  const context = { start: null, end: dayNumber('2020-12-31'), quarters: null, dimensions: [] }
  await importWhole(sql, [
    {
      issuerId: String(company).padStart(10, '0'),
      ticker: `C${company}`,
      form: '10-K',
      filed,
      periodEnd: '2020-12-31',
      source,
      whole: {
        accession: accessionOf(number),
        taxonomies: new Map([['us-gaap', 'us-gaap/2020']]),
        figures: Array.from({ length: figures }, (_, at) => ({
          concept: `us-gaap:Line${at}`,
          context,
          unit: 'USD',
          decimals: -3,
          value,
        })),
        statements: [],
        sums: [],
        defaultMembers: new Map(),
      },
    },
  ])
}

/** Changes rows in a data version of its own, as a command of the operator does. */
async function inVersion(change: (transaction: Sql) => Promise<unknown>): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`select next_data_version()`
    await change(transaction as unknown as Sql)
    await transaction`update data_version set version = version + 1`
    await transaction`
      insert into import_batch (version, source, entities, facts_added) select version, 'test', 1, 0 from data_version`
  })
}

/** A filing, with the content of each company that filed it. */
interface Copied {
  readonly companies: readonly {
    readonly entity: number
    readonly ticker: string
    readonly content: string
  }[]
  readonly filed: string
  readonly form: string
  readonly acceptedAt: string | null
}

/** What the service knows in full as of a day, read as GET /api/v1/reported reads it. */
async function known(asOf: string, only: string | null = null): Promise<Map<string, Copied>> {
  const terms = await loadTerms(sql)
  const companies = await sql<
    { id: number; ticker: string }[]
  >`select entity_id as id, ticker from entity order by issuer_id`
  const found = new Map<string, Copied>()
  for (const { id, ticker } of companies) {
    const all = await listKnownFilings(sql, id, asOf)
    const filings = all.filter(({ accession }) => only === null || accession === only)
    const whole = await readWholeFilings(sql, terms, filings)
    for (const [at, { accession, filed, form, acceptedAt }] of filings.entries()) {
      const own = { entity: id, ticker, content: JSON.stringify(whole[at].figures) }
      found.set(accession, {
        companies: [...(found.get(accession)?.companies ?? []), own],
        filed,
        form,
        acceptedAt: acceptedAt === null ? null : acceptedAt.toISOString().replace('.000Z', 'Z'),
      })
    }
  }
  return found
}

/** A copy of whole filings that the feed maintains. */
const mirror = {
  copied: new Map<string, Copied>(),
  version: 0,
  day: '2021-03-01',
}

/** Follows the feed to its end. Returns the accessions of its filings in order. */
async function follow(limit: number): Promise<string[]> {
  const named: string[] = []
  let cursor: string | null = null
  do {
    const query: Parameters<typeof listChanges>[1] = {
      since: mirror.version,
      since_day: mirror.day,
      filings: true,
      limit,
      ...(cursor === null ? {} : { cursor }),
    }
    const list = await listChanges({ sql, cursors: testCursors }, query, day, manifests)
    for (const { change, ticker, entity, accession, accepted_at } of list.data) {
      const key = String(accession)
      if (change === 'filing') {
        named.push(key)
        const content = (await known(day, key)).get(key)
        if (content === undefined) mirror.copied.delete(key)
        else mirror.copied.set(key, content)
      } else if (change === 'filing_removed') {
        named.push(key)
        mirror.copied.delete(key)
      } else if (change === 'timed') {
        const copy = mirror.copied.get(key)
        if (copy !== undefined)
          mirror.copied.set(key, {
            ...copy,
            acceptedAt: typeof accepted_at === 'string' ? accepted_at : null,
          })
      } else if (change === 'renamed') {
        for (const [of, copy] of mirror.copied) {
          const companies = copy.companies.map(one =>
            one.entity === entity ? { ...one, ticker: String(ticker) } : one,
          )
          mirror.copied.set(of, { ...copy, companies })
        }
      }
    }
    cursor = list.next
    if (cursor === null) {
      mirror.version = list.data_version
      mirror.day = list.as_of
    }
  } while (cursor !== null)
  return named
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('import' as const),
      number: fc.nat({ max: 7 }),
      coFiler: fc.constantFrom(0, 0, 1),
      filedIn: fc.integer({ min: -5, max: 2 }),
      source: fc.constantFrom(...wholeSources),
      figures: fc.integer({ min: 1, max: 5 }),
      value: fc.integer({ min: 1, max: 3 }).map(String),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('time' as const), number: fc.nat({ max: 7 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), number: fc.nat({ max: 7 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('form' as const), number: fc.nat({ max: 7 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rename' as const), number: fc.nat({ max: 7 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('days' as const), number: fc.integer({ min: 1, max: 2 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('sync' as const), number: fc.constantFrom(1, 2, 100) }),
  },
)

let marks = 0
test('a copy of whole filings that follows the feed has the same content on every day', async () => {
  let compared = 0
  let events = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async steps => {
      for (const one of steps) {
        if (one.do === 'import') await importFiling({ ...one, filed: addDays(day, one.filedIn) })
        else if (one.do === 'days') await setDay(addDays(day, one.number))
        else if (one.do === 'sync') {
          const truth = await known(day)
          const named = await follow(one.number)
          expect(sorted(mirror.copied)).toEqual(sorted(truth))
          // One row a filing, whatever its figures and however often it changed.
          expect(new Set(named).size).toBe(named.length)
          compared += truth.size
          events += named.length
        } else {
          const accession = accessionOf(one.number)
          await inVersion(async transaction => {
            marks++
            if (one.do === 'time')
              await transaction`
                update filing set accepted_at = filed + interval '1 hour' * ${marks % 20} where accession = ${accession}`
            else if (one.do === 'form')
              await transaction`update filing set form = ${`10-K/${marks}`} where accession = ${accession}`
            else if (one.do === 'rename')
              await transaction`
                update entity set ticker = ${`R${marks}`} where issuer_id = ${String(one.number % 3).padStart(10, '0')}`
            else
              await transaction`
                delete from whole_filing where filing_id = (select filing_id from filing where accession = ${accession})`
          })
        }
      }
      await follow(3)
      expect(sorted(mirror.copied)).toEqual(sorted(await known(day)))
    }),
    { numRuns: Number(process.env.RUNS ?? 12), endOnFailure: true },
  )
  expect(compared).toBeGreaterThan(20)
  expect(events).toBeGreaterThan(10)
  // A feed without filings has none of them.
  const plain = await listChanges({ sql, cursors: testCursors }, { since: 0, limit: 50_000 }, day, manifests)
  expect(plain.data.filter(({ change }) => String(change).startsWith('filing'))).toEqual([])
  const first = await listChanges(
    { sql, cursors: testCursors },
    { since: 0, limit: 1, filings: true },
    day,
    manifests,
  )
  const cursor = first.next ?? ''
  const mixed = listChanges({ sql, cursors: testCursors }, { since: 0, limit: 1, cursor }, day, manifests)
  expect(await mixed.catch((error: Error) => error.message)).toContain('cursor')
  // Markets that may not be passed on are in no row.
  const others = manifests.filter(({ code }) => code !== 'US')
  const hidden = await listChanges(
    { sql, cursors: testCursors },
    { since: 0, limit: 50_000, filings: true },
    day,
    others,
  )
  expect(hidden.data).toEqual([])
}, 300_000)

test('a filing that becomes due without an import is announced on its day', async () => {
  await follow(100)
  const due = { number: 90, filed: addDays(day, 3), source: 'documents', figures: 2 } as const
  await importFiling({ ...due, value: '5' })
  await importFiling({ ...due, coFiler: 1, value: '6' })
  // Filings of the other test may become due as well.
  expect(await follow(100)).not.toContain(accessionOf(90))
  await setDay(addDays(day, 2))
  expect(await follow(100)).not.toContain(accessionOf(90))
  await setDay(addDays(day, 1))
  expect(await follow(100)).toEqual([accessionOf(90)])
  const { companies = [] } = mirror.copied.get(accessionOf(90)) ?? {}
  expect(companies.map(({ content }) => /"value":"(.)"/.exec(content)?.[1])).toEqual(['5', '6'])
}, 120_000)

const sorted = (copied: ReadonlyMap<string, Copied>) => [...copied].sort(([a], [b]) => (a < b ? -1 : 1))
