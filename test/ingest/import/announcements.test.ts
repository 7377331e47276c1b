import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { addDays } from '../../../src/dates.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import type { ReadUnit } from '../../../src/ingest/reading/progress.ts'
import { readAmericanReport, readJson } from '../../../src/ingest/registers/us/readDocument.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { migrate } from '../../../src/postgres/migrations.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'

setDefaultTimeout(300_000)

const fresh = freshDatabases()
const { rules, settleTimes = null } = usRegister
const options = { source: 'us', rules, settleTimes }
const folder = sharedPath('registers/us/submissions')

interface Row {
  readonly issuer: string
  readonly accession: string
  readonly filed: string
  readonly at: Date | null
}

const storedRows = (sql: Sql) => sql<Row[]>`
  select issuer_id as issuer, accession, filed, accepted_at as at from announcement where market = 'US'
  order by issuer_id, accession`

/** By registrant and accession: the filing day, and the instant in UTC. */
const stored = async (sql: Sql) =>
  Object.fromEntries(
    (await storedRows(sql)).map(({ issuer, accession, filed, at }) => [
      `${issuer} ${accession}`,
      `${filed} ${at?.toISOString().slice(0, 19) ?? 'unknown'}`,
    ]),
  )

const importAll = (sql: Sql, units: readonly ReadUnit[]) => importFacts(sql, units, options)

/** New York's wall clock, by Intl and not by the code under test. */
const newYork = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'medium',
})

async function realUnits(names: readonly string[]): Promise<ReadUnit[]> {
  const read = async (name: string) =>
    readAmericanReport({ name, bytes: await Bun.file(join(folder ?? '', name)).bytes() })
  return Promise.all(names.map(read))
}

describe.skipIf(folder === null)('real lists of submissions', () => {
  test('Apple and Tesla announce at the times that their releases are known for', async () => {
    const sql = await fresh()
    await importAll(sql, await realUnits(['CIK0000320193.json', 'CIK0001318605.json']))
    const shown = (await storedRows(sql)).flatMap(({ accession, filed, at }) =>
      at === null ? [] : [[accession, [filed, newYork.format(at)]] as const],
    )
    const times = Object.fromEntries(shown)
    // Apple's list shows 16:30:35 in New York. It announces at half past four, after the close.
    expect(times['0000320193-25-000077']).toEqual(['2025-10-30', '2025-10-30 16:30:35'])
    expect(times['0000320193-26-000005']).toEqual(['2026-01-29', '2026-01-29 16:30:33'])
    // Tesla's list shows UTC: deliveries before the open of 2026-01-02, and results after the close of 2026-01-28.
    expect(times['0001628280-26-000016']).toEqual(['2026-01-02', '2026-01-02 09:20:13'])
    expect(times['0001628280-26-003837']).toEqual(['2026-01-28', '2026-01-28 16:11:04'])
    // In summer New York is four hours behind UTC.
    expect(times['0001628280-25-033842']).toEqual(['2025-07-02', '2025-07-02 09:05:13'])
  })

  test("every instant shows a list's digits on one of its two clocks, while EDGAR is open, and fits the filing day", async () => {
    const digits = new Map<string, Set<string>>()
    const names = readdirSync(folder ?? '')
    for (const name of names) {
      const document = await Bun.file(join(folder ?? '', name)).json()
      const { accessionNumber, acceptanceDateTime } = document.filings?.recent ?? document
      for (const [row, accession] of accessionNumber.entries()) {
        const known = digits.get(accession) ?? new Set()
        digits.set(accession, known.add(acceptanceDateTime[row].slice(0, 19).replace('T', ' ')))
      }
    }
    const sql = await fresh()
    await importAll(sql, await realUnits(names))
    const rows = await storedRows(sql)
    expect(rows.length).toBe(593)
    const late: string[] = []
    for (const { accession, filed, at } of rows) {
      if (at === null) continue
      const shown = digits.get(accession)
      const inUtc = at.toISOString().slice(0, 19).replace('T', ' ')
      const inNewYork = newYork.format(at)
      expect(shown?.has(inUtc) || shown?.has(inNewYork)).toBeTrue()
      const [day = '', time = ''] = inNewYork.split(' ')
      expect([accession, time >= '06:00:00' && time <= '22:05:00']).toEqual([accession, true])
      // A filing carries the next business day if it is accepted after 17:30.
      expect(day <= filed && filed <= addDays(day, 5)).toBeTrue()
      if (day < filed) expect([accession, time >= '17:30:00']).toEqual([accession, true])
      else if (time > '17:45:00') late.push(`${accession} ${inNewYork}`)
    }
    expect(rows.filter(({ at }) => at !== null).length).toBe(593)
    // If a list in New York's time were read as UTC, its mornings would be before six; the other way round, hundreds would
    // be after the cut-off.
    expect(late.length).toBeLessThanOrEqual(5)
  })

  test('any order of the files gives the same rows, and files that are read again change nothing', async () => {
    const names = [
      'CIK0000320193.json',
      'CIK0001318605.json',
      'CIK0001318605-submissions-001.json',
      'CIK0001009672.json',
      'CIK0001009672-submissions-001.json',
      'CIK0000749647.json',
      'CIK0000749647-submissions-001.json',
    ]
    const units = await realUnits(names)
    const whole = await fresh()
    await importAll(whole, units)
    const expected = await stored(whole)
    expect(nonEmpty(Object.keys(expected)).length).toBeGreaterThan(200)
    const version = await readDataVersion(whole)
    await importAll(whole, units)
    expect(await readDataVersion(whole)).toBe(version)
    for (const order of [units.toReversed(), [...units.slice(3), ...units.slice(0, 5)]]) {
      const sql = await fresh()
      for (const unit of order) await importAll(sql, [unit])
      expect(await stored(sql)).toEqual(expected)
    }
  })

  test('a database of schema 51 gets the announcements of files that it imported before', async () => {
    const paths = ['CIK0000320193.json', 'CIK0001318605.json'].map(name => join(folder ?? '', name))
    const files = { paths, observedOn: '2026-11-20' }
    const expected = await fresh()
    await importRegister(expected, usRegister, files, () => {})

    const sql = await fresh()
    // An earlier version did not look for announcements, and recorded another digest of itself.
    const earlier: typeof usRegister = {
      ...usRegister,
      derivationVersion: () => 'the version before',
      readDocument: document => {
        const { statements, ...content } = usRegister.readDocument(document)
        if (statements === undefined) return content
        return { ...content, statements: { ...statements, announcements: [] } }
      },
    }
    await importRegister(sql, earlier, files, () => {})
    await sql.unsafe(`
      drop table price_symbol, price_day, price_block, price_asset, price_import, price_set_reader, price_set;
      drop table shared_report;
      drop table announcement, announcement_past cascade; drop function keep_announcement;
      delete from migration where name >= '0052'`)
    await sql`
      insert into sync_file (path, market, pulled_on, bytes, imported_at) values
        ('us/2026-01-01/submissions/CIK0000320193.json.gz', 'US', '2026-01-01', 1, now()),
        ('us/2026-01-01/submissions/CIK0001318605-submissions-001.json', 'US', '2026-01-01', 1, now()),
        ('us/2026-01-01/companyfacts/CIK0000320193.json', 'US', '2026-01-01', 1, now()),
        ('jp/2026-01-01/submissions/CIK0000320193.json', 'JP', '2026-01-01', 1, now())`
    expect(await migrate(sql)).toEqual([
      '0052_announcements.sql',
      '0053_audit_jobs.sql',
      '0054_shared_reports.sql',
      '0055_prices.sql',
      '0056_known_price_days.sql',
      '0057_known_price_symbols.sql',
      '0058_fast_search_functions.sql',
    ])
    expect(await stored(sql)).toEqual({})
    // The next sync reads the archived lists again, too.
    const waiting = await sql`select path from sync_file where imported_at is null order by path`
    expect(waiting.map(({ path }) => path)).toEqual([
      'us/2026-01-01/submissions/CIK0000320193.json.gz',
      'us/2026-01-01/submissions/CIK0001318605-submissions-001.json',
    ])
    const before = await readDataVersion(sql)
    const { read } = await importRegister(sql, usRegister, files, () => {})
    expect(read.documentsUnchanged).toBe(0)
    expect(await readDataVersion(sql)).toBe(before + 1)
    nonEmpty(Object.keys(await stored(sql)))
    expect(await stored(sql)).toEqual(await stored(expected))
    await importRegister(sql, usRegister, files, () => {})
    expect(await readDataVersion(sql)).toBe(before + 1)
  })
})

const one = '0000000001'
const two = '0000000002'
const three = '0000000003'
const four = '0000000004'
const number = (at: number) => `0000000001-20-${String(at).padStart(6, '0')}`

type ListRow = readonly [accession: string, accepted: string, filed: string, form: string, items?: string]

/** A list of submissions, through the register's own parser. Only reports have structured accounts. */
function list(cik: string, rows: readonly ListRow[], part = ''): ReadUnit {
  const columns = {
    accessionNumber: rows.map(([accession]) => accession),
    acceptanceDateTime: rows.map(([, accepted]) => (accepted === '' ? '' : `${accepted}.000Z`)),
    filingDate: rows.map(([, , filed]) => filed),
    form: rows.map(([, , , form]) => form),
    items: rows.map(([, , , , items = '']) => items),
    isXBRL: rows.map(([, , , form]) => Number(/^10-/.test(form))),
  }
  const document =
    part === '' ? { cik, name: `Filer ${cik}`, tickers: [], filings: { recent: columns } } : columns
  return readJson(document, `CIK${cik}-submissions-${part}.json`)
}

/** What a data set states about the time of a report. */
const dataSet = (cik: string, accession: string, filed: number, shown: string): ReadUnit => ({
  parsed: [
    {
      profile: { market: 'US', issuerId: cik, registers: true },
      reportedFacts: [],
      filings: [
        {
          accession,
          form: '10-K',
          filed,
          acceptedAt: null,
          readings: [{ lister: '', shown: Date.parse(`${shown}Z`), clock: 'local' }],
        },
      ],
    },
  ],
})

const openList = list(three, [
  [number(7), '2020-03-02T14:00:00', '2020-03-02', '8-K', '2.02'],
  [number(8), '2020-03-02T15:00:00', '2020-03-02', '10-K'],
])
const confirming = dataSet(three, number(8), Date.parse('2020-03-02') / 86_400_000, '2020-03-02T10:00:00')

/* A filer whose list changes from New York's time to UTC, and another that announced some of its results together with
 * it and lists them in UTC. The third filer's list does not reveal its clock, but a data set does. */
const units: readonly ReadUnit[] = [
  list(one, [
    [number(1), '2020-02-03T16:05:00', '2020-02-03', '8-K', '2.02,9.01'],
    [number(6), '2020-02-05T12:00:00', '2020-02-05', '8-K', '2.02'],
    ['9999999995-20-000001', '2020-03-04T00:15:11', '2020-03-03', 'EFFECT'],
    [number(2), '2020-05-04T15:00:20', '2020-05-04', '8-K', '2.02,9.01'],
  ]),
  list(
    one,
    [
      [number(3), '2020-06-04T15:00:20', '2020-06-04', '8-K/A', '2.02'],
      ['0000000001-20-900001', '2020-07-02T01:15:11', '2020-07-01', '4'],
      [number(4), '2020-08-04T16:00:20', '2020-08-04', '8-K', '2.02,9.01'],
      [number(9), '2020-08-05T16:00:20', '2020-08-05', '8-K', '8.01'],
    ],
    '001',
  ),
  list(two, [
    [number(6), '2020-02-05T19:00:00', '2020-02-05', '8-K', '2.02'],
    [number(2), '2020-05-04T19:00:20', '2020-05-04', '8-K', '2.02'],
    ['0000000002-20-900001', '2020-05-05T00:30:00', '2020-05-04', '4'],
    [number(5), '2020-05-06T04:00:00', '2020-05-06', '8-K', '2.02'],
  ]),
  // Another state of the first list, in which a filing has a later day.
  list(one, [
    [number(1), '2020-02-03T16:05:00', '2020-02-04', '8-K', '2.02,9.01'],
    ['9999999995-20-000001', '2020-03-04T00:15:11', '2020-03-03', 'EFFECT'],
  ]),
  openList,
  confirming,
  list(four, [[number(1), '', '2020-02-04', '8-K', '2.02']]),
]

const expected = {
  [`${one} ${number(1)}`]: '2020-02-04 2020-02-03T21:05:00',
  [`${one} ${number(2)}`]: '2020-05-04 2020-05-04T19:00:20',
  [`${one} ${number(3)}`]: '2020-06-04 2020-06-04T15:00:20',
  [`${one} ${number(4)}`]: '2020-08-04 2020-08-04T16:00:20',
  // The first list shows noon in New York, the second two o'clock.
  [`${one} ${number(6)}`]: '2020-02-05 unknown',
  [`${two} ${number(2)}`]: '2020-05-04 2020-05-04T19:00:20',
  // Midnight in New York stands for an unknown time.
  [`${two} ${number(5)}`]: '2020-05-06 unknown',
  [`${two} ${number(6)}`]: '2020-02-05 unknown',
  [`${three} ${number(7)}`]: '2020-03-02 2020-03-02T14:00:00',
  // Its own list shows no time, but that of the first filer does.
  [`${four} ${number(1)}`]: '2020-02-04 2020-02-03T21:05:00',
}

test('imports in any order, at once or one by one, once or several times, give the same announcements', async () => {
  const whole = await fresh()
  await importAll(whole, units)
  expect(await stored(whole)).toEqual(expected)
  const order = fc.shuffledSubarray([...units.keys(), ...units.keys()], { minLength: 2 * units.length })
  await fc.assert(
    fc.asyncProperty(order, fc.integer({ min: 1, max: 3 }), async (places, size) => {
      const sql = await fresh()
      for (let at = 0; at < places.length; at += size)
        await importAll(
          sql,
          places.slice(at, at + size).map(place => units[place]),
        )
      expect(await stored(sql)).toEqual(expected)
    }),
    // The list without the time is read last, after the list that has it.
    { numRuns: 10, examples: [[[0, 2, 1, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 6], 1]] },
  )
})

/** Without a prepared statement, whose plan would keep the first version. */
const pinned = (sql: Sql, version: number) =>
  sql.begin(async transaction => {
    await transaction`select set_config('asfiled.pin', ${String(version)}, true)`
    const rows = await transaction
      .unsafe<{ accession: string; at: Date | null }[]>(
        'select accession, accepted_at as at from pinned.announcement order by accession',
      )
      .simple()
    return rows.map(({ accession, at }) => `${accession} ${at?.toISOString().slice(0, 19) ?? 'unknown'}`)
  })

test('a new announcement and a time that becomes known make a data version each, and earlier ones keep what they had', async () => {
  const sql = await fresh()
  await importAll(sql, [openList])
  const first = await readDataVersion(sql)
  await importAll(sql, [confirming])
  const second = await readDataVersion(sql)
  const more = list(
    three,
    [
      [number(7), '2020-03-02T14:00:00', '2020-03-02', '8-K', '2.02'],
      [number(8), '2020-03-02T15:00:00', '2020-03-02', '10-K'],
      [number(10), '2020-06-02T14:00:00', '2020-06-02', '8-K', '2.02'],
    ],
    '001',
  )
  await importAll(sql, [more])
  const third = await readDataVersion(sql)
  expect([second, third]).toEqual([first + 1, first + 2])
  const known = `${number(7)} 2020-03-02T14:00:00`
  expect(await pinned(sql, first - 1)).toEqual([])
  expect(await pinned(sql, first)).toEqual([`${number(7)} unknown`])
  expect(await pinned(sql, second)).toEqual([known])
  expect(await pinned(sql, third)).toEqual([known, `${number(10)} 2020-06-02T14:00:00`])
})
