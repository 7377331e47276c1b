import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { listChanges } from '../../../src/features/changes/changes.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { testCursors } from '../../cursors.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { follow, Mirror, manifests, truth } from './mirror.ts'

setDefaultTimeout(180_000)

let database: TestDatabase
beforeAll(async () => {
  database = await sampleDatabase()
})
afterAll(() => database.close())

test('from the first version on the feed has the whole data', async () => {
  const mirror = new Mirror()
  await follow([database.sql], mirror, { day: '2024-11-14', limit: 20_000 })
  expect(mirror.sorted()).toEqual(await truth(database.sql, '2024-11-14'))
})

test('markets that may not be passed on are in no page', async () => {
  const only = manifests.filter(({ code }) => code === 'JP')
  const list = await listChanges(
    { sql: database.sql, cursors: testCursors },
    { since: 0, limit: 50_000 },
    '2026-07-01',
    only,
  )
  expect(list.count).toBeGreaterThan(10)
  expect(
    nonEmpty(list.data).every(
      ({ ticker }) => String(ticker).endsWith('.JP') || String(ticker).endsWith('.T'),
    ),
  ).toBe(true)
})

test('says what is allowed of a data version that is too old or too new, and of a later day', async () => {
  const newest = await readDataVersion(database.sql)
  const ask = (query: { since: number; since_day?: string; cursor?: string }) =>
    listChanges({ sql: database.sql, cursors: testCursors }, query, '2024-11-14', manifests).then(
      () => 'answered',
      (error: Error) => error.message,
    )
  expect(await ask({ since: newest + 1 })).toContain(`its version is ${newest}`)
  expect(await ask({ since: newest, since_day: '2024-11-15' })).toContain('later than today')
  expect(await ask({ since: newest, cursor: 'abc' })).toContain('cursor is not valid')
  await database.sql`update oldest_pin set version = ${newest}`
  expect(await ask({ since: newest - 1 })).toContain('Take a new bulk release')
  expect(await ask({ since: newest })).toBe('answered')
})

test('a cursor cannot show a later day', async () => {
  const since = await readDataVersion(database.sql)
  const place = {
    version: since,
    entityId: 0,
    metricId: -1,
    end: '0001-01-01',
    filed: '0001-01-01',
    fp: 0,
    filingId: -1,
  }
  const range = { since, sinceDay: '2024-01-01', upto: since, asOf: '2099-01-01' }
  // The cursor is signed, so that only its day is wrong.
  const scope = { route: 'changes', rights: 'bulk', query: [since] }
  const cursor = testCursors.write(scope, JSON.stringify({ range, phase: 'days', after: place }))
  const refused = listChanges(
    { sql: database.sql, cursors: testCursors },
    { since, cursor },
    '2024-07-02',
    manifests,
  )
  expect(await refused.catch((error: Error) => error.message)).toContain('cursor is not valid')
})
