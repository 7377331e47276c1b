import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { registerOf } from '../../../src/ingest/allRegisters.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sharedPath } from '../../shared.ts'
import { build, makeBulkFolder, readRelease } from '../bulk/releases.ts'
import { follow, Mirror, truth } from './mirror.ts'

setDefaultTimeout(120_000)

const taiwan = sharedPath('registers/tw/tw_income_stmt_cumulative_2023-2024.csv.gz')
const apple = sharedPath('registers/us/companyfacts/CIK0000320193.json')
const snowflake = sharedPath('registers/us/companyfacts/CIK0001640147_snow.json')
const quarter = sharedPath('registers/us/fsds/2009q3.zip')
const charities = sharedPath('registers/nz/TestFinancialCharityData.json')

const { folder, remove } = makeBulkFolder()
let database: TestDatabase
let other: Sql
beforeAll(async () => {
  database = await testDatabase()
  other = connect({ url: database.url, connections: 2, statementTimeoutMs: 60_000 })
})
afterAll(async () => {
  await other.end()
  await database.close()
  remove()
})

/** A pool whose imports are of this day. */
async function onDay(day: string): Promise<Sql> {
  const name = new URL(database.url).pathname.slice(1)
  await database.admin.unsafe(`alter database ${name} set asfiled.today = '${day}'`)
  return connect({ url: database.url, connections: 4, statementTimeoutMs: 60_000 })
}

async function load(day: string, market: string, path: string): Promise<void> {
  const sql = await onDay(day)
  await importRegister(sql, registerOf(market), { paths: [path], observedOn: day }, () => {})
  await sql.end()
}

const isShort = process.env.LONG === undefined
if (isShort) console.warn('skipped: the mirror of real registers runs with LONG=1')

test.skipIf(isShort || [taiwan, apple, snowflake, quarter, charities].includes(null))(
  'a bulk release and the feed give the data of real registers, on each day, while batches are imported',
  async () => {
    const mirror = new Mirror()
    // A quarter of Taiwan whose last day of filing, 2024-08-14, lies ahead.
    await load('2024-07-01', 'TW', taiwan ?? '')
    await load('2024-07-01', 'US', apple ?? '')
    const sql = database.sql
    const { manifest } = await build(sql, folder, { today: '2024-07-02' })
    mirror.load(await readRelease(folder, manifest), manifest.data_version, manifest.as_of)
    expect(mirror.sorted()).toEqual(await truth(sql, '2024-07-02'))
    const servers = [sql, other]
    // Each step imports between the pages that the copy reads.
    const batches: [string, string, string | null][] = [
      ['2024-08-13', 'US', snowflake],
      ['2024-08-14', 'US', quarter],
      ['2024-08-15', 'NZ', charities],
      ['2024-11-13', 'US', null],
      ['2024-11-14', 'US', null],
    ]
    const grown: number[] = []
    for (const [day, market, path] of batches) {
      const expected = await truth(sql, day)
      let isImported = path === null
      await follow(servers, mirror, {
        day,
        limit: 5_000,
        meanwhile: async () => {
          if (isImported) return
          isImported = true
          await load(day, market, path ?? '')
        },
      })
      expect(mirror.sorted()).toEqual(expected)
      await follow(servers, mirror, { day, limit: 50_000, saysDay: false })
      expect(mirror.sorted()).toEqual(await truth(sql, day))
      expect(mirror.version).toBe(await readDataVersion(sql))
      grown.push(mirror.rows.size)
    }
    // The last two days have no import, and on the second a quarter of Taiwan becomes due.
    expect(grown[4]).toBeGreaterThan(grown[3])
    // A correction: the register's file without its last years, so that rows end, change and go.
    await correct(sql)
    await follow(servers, mirror, { day: '2024-11-14', limit: 1_000 })
    expect(mirror.sorted()).toEqual(await truth(sql, '2024-11-14'))
    expect(mirror.changes.removed).toBeGreaterThan(0)
    expect(mirror.changes.renamed).toBe(1)
  },
)

/** Removes, changes and ends rows of a company and changes its ID, all in one data version. */
async function correct(sql: Sql): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`select next_data_version()`
    await transaction`
      delete from fact where entity_id = (select min(entity_id) from entity where market = 'US') and fy = 2012`
    await transaction`
      update fact set superseded = '2024-11-14'
      where entity_id = (select min(entity_id) from entity where market = 'US') and fy = 2023 and superseded = 'infinity'
        and filed < '2024-11-14'`
    await transaction`
      update entity set ticker = 'NEWID' where entity_id = (select min(entity_id) from entity where market = 'US')`
    await transaction`update data_version set version = version + 1`
    await transaction`
      insert into import_batch (version, source, entities, facts_added)
      select version, 'test', 1, 0 from data_version`
  })
}
