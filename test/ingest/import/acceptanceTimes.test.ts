import { expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { dayNumber } from '../../../src/dates.ts'
import type { Filing, ParsedDocument, ReportedFact } from '../../../src/facts/reportedFact.ts'
import { listChanges } from '../../../src/features/changes/changes.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { parseSubmissions } from '../../../src/ingest/registers/us/submissions.ts'
import { readSample } from '../../../src/ingest/sample/loadSample.ts'
import { beginSampleLoad, finishSampleLoad } from '../../../src/ingest/store/importQueries.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { advanceDataVersion, readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { readMigration } from '../../../src/postgres/history.ts'
import { testCursors } from '../../cursors.ts'
import { manifests } from '../../features/changes/mirror.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { rounds } from '../../rounds.ts'
import { storedFacts } from '../stored.ts'

setDefaultTimeout(300_000)

const fresh = freshDatabases()
const { rules, settleTimes = null } = usRegister
const options = { source: 'us', rules, settleTimes }

type Row = readonly [accession: string, accepted: string, filed: string, form: string, hasAccounts?: boolean]

/** A list of submissions, through the register's own parser. */
function list(cik: string, rows: readonly Row[], part = ''): ParsedDocument {
  const columns = {
    accessionNumber: rows.map(([accession]) => accession),
    acceptanceDateTime: rows.map(([, accepted]) => `${accepted}.000Z`),
    filingDate: rows.map(([, , filed]) => filed),
    form: rows.map(([, , , form]) => form),
    isXBRL: rows.map(([, , , , hasAccounts = true]) => (hasAccounts ? 1 : 0)),
  }
  const document =
    part === '' ? { cik, name: `Filer ${cik}`, tickers: [], filings: { recent: columns } } : columns
  const { filings } = parseSubmissions(document, `CIK${cik}-submissions-${part}.json`)
  return { profile: { market: 'US', issuerId: cik, registers: true }, reportedFacts: [], filings }
}

const revenue = (filing: Filing, value: number): ReportedFact => ({
  metric: 'revenue',
  tag: 'us-gaap:Revenues',
  unit: 'USD',
  rounded: false,
  start: dayNumber('2019-01-01'),
  end: dayNumber('2019-12-31'),
  value,
  filing,
})

/** Figures of a filer, from a data set if its time is shown (`2021-01-27T18:03`), otherwise from companyfacts. */
function figures(
  cik: string,
  rows: readonly [accession: string, filed: string, value: number, accepted?: string][],
): ParsedDocument {
  const reportedFacts = rows.map(([accession, day, value, accepted]) => {
    const shown = { lister: '', shown: Date.parse(`${accepted}:00Z`), clock: 'local' } as const
    const filing: Filing = {
      accession,
      form: '10-K/A',
      filed: dayNumber(day),
      acceptedAt: null,
      ...(accepted === undefined ? {} : { readings: [shown] }),
    }
    return revenue(filing, value)
  })
  return { profile: { market: 'US', issuerId: cik, registers: true }, reportedFacts, filings: [] }
}

const one = '0000000001'
const two = '0000000002'
const number = (at: number) => `0000000001-20-${String(at).padStart(6, '0')}`

/* A filer whose list changes from New York's time to UTC, and another that filed some of the same reports and lists
 * them in UTC. Both report several times on one day, so that their figures depend on the times. */
const documents: readonly ParsedDocument[] = [
  list(one, [
    [number(1), '2020-02-03T08:10:00', '2020-02-03', '10-K'],
    [number(2), '2020-02-03T14:10:30', '2020-02-03', '10-K/A'],
    [number(3), '2020-02-03T12:10:30', '2020-02-03', '10-K/A'],
    ['9999999995-20-000001', '2020-03-04T00:15:11', '2020-03-03', 'EFFECT', false],
    [number(4), '2020-05-04T15:00:20', '2020-05-04', '10-K/A'],
  ]),
  list(
    one,
    [
      [number(5), '2020-06-04T15:00:20', '2020-06-04', '10-K/A'],
      [number(6), '2020-06-04T21:10:20', '2020-06-04', '10-K/A'],
      ['0000000001-20-900001', '2020-07-02T01:15:11', '2020-07-01', '4', false],
      [number(7), '2020-08-04T16:00:20', '2020-08-04', '10-K/A'],
    ],
    '001',
  ),
  list(two, [
    [number(3), '2020-02-03T17:10:40', '2020-02-03', '10-K/A'],
    [number(4), '2020-05-04T19:00:20', '2020-05-04', '10-K/A'],
    ['0000000002-20-900001', '2020-05-05T00:30:00', '2020-05-04', '4', false],
    [number(8), '2009-03-30T04:00:00', '2020-08-04', '10-K/A'],
  ]),
  figures(one, [
    [number(1), '2020-02-03', 100],
    [number(2), '2020-02-03', 110],
    [number(3), '2020-02-03', 120],
    [number(4), '2020-05-04', 130],
    [number(5), '2020-06-04', 140],
  ]),
  figures(one, [
    [number(6), '2020-06-04', 150, '2020-06-04T17:10'],
    [number(7), '2020-08-04', 160],
    [number(9), '2020-08-04', 170, '2020-08-04T09:00'],
  ]),
  figures(two, [
    [number(2), '2020-02-03', 210],
    [number(3), '2020-02-03', 220, '2020-02-03T12:11'],
    [number(8), '2020-08-04', 230],
  ]),
]

const storedTimes = async (sql: Sql) =>
  Object.fromEntries(
    (
      await sql<{ accession: string; at: Date | null }[]>`
        select accession, accepted_at as at from filing order by accession`
    ).map(({ accession, at }) => [accession, at?.toISOString().slice(0, 19) ?? null]),
  )

const expected = {
  [number(1)]: '2020-02-03T13:10:00',
  [number(2)]: '2020-02-03T19:10:30',
  // The first list shows 12:10:30 in New York, the second 17:10:40 in UTC, and the data set 12:11.
  [number(3)]: '2020-02-03T17:11:00',
  // No later row of the first list reveals its clock, but the second list is in UTC throughout.
  [number(4)]: '2020-05-04T19:00:20',
  [number(5)]: '2020-06-04T15:00:20',
  [number(6)]: '2020-06-04T21:10:20',
  [number(7)]: '2020-08-04T16:00:20',
  [number(8)]: null,
  [number(9)]: '2020-08-04T13:01:00',
}

test('imports in any order, at once or one by one, once or several times, give the same times and figures', async () => {
  const whole = await fresh()
  const { untimedFilings } = await importFacts(whole, [{ parsed: documents }], options)
  expect(await storedTimes(whole)).toEqual(expected)
  expect(untimedFilings).toBe(1)
  const facts = await storedFacts(whole)
  nonEmpty(facts)
  const order = fc.shuffledSubarray([...documents.keys(), ...documents.keys()], {
    minLength: 2 * documents.length,
  })
  await fc.assert(
    fc.asyncProperty(order, fc.integer({ min: 1, max: 3 }), async (places, size) => {
      const sql = await fresh()
      for (let at = 0; at < places.length; at += size)
        await importFacts(
          sql,
          [{ parsed: places.slice(at, at + size).map(place => documents[place]) }],
          options,
        )
      expect(await storedTimes(sql)).toEqual(expected)
      expect(await storedFacts(sql)).toEqual([...facts])
    }),
    {
      numRuns: rounds(5, 12),
      // The last list shows the time of a report of which the second company has figures, but which its own list does not name.
      examples: [[[3, 5, 2, 2, 5, 3, 1, 4, 4, 1, 0, 0], 1]],
    },
  )
})

test("a list that reveals the times of another company's reports also orders that company's figures of one day", async () => {
  const sql = await fresh()
  const current = () => sql`
    select f.value from fact f join entity using (entity_id) join metric m using (metric_id)
    where issuer_id = ${two} and m.name = 'revenue' and f.filed = '2020-02-03' and f.superseded > f.filed`
  const open = list(two, [
    [number(2), '2020-02-03T19:10:30', '2020-02-03', '10-K/A'],
    [number(3), '2020-02-03T17:10:30', '2020-02-03', '10-K/A'],
  ])
  const [first, second] = [documents[3], documents[5]]
  const withoutSet = { ...second, reportedFacts: second.reportedFacts.map(fact => withoutReadings(fact)) }
  await importFacts(sql, [{ parsed: [first, withoutSet, open] }], options)
  // Without times the later number counts: 220 of the third report. It was sent before the second one.
  expect([...(await current())]).toEqual([{ value: 220 }])
  await importFacts(sql, [{ parsed: [documents[0]] }], options)
  expect([...(await current())]).toEqual([{ value: 210 }])
})

const withoutReadings = ({ filing: { readings: _, ...filing }, ...fact }: ReportedFact): ReportedFact => ({
  ...fact,
  filing,
})

/** Turns the database into one that an earlier version filled: every time was read as UTC, without readings. */
async function age(sql: Sql): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`
      update filing set accepted_at = (
        select min(shown) at time zone 'UTC' from clock_reading r where r.accession = filing.accession)
      where filing_market(accession) = 'US'`
    await advanceDataVersion(transaction, { source: 'us', entities: 0, factsAdded: 0 })
  })
  await sql`drop table clock_reading`
}

async function migrateAgain(sql: Sql): Promise<void> {
  const text = await readMigration('0042_edgar_clock.sql')
  await sql.begin(async transaction => transaction.unsafe(text).simple())
}

/** Without a prepared statement, whose plan would keep the first version. */
const pinnedTimes = (sql: Sql, version: number) =>
  sql.begin(async transaction => {
    await transaction`select set_config('asfiled.pin', ${String(version)}, true)`
    const rows = await transaction
      .unsafe<{ accession: string; at: Date | null }[]>(
        'select accession, accepted_at as at from pinned.filing order by accession',
      )
      .simple()
    return Object.fromEntries(
      rows.map(({ accession, at }) => [accession, at?.toISOString().slice(0, 19) ?? null]),
    )
  })

const timedSince = async (sql: Sql, since: number) => {
  const list = await listChanges(
    { sql, cursors: testCursors },
    { since, limit: 1_000 },
    '2026-01-01',
    manifests,
  )
  expect(list.next).toBeNull()
  const timed = list.data.filter(({ change }) => change === 'timed')
  expect(
    timed.every(({ metric, value, entity }) => metric === null && value === null && entity !== null),
  ).toBe(true)
  return timed.map(({ accession, filed, version }) => [accession, filed, version])
}

test('the upgrade removes times that earlier versions stored, the next import restores them, and the feed has both; old pins keep them', async () => {
  const sql = await fresh()
  await importFacts(sql, [{ parsed: documents }], options)
  await age(sql)
  const old = await storedTimes(sql)
  const before = await readDataVersion(sql)
  // An archive with an imported list, one that waits, and one of another register.
  await sql`
    insert into sync_file (path, market, pulled_on, bytes, imported_at) values
      ('us/2026-01-01/submissions/CIK0000000001.json.gz', 'US', '2026-01-01', 1, now()),
      ('us/2026-01-01/companyfacts/CIK0000000001.json', 'US', '2026-01-01', 1, now()),
      ('jp/2026-01-01/submissions/CIK0000000001.json', 'JP', '2026-01-01', 1, now())`
  await sql`
    insert into filing (accession, entity_id, form, filed, accepted_at)
    select accession, min(entity_id), 'x', '2020-01-02', at::timestamptz
    from entity, (values ('JP:S1000001', '2020-01-02T03:22:00Z'), ('DK:1/day', '2013-05-30T22:00:00Z'),
      ('DK:1/time', '2013-05-30T21:00:00Z')) foreign_filing (accession, at)
    group by accession, at`
  await migrateAgain(sql)
  const emptied = await storedTimes(sql)
  expect(emptied).toEqual({
    ...Object.fromEntries(Object.keys(expected).map(accession => [accession, null])),
    'JP:S1000001': '2020-01-02T03:22:00',
    'DK:1/day': null,
    'DK:1/time': '2013-05-30T21:00:00',
  })
  expect(await readDataVersion(sql)).toBe(before + 1)
  expect(await pinnedTimes(sql, before)).toMatchObject(old)
  const stated = Object.entries(old).filter(([, time]) => time !== null)
  expect((await timedSince(sql, before)).map(([accession]) => accession).sort()).toEqual(
    nonEmpty(stated).map(([accession]) => accession),
  )
  const waiting = await sql`select path from sync_file where imported_at is null`
  expect(waiting.map(({ path }) => path)).toEqual(['us/2026-01-01/submissions/CIK0000000001.json.gz'])

  const facts = await storedFacts(sql)
  await importFacts(sql, [{ parsed: documents }], options)
  const mended = await readDataVersion(sql)
  expect(await storedTimes(sql)).toMatchObject(expected)
  expect(await storedFacts(sql)).not.toEqual(facts)
  expect(await timedSince(sql, before + 1)).toEqual([
    [number(1), '2020-02-03', mended],
    [number(2), '2020-02-03', mended],
    [number(3), '2020-02-03', mended],
    [number(4), '2020-05-04', mended],
    [number(5), '2020-06-04', mended],
    [number(6), '2020-06-04', mended],
    [number(7), '2020-08-04', mended],
    [number(9), '2020-08-04', mended],
  ])
  // Against the version before the upgrade, only times that were read on the wrong clock differ.
  const changed = Object.entries(expected).filter(([accession, time]) => old[accession] !== time)
  expect((await timedSince(sql, before)).map(([accession]) => accession).sort()).toEqual(
    nonEmpty(changed).map(([accession]) => accession),
  )
  expect(await pinnedTimes(sql, before)).toMatchObject(old)
  expect(await pinnedTimes(sql, before + 1)).toEqual(emptied)
})

test('a database with nothing but the sample gets its times again when a server starts; any other database does not', async () => {
  const sql = await fresh()
  // A few of its companies are enough.
  const shipped = (await readSample()).filter(({ profile }) => profile.market === 'US').slice(0, 5)
  const loadSample = (sql: Sql) => importFacts(sql, [{ parsed: shipped }], { ...options, source: 'sample' })
  expect(await beginSampleLoad(sql)).toBe(true)
  await loadSample(sql)
  await finishSampleLoad(sql)
  const times = await storedTimes(sql)
  expect(nonEmpty(Object.values(times).filter(time => time !== null)).length).toBeGreaterThan(40)
  expect(await beginSampleLoad(sql)).toBe(false)
  await age(sql)
  await sql`update import_batch set source = 'sample'`
  await migrateAgain(sql)
  expect(await storedTimes(sql)).not.toEqual(times)
  expect(await beginSampleLoad(sql)).toBe(true)
  await loadSample(sql)
  await finishSampleLoad(sql)
  expect(await storedTimes(sql)).toEqual(times)

  await age(sql)
  await sql`update import_batch set source = 'us' where version = 2`
  await migrateAgain(sql)
  expect(await beginSampleLoad(sql)).toBe(false)
})
