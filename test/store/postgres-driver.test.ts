import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/store/database.ts'
import { type TestDatabase, testDatabase } from '../database.ts'

// Guards patches/postgres@3.4.9.patch: without it the first test sees `undefined` rows and the second hangs.
let db: TestDatabase
let one: Sql

beforeAll(async () => {
  db = await testDatabase()
  one = connect({ url: db.url, connections: 1, statementTimeoutMs: 5_000 })
})

afterAll(async () => {
  await one.end({ timeout: 1 })
  await db.close()
})

test('after a query that died amid its rows the next result on that connection is right', async () => {
  const dying = one`select 10 / (5 - i) as n from generate_series(1, 10) i`.then(
    () => 'lived',
    error => error.code,
  )
  // 22012: division_by_zero (PostgreSQL, Appendix A), raised by the fifth row.
  expect(await dying).toBe('22012')
  const next = await one<{ i: number }[]>`select i from generate_series(1, 7) i`
  expect(next.map(row => row.i)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('COPY TO STDOUT works again and again on one connection', async () => {
  for (let round = 0; round < 3; round++) {
    const stream = await one`copy (select i from generate_series(1, 5000) i) to stdout`.readable()
    let text = ''
    for await (const chunk of stream) text += chunk
    expect(text.split('\n').length).toBe(5_001)
    const [{ now }] = await one<{ now: number }[]>`select ${round}::int as now`
    expect(now).toBe(round)
  }
})

test('COPY FROM STDIN takes a batch and leaves the connection usable', async () => {
  await one`create temp table taken (n int)`
  for (let round = 0; round < 3; round++) {
    const sink = await one`copy taken from stdin`.writable()
    await new Promise<void>((fulfil, reject) => {
      sink.once('error', reject)
      sink.once('finish', () => fulfil())
      sink.end('1\n2\n3\n')
    })
  }
  const [{ sum }] = await one<{ sum: number }[]>`select sum(n)::int as sum from taken`
  expect(sum).toBe(18)
})
