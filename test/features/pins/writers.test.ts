import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { advanceDataVersion, readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { versionedTables } from '../../../src/postgres/pins/pinQueries.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { pinsOf } from '../../pins.ts'
import { appleVintages, companyDeps, insertEntity, insertVintages } from '../companies/fixtures.ts'
import { importAs, statementsOf } from '../companies/randomFilings.ts'
import { take } from '../signals/fixtures.ts'
import { answersOf } from './readers.ts'

const opened: { close(): Promise<void> }[] = []
let database: TestDatabase
let sql: Sql
let deps: CompanyDeps
let pins: ReturnType<typeof pinsOf>
let apple: number
beforeEach(async () => {
  database = await testDatabase()
  sql = database.sql
  pins = pinsOf(sql)
  opened.push(database, pins)
  deps = companyDeps(sql)
  apple = await insertEntity(sql, {
    market: 'US',
    issuerId: '0000320193',
    ticker: 'AAPL',
    name: 'Apple Inc.',
  })
  await sql.begin(async transaction => {
    await insertVintages(transaction as unknown as Sql, apple, appleVintages)
    await advanceDataVersion(transaction, batch)
  })
}, 180_000)
afterAll(async () => {
  for (const one of opened.reverse()) await one.close()
}, 180_000)

const batch = { source: 'us', entities: 0, factsAdded: 0 }
const ask = (from: CompanyDeps = deps) => answersOf(from, ['AAPL', 'E1'], '2026-11-20')
const askAt = (version: number) => pins.use(version, store => ask({ ...deps, ...store }))
const countPast = async () => {
  const counts: Record<string, number> = {}
  for (const table of versionedTables) {
    const [{ rows }] = await sql<
      { rows: number }[]
    >`select count(*)::int as rows from ${sql(`${table}_past`)}`
    if (rows > 0) counts[table] = rows
  }
  return counts
}

describe('the rows of a version', () => {
  test('are remembered once, however often a later version changes, removes and adds them', async () => {
    const version = await readDataVersion(sql)
    const before = await ask()
    await sql.begin(async transaction => {
      for (let again = 0; again < 3; again++)
        await transaction`update fact set value = value + 1 where entity_id = ${apple}`
      await transaction`delete from fact where entity_id = ${apple} and fp = 0 and filed < '2010-01-01'`
      await transaction`insert into fact (value, entity_id, filing_id, period_end, filed, metric_id, fy, unit_id, fp, data_version)
        select 7, entity_id, filing_id, period_end, filed, metric_id, fy, unit_id, fp, next_data_version()
        from fact where entity_id = ${apple} limit 0`
      await transaction`update entity set name = 'A' where entity_id = ${apple}`
      await transaction`update entity set name = 'B' where entity_id = ${apple}`
      await transaction`insert into entity_ticker (ticker, entity_id) values ('E1', ${apple})`
      await transaction`delete from entity_ticker where ticker = 'E1'`
      await advanceDataVersion(transaction, batch)
    })
    expect(await countPast()).toEqual({ fact: appleVintages.length, entity: 1 })
    expect(await askAt(version)).toEqual(before)
    expect(await askAt(version + 1)).toEqual(await ask())
    expect(await ask()).not.toEqual(before)
  })

  test('are as they were after a transaction that was rolled back', async () => {
    const version = await readDataVersion(sql)
    const before = await ask()
    const undone = sql.begin(async transaction => {
      await transaction`update fact set value = 0`
      await transaction`delete from filing`
      await advanceDataVersion(transaction, batch)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect([await countPast(), await readDataVersion(sql)]).toEqual([{}, version])
    expect([await ask(), await askAt(version)]).toEqual([before, before])
    // Rolling back to a savepoint also removes what was recorded since.
    await sql.begin(async transaction => {
      await transaction
        .savepoint(async inner => {
          await inner`update fact set value = 0`
          throw new Error('undone')
        })
        .catch(() => {})
      await transaction`update entity set name = 'C' where entity_id = ${apple}`
      await advanceDataVersion(transaction, batch)
    })
    expect(await countPast()).toEqual({ entity: 1 })
    expect(await askAt(version)).toEqual(before)
  })

  test('change with every import that changes what is served, and with no other', async () => {
    const period = { start: '2019-01-01', end: '2019-12-31' }
    const draft = { day: 1, hour: 8, name: null, figures: [{ metric: 'revenue', period, value: 3 }] }
    const drafts = statementsOf(1, [draft])
    await importAs(sql, 'US', 1, drafts)
    const version = await readDataVersion(sql)
    const before = await ask()
    const { filing = 0, ...others } = await countPast()
    await importAs(sql, 'US', 1, drafts)
    expect([await readDataVersion(sql), await countPast()]).toEqual([
      version,
      { ...others, ...(filing ? { filing } : {}) },
    ])
    // The same figures again, but the document now says the name of the company: only the filing changes.
    await importAs(sql, 'US', 1, statementsOf(1, [{ ...draft, name: 'Named' }]))
    expect(await readDataVersion(sql)).toBe(version + 1)
    expect(await countPast()).toEqual({ ...others, filing: filing + 1 })
    expect(await ask()).not.toEqual(before)
    expect(await askAt(version)).toEqual(before)
  })

  test('have one version each though an import of filings and one of signals run at once', async () => {
    const period = { start: '2019-01-01', end: '2019-12-31' }
    const remembered = new Map<number, Record<string, string>>()
    remembered.set(await readDataVersion(sql), await ask())
    for (let round = 0; round < 6; round++) {
      const figures = [{ metric: 'revenue', period, value: round }]
      await Promise.all([
        importAs(sql, 'US', 1, statementsOf(1, [{ day: round, hour: 8, name: `${round}`, figures }])),
        take(sql, [`2015-01-05,E1,US,1d,0.${round + 1},0.1`, `2015-01-0${round + 1},AAPL,US,1d,0.1,0.1`], {
          correct: true,
        }),
      ])
      remembered.set(await readDataVersion(sql), await ask())
    }
    // Each took a number of its own.
    const versions = await sql<{ version: number }[]>`select version::int from import_batch order by version`
    expect(versions.map(row => row.version)).toEqual(Array.from({ length: 13 }, (_, i) => i + 1))
    for (const [version, answers] of nonEmpty(remembered))
      expect([version, await askAt(version)]).toEqual([version, answers])
  }, 180_000)
})

test('every past table has the columns of its table, and every view of the pinned schema shows them', async () => {
  const columnsOf = async (schema: string, table: string) => {
    const rows = await sql<{ name: string; type: string }[]>`
      select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = to_regclass(${`${schema}.${table}`}) and attnum > 0 and not attisdropped order by attnum`
    return rows.map(({ name, type }) => `${name} ${type}`)
  }
  for (const table of nonEmpty(versionedTables)) {
    const own = await columnsOf('public', table)
    expect(await columnsOf('public', `${table}_past`)).toEqual(['until_version integer', ...own])
    // The register gives an ID to its company since the day of that version. The as-of rule at an instant reads the
    // versions of its tables, so `keep_past_rows` shows those of all newer tables.
    const hidesSince = /^(fact|entity|entity_former_id|entity_other_name|filing|signal|market_coverage)$/
    const showsSince = !hidesSince.test(table)
    const hidden = showsSince ? /^amended_version / : /^(since_version|amended_version) /
    const visible = own.filter(column => !hidden.test(column))
    expect(await columnsOf('pinned', table)).toEqual(visible)
  }
  const views = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'pinned'::regnamespace and relkind = 'v' order by 1`
  expect(views.map(view => view.name)).toEqual(
    [...versionedTables, 'data_version', 'ready_answer'].toSorted(),
  )
})

test('the as-of rule of the pinned schema is the text of the one rule, but for how it finds a filing', async () => {
  for (const name of ['fact_as_of', 'trailing_as_of']) {
    const [{ own, pinned }] = await sql<{ own: string; pinned: string }[]>`
      select (select prosrc from pg_proc where oid = ${`public.${name}`}::regproc) as own,
             (select prosrc from pg_proc where oid = ${`pinned.${name}`}::regproc) as pinned`
    expect(pinned).toBe(
      own.replace(
        'left join filing l on l.filing_id = f.filing_id',
        'left join lateral (select accession, accepted_at, form from filing where filing_id = f.filing_id limit 1) l on true',
      ),
    )
  }
})

test('what needs a version and has none fails, instead of reading the present', async () => {
  await expect(sql`select count(*) from pinned.fact`.then(() => 'read')).rejects.toThrow('asfiled.pin')
})
