import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { sources } from '../../../src/ingest/allRegisters.ts'
import { companyCursor } from '../../../src/ingest/network/source.ts'
import { readCursors, saveCursor } from '../../../src/ingest/sync/queries.ts'
import { companyPages } from '../../../src/ingest/sync/syncRegister.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

setDefaultTimeout(180_000)

const today = '2026-11-21'
let db: TestDatabase
let sql: Sql
beforeAll(async () => {
  db = await testDatabase()
  sql = db.sql
  // 2,500 Belgian companies, and one of another market whose number lies between theirs.
  await sql`
    insert into entity (market, issuer_id, ticker)
    select 'BE', lpad(n::text, 10, '0'), lpad(n::text, 10, '0') || '.BE' from generate_series(1, 2500) n`
  await sql`insert into entity (market, issuer_id, ticker) values ('FR', '0000000007', '0000000007.FR')`
})
afterAll(() => db.close(), 60_000)

const number = (n: number) => String(n).padStart(10, '0')

async function walk(companies: readonly string[] = []): Promise<string[][]> {
  const source = sources.get('BE')
  if (source === undefined) throw new Error('BE')
  const next = companyPages(sql, { source, companies }, today)
  const pages: string[][] = []
  for (let page = await next(); page.length > 0; page = await next()) pages.push([...page])
  return pages
}

test('pages have a thousand companies, each once, without those that are done for the day', async () => {
  const all = await walk()
  expect(all.map(page => page.length)).toEqual([1_000, 1_000, 500])
  expect(all.flat()).toEqual(Array.from({ length: 2_500 }, (_, at) => number(at + 1)))
  await saveCursor(sql, 'BE', companyCursor(number(1)), today)
  await saveCursor(sql, 'BE', companyCursor(number(1_001)), '2026-11-20')
  await saveCursor(sql, 'FR', companyCursor(number(2)), today)
  expect((await walk()).flat()).toEqual(Array.from({ length: 2_499 }, (_, at) => number(at + 2)))
  // readCursors omits the cursors of companies, of which there may be millions.
  await saveCursor(sql, 'BE', 'lists', today)
  expect([...(await readCursors(sql, 'BE'))]).toEqual([['lists', today]])
})

test('named companies come in their order, known or not, and a page that is done is skipped', async () => {
  const named = Array.from({ length: 2_100 }, (_, at) => number(9_000 - at))
  for (const one of named.slice(0, 1_000)) await saveCursor(sql, 'BE', companyCursor(one), today)
  const pages = await walk(named)
  expect(pages.map(page => page.length)).toEqual([1_000, 100])
  expect(pages.flat()).toEqual(named.slice(1_000))
})
