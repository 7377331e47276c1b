import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { repair } from '../../../src/postgres/integrity/repair.ts'
import { brief, DamagedCluster } from './damagedCluster.ts'

setDefaultTimeout(120_000)

const db = new DamagedCluster()
beforeAll(async () => {
  await db.start()
  for (const table of ['whole', 'broken']) {
    await db.sql.unsafe(
      `create table ${table} as select n, md5(n::text) as text from generate_series(1, 60000) n`,
    )
    await db.sql.unsafe(`create index ${table}_n on ${table} (n)`)
    await db.sql.unsafe(`vacuum ${table}`)
  }
})
afterAll(() => db.remove(), 60_000)

test('what an intact table has all data of is rebuilt, and nothing is rebuilt from a damaged one', async () => {
  const rows = await db.sql`select md5(string_agg(n || text, ',' order by n)) as digest from whole`
  await db.damage([
    { relation: 'whole_n', block: 2, bytes: 4 * 8_192 },
    { relation: 'whole', fork: '_vm', block: 0, bytes: 8_192 },
    { relation: 'whole', fork: '_fsm', block: 0, bytes: 8_192 },
    { relation: 'broken', block: 7, bytes: 8_192 },
    { relation: 'broken_n', block: 2, bytes: 8_192 },
  ])
  const { findings } = await db.pass()
  expect(findings).toHaveLength(5)
  const repairs = await repair(db.sql, findings)
  expect(repairs.map(({ finding, failure }) => [finding.name, failure]).sort()).toEqual([
    ['broken_n', 'broken is damaged itself: restore it first.'],
    ['whole', null],
    ['whole_n', null],
  ])
  const page = { foundBy: 'pages', fork: 'main', blocks: 1 } as const
  expect((await db.pass()).findings.map(brief)).toEqual([
    { ...page, name: 'broken', kind: 'table', range: [7, 7] },
    { ...page, name: 'broken_n', kind: 'index', range: [2, 2] },
  ])
  expect([...(await db.sql`select md5(string_agg(n || text, ',' order by n)) as digest from whole`)]).toEqual(
    [...rows],
  )
})
