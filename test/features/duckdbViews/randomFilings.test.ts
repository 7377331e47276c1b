import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { addDays } from '../../../src/dates.ts'
import { type BulkManifest, releaseFolder } from '../../../src/features/bulk/release.ts'
import { duckdbViews } from '../../../src/features/duckdbViews/viewsFile.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsQuery } from '../../../src/features/fundamentals/schema.ts'
import { Terms } from '../../../src/wholeFilings/terms.ts'
import { testCursors } from '../../cursors.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { findPython } from '../../python.ts'
import { type JoinBench, joinBench } from '../asOfJoins/joinBench.ts'
import { build, makeBulkFolder } from '../bulk/releases.ts'
import { markets, rightsOf } from '../companies/fixtures.ts'
import { companyDrafts, firstDay, importAs, spanDays, statementsOf } from '../companies/randomFilings.ts'
import { type Row, rowsOf, runDuckdb, tableOf } from './duckdb.ts'

/* Every answer of the macros is compared with that of the API on the same data, for companies that file several times a day,
 * restate and withdraw. The API's own answers are compared with filings in the properties of joins and of fundamentals. */

setDefaultTimeout(300_000)

const python = findPython('duckdb')
const companies = 60
const asOf = '2021-02-27'
const kinds = ['FY', 'Q', 'TTM', 'latest'] as const
const metrics = ['assets', 'net_margin', 'revenue', 'roe']

const { folder, remove } = makeBulkFolder()
let database: TestDatabase
let bench: JoinBench
let manifest: BulkManifest
let views: string
let entities: ReadonlyMap<string, number>

beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  const drafts = fc.sample(companyDrafts, { numRuns: companies, seed: 20_261_128 })
  for (const [number, own] of drafts.entries())
    await importAs(sql, number % 5 === 4 ? 'JP' : 'US', number, statementsOf(number, own))
  bench = await joinBench(sql)
  manifest = (await build(sql, folder, { today: asOf })).manifest
  const path = releaseFolder(folder, manifest.data_version)
  views = await duckdbViews(manifest, { kind: 'folder', path }, markets)
  const rows = await sql<{ ticker: string; id: number }[]>`select ticker, entity_id as id from entity`
  entities = new Map(rows.map(({ ticker, id }) => [ticker, id]))
})
afterAll(async () => {
  await bench.close()
  await database.close()
  remove()
})

const run = (queries: readonly string[]) => runDuckdb(python ?? '', folder, views, queries)
const days = Array.from({ length: spanDays + 3 }, (_, day) => addDays(firstDay, day - 1))
const tickers = () => [...entities.keys()]

async function answered(query: FundamentalsQuery) {
  const { deps } = bench
  const terms = new Terms()
  const plan = await planCompany({ ...deps, cursors: testCursors, terms }, rightsOf('personal'), query)
  return (await readCompany({ sql: deps.sql, markets: deps.markets, terms }, plan)).data
}

const sortedTexts = (rows: readonly (readonly unknown[])[]) => rows.map(row => JSON.stringify(row)).sort()

describe.skipIf(python === null)('the macros answer like the API', () => {
  const views: [string, string, Partial<FundamentalsQuery>][] = [
    ['history', 'v.until', { view: 'history' }],
    ['as_of', 'null as until', { vintage: 'latest' }],
    ['first_filed', 'v.until', { vintage: 'first' }],
  ]
  for (const [macro, until, query] of views)
    test(`${macro}: every vintage of every company on every day`, async () => {
      const results = run(
        days.map(
          day =>
            `select entity, metric, fy, fp, period_end, filed, value, unit, ${until} from asfiled.${macro}('${day}') v where fp <> 'TTM'`,
        ),
      )
      let compared = 0
      for (const [index, day] of days.entries()) {
        const expected: unknown[][] = []
        for (const [ticker, entity] of entities)
          for (const row of await answered({ ticker, as_of: day, ...query }))
            expected.push([
              entity,
              ...[row.m, row.fy, row.fp, row.end, row.filed, row.v, row.u],
              macro === 'as_of' ? null : (row.until ?? null),
            ])
        compared += expected.length
        const found = rowsOf(results[index]).map(row => Object.values(row))
        expect(sortedTexts(found)).toEqual(sortedTexts(expected))
      }
      expect(compared).toBeGreaterThan(5_000)
    })

  for (const fp of kinds)
    test(`latest and panel with ${fp}: every row of a join`, async () => {
      const cases = [
        { inclusive: false, maxAge: null },
        { inclusive: true, maxAge: null },
        { inclusive: false, maxAge: 500 },
      ]
      const rows = days.flatMap(date => tickers().map(ticker => ({ date, ticker })))
      const asked = rows.map(({ date, ticker }) => [entities.get(ticker) ?? -1, ticker, date])
      const results = run([
        tableOf('asked', 'entity, ticker, date', asked),
        ...cases.map(
          ({ inclusive, maxAge }) =>
            `from asfiled.panel('asked', '${metrics.join(',')}', fp := '${fp}', inclusive := ${inclusive}, max_age_days := ${maxAge})`,
        ),
        ...days.map(day => `select '${day}' as day, l.* from asfiled.latest('${day}', fp := '${fp}') l`),
      ])
      let found = 0
      for (const [index, { inclusive, maxAge }] of cases.entries()) {
        const { columns } = await bench.join({
          rows: { date: rows.map(row => row.date), ticker: rows.map(row => row.ticker) },
          ...{ metrics, fp, inclusive, with: ['end', 'filed'] },
          ...(maxAge === null ? {} : { max_age_days: maxAge }),
        })
        const expected = rows.flatMap(({ date, ticker }, row) =>
          metrics.map(metric => [
            ...[ticker, date, metric],
            ...[metric, `${metric}_end`, `${metric}_filed`].map(name => columns[name][row]),
          ]),
        )
        const joined = rowsOf(results[1 + index]).map(row => [
          ...[row.ticker, row.date, row.metric, row.value, row.period_end, row.filed],
        ])
        expect(sortedTexts(joined)).toEqual(sortedTexts(expected))
        found += expected.filter(row => row[3] !== null).length
        if (!inclusive) continue
        const names = new Map([...entities].map(([ticker, id]) => [id, ticker]))
        const latest = results
          .slice(1 + cases.length)
          .flatMap(rowsOf)
          .filter(row => metrics.includes(String(row.metric)))
          .map(row => [
            names.get(Number(row.entity)),
            row.day,
            row.metric,
            row.value,
            row.period_end,
            row.filed,
          ])
        expect(sortedTexts(latest)).toEqual(sortedTexts(expected.filter(row => row[3] !== null)))
      }
      expect(found).toBeGreaterThan(1_000)
    })

  test('panel_at: every row of a join with times, except between filings of a day, where nothing comes early', async () => {
    const hours = [0, 7.99, 8, 8.01, 12, 16, 16.5, 23.99]
    const instants = days.flatMap(day =>
      hours.map(hour => new Date(Date.parse(day) + hour * 3_600_000).toISOString()),
    )
    const rows = instants.flatMap(time => tickers().map(ticker => ({ time, ticker })))
    const asked = rows.map(({ time, ticker }) => [entities.get(ticker) ?? -1, ticker, time])
    const cases = kinds.flatMap(fp => [null, 500].map(maxAge => ({ fp, maxAge })))
    const results = run([
      tableOf('asked', 'entity, ticker, "time"', asked),
      ...cases.map(
        ({ fp, maxAge }) =>
          `from asfiled.panel_at('asked', ['revenue', 'assets'], fp := '${fp}', max_age_days := ${maxAge})`,
      ),
    ])
    const [interims] = await database.sql<{ cells: number }[]>`
      select count(*)::int as cells from known_moment where interim is not null`
    let [compared, between, late] = [0, 0, 0]
    for (const [index, { fp, maxAge }] of cases.entries()) {
      const { columns } = await bench.join({
        rows: { time: rows.map(row => row.time), ticker: rows.map(row => row.ticker) },
        ...{ metrics: ['revenue', 'assets'], fp, with: ['end', 'filed'] },
        ...(maxAge === null ? {} : { max_age_days: maxAge }),
      })
      const cells = new Map<string, Row[string][]>(
        rows.flatMap(({ time, ticker }, row) =>
          ['revenue', 'assets'].map(metric => [
            `${time} ${ticker} ${metric}`,
            [metric, `${metric}_end`, `${metric}_filed`].map(name => columns[name][row]),
          ]),
        ),
      )
      for (const row of rowsOf(results[1 + index])) {
        const expected = cells.get(`${row.time} ${row.ticker} ${row.metric}`) ?? []
        const found = [row.value, row.period_end, row.filed]
        if (row.is_partial) {
          between++
          if (JSON.stringify(found) !== JSON.stringify(expected)) late++
          // What is shown in its place was the API's answer at some earlier time.
          const earlier = instants
            .filter(time => time <= String(row.time))
            .map(time => cells.get(`${time} ${row.ticker} ${row.metric}`) ?? [])
          expect(earlier).toContainEqual(found)
          continue
        }
        compared++
        expect([row.time, row.ticker, row.metric, found]).toEqual([
          row.time,
          row.ticker,
          row.metric,
          expected,
        ])
      }
    }
    expect(interims.cells).toBeGreaterThan(10)
    expect(compared).toBeGreaterThan(50_000)
    expect(between).toBeGreaterThan(1_000)
    expect(late).toBeGreaterThan(10)
  })

  test('a folder is read alone and as it is, whatever its name', async () => {
    const odd = join(folder, 'odd')
    const queries = [
      'select count(*) as found, count(distinct market) as markets from asfiled.figures',
      'select * from asfiled.figures order by all limit 1',
    ]
    const expected = run(queries).map(rowsOf)
    const names = ['a*b', 'axb', 'a?b', 'a[x]b', "it's", 'release=7/market=XX', 'filed=2010-01-01/a']
    for (const name of names)
      cpSync(releaseFolder(folder, manifest.data_version), join(odd, name), { recursive: true })
    for (const name of names) {
      const own = await duckdbViews(manifest, { kind: 'folder', path: join(odd, name) }, markets)
      const found = runDuckdb(python ?? '', folder, own, queries).map(rowsOf)
      expect([name, found]).toEqual([name, expected])
    }
    rmSync(odd, { recursive: true })
  })

  test('what the release cannot know is refused, and so is what is no day, metric or kind of period', () => {
    const refused: [string, string][] = [
      [
        "from asfiled.as_of('2021-02-28')",
        'This release ends on 2021-02-27, so it does not know what was filed by 2021-02-28',
      ],
      ["from asfiled.history(date '2999-01-01')", 'This release ends on 2021-02-27'],
      ["from asfiled.latest('2021-02-28')", 'This release ends on 2021-02-27'],
      ["from asfiled.as_of('2021-02-05 09:30')", '2021-02-05 09:30 is not a day'],
      ['from asfiled.as_of(null)', 'A day is missing'],
      ["from asfiled.as_of('2021-02-05', metric := 'sales')", 'There is no metric sales'],
      [
        "from asfiled.latest('2021-02-05', fp := 'H1')",
        'H1 is no kind of period. Allowed: FY, Q, TTM, latest.',
      ],
      ["from asfiled.panel('late', 'revenue')", 'This release ends on 2021-02-27'],
      ["from asfiled.panel('next', 'revenue', inclusive := true)", 'This release ends on 2021-02-27'],
      ["from asfiled.panel('timed', 'revenue')", '2021-02-05 09:30:00 is not a day'],
      ["from asfiled.panel('next', 'revenue, sales')", 'There is no metric sales'],
      [
        "from asfiled.panel_at('late_times', 'revenue')",
        'the release is sure of instants before 2021-02-23 UTC',
      ],
      ["from asfiled.panel_at('zoneless', 'revenue')", '2021-02-05 09:30:00 has no time zone'],
      ["from asfiled.panel_at('zoneless_texts', 'revenue')", '2021-02-05 has no time zone'],
    ]
    const tables = [
      "create table late as select 1 as entity, date '2021-03-01' as date",
      "create table next as select 1 as entity, date '2021-02-28' as date",
      "create table timed as select 1 as entity, timestamp '2021-02-05 09:30' as date",
      'create table zoneless as select 1 as entity, timestamp \'2021-02-05 09:30\' as "time"',
      'create table zoneless_texts as select 1 as entity, \'2021-02-05\' as "time"',
      'create table zoned_texts as select 1 as entity, \'2021-02-05T09:30:00-05:00\' as "time"',
      'create table late_times as select 1 as entity, timestamptz \'2021-02-23 00:00Z\' as "time"',
    ]
    const allowed = [
      "from asfiled.panel('next', 'revenue')",
      "from asfiled.as_of(timestamp '2021-02-05 00:00')",
      "from asfiled.panel_at('zoned_texts', 'revenue')",
    ]
    const results = run([...tables, ...refused.map(([query]) => query), ...allowed]).slice(tables.length)
    for (const [index, [query, message]] of refused.entries())
      expect([query, results[index]]).toEqual([query, expect.stringContaining(message)])
    for (const result of results.slice(refused.length)) expect(rowsOf(result).length).toBeGreaterThan(0)
  })
})
