import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { addDays } from '../../../src/dates.ts'
import { releaseFolder } from '../../../src/features/bulk/release.ts'
import { duckdbViews } from '../../../src/features/duckdbViews/viewsFile.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { findPython } from '../../python.ts'
import { unitedStatesPaths } from '../../shared.ts'
import { type JoinBench, joinBench } from '../asOfJoins/joinBench.ts'
import { build, makeBulkFolder } from '../bulk/releases.ts'
import { markets } from '../companies/fixtures.ts'
import { rowsOf, runDuckdb } from './duckdb.ts'

/* Random companies, metrics and days of the real files of the US register: the macros answer like joins. */

setDefaultTimeout(600_000)

const python = findPython('duckdb')
const isLong = process.env.LONG !== undefined
if (!isLong) console.log('skipped: the real files of the US register are read with LONG=1')
const paths = isLong ? unitedStatesPaths() : null
const metrics = [
  'revenue',
  'net_income',
  'assets',
  'eps_diluted',
  'net_margin',
  'roe',
  'shares_outstanding',
  'free_cash_flow',
]
const rowCount = 40_000
/** The day of the release. */
const lastDay = '2026-07-01'

const { folder, remove } = makeBulkFolder()
let database: TestDatabase
let bench: JoinBench
let views: string
/** Each with a company, a day and an instant. */
let rows: readonly { entity: number; ticker: string; date: string; time: string }[]

beforeAll(async () => {
  if (paths === null || python === null) return
  database = await testDatabase()
  const { sql } = database
  await importRegister(sql, usRegister, { paths, observedOn: '2026-01-01' }, () => {})
  bench = await joinBench(sql)
  const { manifest } = await build(sql, folder, { today: lastDay })
  views = await duckdbViews(
    manifest,
    { kind: 'folder', path: releaseFolder(folder, manifest.data_version) },
    markets,
  )
  const filings = await sql<{ entity: number; ticker: string; filed: string; at: Date | null }[]>`
    select f.entity_id as entity, 'CIK' || lpad(e.issuer_id, 10, '0') as ticker, f.filed::text, f.accepted_at as at
    from filing f join entity e using (entity_id)
    where exists (select from fact where filing_id = f.filing_id) order by f.accession`
  // Most days are near a filing, where answers change. A linear congruence (Numerical Recipes) makes the choice the same in every run.
  let state = 20_261_128
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  rows = Array.from({ length: rowCount }, () => {
    const { entity, ticker, filed, at } = filings[random(filings.length)]
    const day = addDays(filed, random(4) === 0 ? random(1_500) : random(4) - 1)
    const date = day < lastDay ? day : lastDay
    const near = at === null ? Date.parse(`${filed}T00:00Z`) + random(48) * 3_600_000 : at.getTime()
    const time = `${new Date(near + (random(3) - 1) * 60_000 * random(600)).toISOString().slice(0, 16)}:00Z`
    return { entity, ticker, date, time }
  })
})
afterAll(async () => {
  await bench?.close()
  await database?.close()
  remove()
})

const tableFile = (name: string, column: 'date' | 'time', type: string) =>
  `create table ${name} as select t.i, t.entity, t.written::${type} as "${column}" from (values ${rows
    .map((row, i) => `(${i}, ${row.entity}, '${row[column]}')`)
    .join(', ')}) t (i, entity, written)`

describe.skipIf(paths === null || python === null)('real filings', () => {
  for (const fp of ['FY', 'Q', 'TTM', 'latest'] as const)
    test(`${fp}: rows with days, and rows with times`, async () => {
      const [, , byDay, byTime] = runDuckdb(python ?? '', folder, views, [
        tableFile('days', 'date', 'date'),
        tableFile('times', 'time', 'timestamptz'),
        `select i, metric, value, period_end, filed from asfiled.panel('days', '${metrics.join(',')}', fp := '${fp}') order by i`,
        `select i, metric, value, period_end, filed, is_partial from asfiled.panel_at('times', '${metrics.join(',')}', fp := '${fp}') order by i`,
      ]).map(rowsOf)
      const settings = { metrics, fp, with: ['end', 'filed'] }
      const ticker = rows.map(row => row.ticker)
      const joined = {
        date: await bench.join({ ...settings, rows: { date: rows.map(row => row.date), ticker } }),
        time: await bench.join({ ...settings, rows: { time: rows.map(row => row.time), ticker } }),
      }
      expect(joined.date.unknown).toEqual([])
      let [known, between, late] = [0, 0, 0]
      for (const [name, found] of [
        ['date', byDay],
        ['time', byTime],
      ] as const) {
        const { columns } = joined[name]
        expect(found.length).toBe(rowCount * metrics.length)
        for (const row of found) {
          const i = Number(row.i)
          const expected = [row.metric, `${row.metric}_end`, `${row.metric}_filed`].map(
            column => columns[String(column)][i],
          )
          const cells = [row.value, row.period_end, row.filed]
          if (cells[0] !== null) known++
          if (row.is_partial === true) {
            between++
            if (JSON.stringify(cells) !== JSON.stringify(expected)) late++
          } else if (JSON.stringify(cells) !== JSON.stringify(expected))
            expect([name, rows[i], row.metric, cells]).toEqual([name, rows[i], row.metric, expected])
        }
      }
      console.log({ fp, cells: 2 * rowCount * metrics.length, known, between, late })
      expect(known).toBeGreaterThan(fp === 'TTM' ? 10_000 : 50_000)
    })
})
