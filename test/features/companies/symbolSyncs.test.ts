import { expect, setDefaultTimeout, test } from 'bun:test'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { readJson } from '../../../src/ingest/registers/us/readDocument.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { follow, Mirror, truth } from '../changes/mirror.ts'
import { companyDeps, rightsOf } from './fixtures.ts'

/* Changes of the register's own list between two readings: a symbol that moves belongs to its new company from the
 * day on which the move was seen, and the former company keeps the days on which it was seen to have the symbol. */

setDefaultTimeout(120_000)

const fresh = freshDatabases()

type Listing = readonly [cik: number, ticker: string, title: string]
const names = { 1: 'One Inc.', 2: 'Two Inc.', 3: 'Three Inc.' }
const listed = (cik: 1 | 2 | 3, ticker: string): Listing => [cik, ticker, names[cik]]

/** Reads the register's list on a day. */
async function readList(sql: Sql, day: string, ...rows: readonly Listing[]): Promise<void> {
  const document = Object.fromEntries(
    rows.map(([cik_str, ticker, title], at) => [at, { cik_str, ticker, title }]),
  )
  const { parsed } = readJson(document, 'company_tickers.json')
  const options = { source: 'us', rules: usRegister.rules, seenOn: day }
  const { dataVersion } = await importFacts(sql, [{ parsed }], options)
  await sql`update import_batch set day = ${day} where version = ${dataVersion} and day > ${day}`
}

/** One year of revenue for each company: its number, in millions. */
async function addFigures(sql: Sql): Promise<void> {
  for (const cik of [1, 2, 3] as const) {
    const revenue = {
      end: '2019-12-31',
      start: '2019-01-01',
      val: cik * 1e6,
      form: '10-K',
      fp: 'FY',
      fy: 2019,
    }
    const fact = { ...revenue, accn: `000000000${cik}-20-000001`, filed: '2020-03-02' }
    const document = {
      cik,
      entityName: names[cik],
      facts: { 'us-gaap': { Revenues: { units: { USD: [fact] } } } },
    }
    const { parsed } = readJson(document, `CIK000000000${cik}.json`)
    await importFacts(sql, [{ parsed }], { source: 'us', rules: usRegister.rules })
  }
}

/** The number of the company that a symbol names on a day, `?` if that is assumed, and null if none is known. */
async function holderOn(sql: Sql, ticker: string, as_of: string): Promise<string | null> {
  try {
    const plan = await planCompany(companyDeps(sql), rightsOf('personal'), { ticker, as_of })
    return `${Number(plan.issuerId)}${plan.isSymbolAssumed ? '?' : ''}`
  } catch {
    return null
  }
}

interface History {
  readonly what: string
  readonly lists: readonly (readonly [day: string, ...rows: Listing[]])[]
  readonly holders: readonly (readonly [ticker: string, day: string, holder: string | null])[]
}

const first = '2026-01-05'
const histories: readonly History[] = [
  {
    what: 'a company has another symbol in place of its own',
    lists: [
      [first, listed(1, 'FB')],
      ['2026-06-09', listed(1, 'META')],
    ],
    holders: [
      ['FB', '2015-06-30', '1?'],
      ['FB', '2026-01-05', '1'],
      ['FB', '2026-06-08', '1'],
      // No other company has it, so it still finds this one.
      ['FB', '2026-06-09', '1'],
      ['META', '2026-06-08', null],
      ['META', '2026-06-09', '1'],
    ],
  },
  {
    what: 'two companies swap their symbols on one day',
    lists: [
      [first, listed(1, 'AAA'), listed(2, 'BBB')],
      ['2026-06-09', listed(2, 'AAA'), listed(1, 'BBB')],
    ],
    holders: [
      ['AAA', '2026-06-08', '1'],
      ['AAA', '2026-06-09', '2'],
      ['BBB', '2026-06-08', '2'],
      ['BBB', '2026-06-09', '1'],
    ],
  },
  {
    what: 'a symbol is used by three companies',
    lists: [
      [first, listed(1, 'AAA'), listed(2, 'BBB'), listed(3, 'CCC')],
      ['2026-03-02', listed(2, 'AAA'), listed(1, 'ONE')],
      ['2026-06-09', listed(3, 'AAA'), listed(2, 'TWO')],
    ],
    holders: [
      ['AAA', '2026-03-01', '1'],
      ['AAA', '2026-03-02', '2'],
      ['AAA', '2026-06-08', '2'],
      ['AAA', '2026-06-09', '3'],
      ['ONE', '2026-03-01', null],
      ['TWO', '2026-06-09', '2'],
      ['BBB', '2026-03-01', '2'],
    ],
  },
  {
    what: 'a company leaves the list, its symbol goes to another one, and it returns under its own again',
    lists: [
      [first, listed(1, 'AAA'), listed(2, 'BBB')],
      ['2026-03-02', listed(2, 'AAA')],
      ['2026-06-09', listed(1, 'AAA'), listed(2, 'BBB')],
    ],
    holders: [
      ['AAA', '2026-03-01', '1'],
      ['AAA', '2026-06-08', '2'],
      ['AAA', '2026-06-09', '1'],
      ['CIK0000000001', '2026-04-01', '1'],
    ],
  },
  {
    what: 'nothing changes',
    lists: [
      [first, listed(1, 'AAA')],
      ['2026-06-09', listed(1, 'AAA')],
    ],
    holders: [
      ['AAA', '2015-01-02', '1?'],
      // No source says anything about it, so its days are not looked up.
      ['AAA', '2026-06-09', '1?'],
    ],
  },
]

for (const { what, lists, holders } of histories) {
  test(`${what}: each day has its holder, and a mirror of the figures stays exact`, async () => {
    const sql = await fresh()
    await addFigures(sql)
    const mirror = new Mirror()
    const day = '2026-11-20'
    await follow([sql], mirror, { day, limit: 1_000 })
    for (const [on, ...rows] of lists) {
      await readList(sql, on, ...rows)
      await follow([sql], mirror, { day, limit: 3 })
      expect(mirror.sorted()).toEqual(await truth(sql, day))
    }
    expect(mirror.rows.size).toBeGreaterThanOrEqual(3)
    const [{ spells }] = await sql<[{ spells: number }]>`select count(*)::int as spells from symbol_spell`
    expect((mirror.changes.symbols ?? 0) > 0).toBe(spells > 0)
    for (const [ticker, on, holder] of holders)
      expect([ticker, on, await holderOn(sql, ticker, on)]).toEqual([ticker, on, holder])
    // The same list again changes nothing.
    const before = await sql`select * from symbol_spell order by form, from_day, holder`
    const [on, ...rows] = lists[lists.length - 1] ?? [day]
    await readList(sql, on, ...rows)
    expect(await sql`select * from symbol_spell order by form, from_day, holder`).toEqual(before)
  })
}
