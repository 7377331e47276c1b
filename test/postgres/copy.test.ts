import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, type Sql } from '../../src/postgres/client.ts'
import { copyDateText, copyTextLines, copyTimestampText, escapeCopyText } from '../../src/postgres/copy.ts'
import { type TestDatabase, testDatabase } from '../database.ts'

setDefaultTimeout(30_000)

let db: TestDatabase
let sql: Sql

beforeAll(async () => {
  db = await testDatabase()
  sql = connect({ url: db.url, connections: 1, statementTimeoutMs: 10_000 })
  await sql`create table copied (n int primary key, t text, d date, at timestamptz)`
})

afterAll(async () => {
  await sql.end({ timeout: 1 })
  await db.close()
})

test('texts arrive unchanged with any content', async () => {
  const texts = ['plain', 'tab\there', 'line\nbreak\r', 'back\\slash', '\\N', '日本語', '']
  await sql.begin(transaction =>
    copyTextLines(
      transaction,
      'copy copied (n, t, d, at) from stdin',
      texts.map(
        (text, n) =>
          `${n}\t${escapeCopyText(text)}\t${copyDateText(-1)}\t${copyTimestampText(n === 0 ? null : 1_500)}`,
      ),
    ),
  )
  const rows = await sql<{ t: string; d: string; at: Date | null }[]>`select t, d, at from copied order by n`
  expect(rows.map(row => row.t)).toEqual(texts)
  expect(rows[1].d).toBe('1969-12-31')
  expect(rows.map(row => row.at?.getTime() ?? null).slice(0, 2)).toEqual([null, 1_500])
})

// Guards patches/postgres@3.4.9.patch: without it the driver waits forever for the end of a COPY that failed.
test('a COPY that the server refuses rejects with the reason and leaves the connection usable', async () => {
  const copy = (lines: string[]) =>
    sql.begin(transaction => copyTextLines(transaction, 'copy copied (n) from stdin', lines))
  // 23505: unique_violation; 22P02: invalid_text_representation (PostgreSQL, Appendix A).
  await expect(copy(['100', '100'])).rejects.toMatchObject({ code: '23505' })
  await expect(copy(['x'])).rejects.toMatchObject({ code: '22P02' })
  const long = Array.from({ length: 200_000 }, (_, n) => String(1_000 + n))
  await expect(copy([...long, '1000'])).rejects.toMatchObject({ code: '23505' })
  const [{ count }] = await sql<{ count: number }[]>`select count(*)::int as count from copied where n >= 100`
  expect(count).toBe(0)
})

test('a COPY whose server process is killed rejects', async () => {
  const lines = function* () {
    for (let n = 0; n < 3_000_000; n++) yield String(n + 10_000_000)
  }
  const killed = connect({ url: db.url, connections: 1, statementTimeoutMs: 10_000 })
  const copying = killed.begin(async transaction => {
    const [{ pid }] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`
    setTimeout(() => db.sql`select pg_terminate_backend(${pid})`.catch(() => {}), 150)
    await copyTextLines(transaction, 'copy copied (n) from stdin', lines())
  })
  await expect(copying).rejects.toThrow()
  await killed.end({ timeout: 1 })
})
