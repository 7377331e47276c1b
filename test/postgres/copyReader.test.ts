import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, type Sql } from '../../src/postgres/client.ts'
import { type CopiedValue, readDate, readIntegers, readRows } from '../../src/postgres/copyReader.ts'
import { type TestDatabase, testDatabase } from '../database.ts'

setDefaultTimeout(60_000)

let db: TestDatabase
let sql: Sql

beforeAll(async () => {
  db = await testDatabase()
  sql = connect({ url: db.url, connections: 1, statementTimeoutMs: 30_000 })
})

afterAll(async () => {
  await sql.end({ timeout: 1 })
  await db.close()
})

/** Rows of a date and a list of 0 to 6 numbers; every eighth list is null. */
const count = 50_000
const statement = `
  copy (
    select case when n % 5 = 0 then date 'infinity' else date '1960-01-01' + n end,
           case when n % 8 < 7 then array(select n * i from generate_series(1, n % 8) i) end
    from generate_series(0, ${count - 1}) n
  ) to stdout (format binary)`
const fixedBytes = 2 + 8

test('rows that end with a value of any size are read whole, also those that two chunks share', async () => {
  const rows: { day: number | null; list: readonly number[] | null }[] = []
  const onRow = (view: DataView, row: number, last: CopiedValue | null) => {
    rows.push({ day: readDate(view, row + 6), list: last === null ? null : readIntegers(last) })
  }
  await sql.begin(transaction => readRows(transaction, statement, fixedBytes, onRow))
  const dayOf1960 = Date.UTC(1960, 0, 1) / 86_400_000
  expect(rows).toEqual(
    Array.from({ length: count }, (_, n) => ({
      day: n % 5 === 0 ? null : dayOf1960 + n,
      list: n % 8 === 7 ? null : Array.from({ length: n % 8 }, (_, i) => n * (i + 1)),
    })),
  )
})

test('a failure while rows are read rejects and leaves the connection usable', async () => {
  const failing = () => {
    throw new Error('the row is refused')
  }
  const reading = sql.begin(transaction => readRows(transaction, statement, fixedBytes, failing))
  await expect(reading).rejects.toThrow('the row is refused')
  await expect(
    sql.begin(transaction => readRows(transaction, 'copy (select 1 / 0) to stdout', 0, () => {})),
  ).rejects.toMatchObject({ code: '22012' })
  expect((await sql<{ one: number }[]>`select 1 as one`)[0].one).toBe(1)
})
