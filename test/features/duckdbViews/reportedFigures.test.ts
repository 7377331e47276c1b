import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { dayNumber } from '../../../src/dates.ts'
import { releaseFolder } from '../../../src/features/bulk/release.ts'
import { duckdbViews } from '../../../src/features/duckdbViews/viewsFile.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { findPython } from '../../python.ts'
import { storeFiled } from '../../wholeFilings/stored.ts'
import { build, makeBulkFolder } from '../bulk/releases.ts'
import { insertEntity, insertVintages, markets } from '../companies/fixtures.ts'
import { rowsOf, runDuckdb } from './duckdb.ts'

setDefaultTimeout(180_000)

const python = findPython('duckdb')
const { folder, remove } = makeBulkFolder()
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(async () => {
  await database.close()
  remove()
})

const figure = (concept: string, value: string) => ({
  concept,
  context: { start: null, end: dayNumber('2019-12-31'), quarters: null, dimensions: [] },
  unit: 'NZD',
  decimals: null,
  value,
})

test.skipIf(python === null)(
  'a content that a register edited counts from the day on which it was seen',
  async () => {
    const { sql } = database
    // Both contents state total assets; the second one no longer has the liabilities.
    const contents = [
      { seenOn: '2020-05-03', figures: [figure('TotalAssets', '10'), figure('TotalLiabilities', '4')] },
      { seenOn: '2020-06-15', figures: [figure('TotalAssets', '12.5')] },
    ]
    await storeFiled(
      sql,
      contents.map(({ seenOn, figures }) => ({
        ...{ market: 'NZ', issuerId: 'CC1', form: 'return', filed: dayNumber('2020-05-01') },
        seenOn: dayNumber(seenOn),
        whole: {
          accession: 'NZ:CC1-1',
          taxonomies: new Map(),
          figures,
          statements: [],
          sums: [],
          defaultMembers: new Map(),
        },
      })),
    )
    const entity = await insertEntity(sql, { market: 'US', issuerId: '1', ticker: 'ONE', name: null })
    await insertVintages(sql, entity, [
      ['revenue', 0, 2009, '2009-01-01', '2009-12-31', '2010-02-01', 5, '0000000001-10-000001'],
    ])
    const { manifest } = await build(sql, folder)
    const path = releaseFolder(folder, manifest.data_version)
    // Statements alone have lines, and this filing has none.
    const views = await duckdbViews(manifest, { kind: 'folder', path }, markets)
    const days = ['2020-04-30', '2020-05-01', '2020-05-03', '2020-06-14', '2020-06-15', '2026-07-01']
    const results = runDuckdb(python ?? '', folder, views, [
      ...days.map(day => `select tag, value from asfiled.reported_as_of('${day}') order by tag`),
      "from asfiled.reported_as_of('2026-07-02')",
      "select value from asfiled.reported_as_of('2020-06-14', tag := 'TotalLiabilities')",
    ])
    const first = [
      { tag: 'TotalAssets', value: '10' },
      { tag: 'TotalLiabilities', value: '4' },
    ]
    const second = [{ tag: 'TotalAssets', value: '12.5' }]
    expect(results.slice(0, days.length)).toEqual([[], first, first, first, second, second])
    expect(results[days.length]).toContain('This release ends on 2026-07-01')
    expect(rowsOf(results[days.length + 1])).toEqual([{ value: '4' }])
  },
)
