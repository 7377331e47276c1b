import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../database.ts'

// Guards patches/postgres@3.4.9.patch. Without it the first test sees `undefined` rows, the second hangs, and a
// connection that dies in a transaction throws where it cannot be caught, and makes the pool unusable.
let db: TestDatabase
let one: Sql

beforeAll(async () => {
  db = await testDatabase()
  one = connect({ url: db.url, connections: 1, statementTimeoutMs: 5_000 })
}, 180_000)

afterAll(async () => {
  await one.end({ timeout: 1 })
  await db.close()
}, 180_000)

test('after a query that fails between its rows, the next result on that connection is correct', async () => {
  const dying = one`select 10 / (5 - i) as n from generate_series(1, 10) i`.then(
    () => 'lived',
    error => error.code,
  )
  // 22012: division_by_zero (PostgreSQL, Appendix A), raised by the fifth row.
  expect(await dying).toBe('22012')
  const next = await one<{ i: number }[]>`select i from generate_series(1, 7) i`
  expect(next.map(row => row.i)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('COPY TO STDOUT works repeatedly on one connection', async () => {
  for (let round = 0; round < 3; round++) {
    const stream = await one`copy (select i from generate_series(1, 5000) i) to stdout`.readable()
    let text = ''
    for await (const chunk of stream) text += chunk
    expect(text.split('\n').length).toBe(5_001)
    const [{ now }] = await one<{ now: number }[]>`select ${round}::int as now`
    expect(now).toBe(round)
  }
})

test('COPY FROM STDIN leaves the connection usable', async () => {
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

describe('a connection that dies', () => {
  const kill = (marker: string) =>
    db.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where query like ${`%${marker}%`} and pid <> pg_backend_pid() and state <> 'idle'`
  const answers = async (pool: Sql) => {
    const rows = await Promise.all([1, 2, 3].map(i => pool<{ i: number }[]>`select ${i}::int as i`))
    return rows.map(([row]) => row.i)
  }

  test('during a statement of a transaction fails it, and the pool continues', async () => {
    const work = one.begin(transaction => transaction`select pg_sleep(5), 'amid'`)
    const failed = work.catch(error => error.code)
    await Bun.sleep(50)
    await kill('amid')
    expect(await failed).toBe('CONNECTION_CLOSED')
    expect(await answers(one)).toEqual([1, 2, 3])
  })

  test('between two statements of a transaction fails the next, and the pool continues', async () => {
    const work = one.begin(async transaction => {
      await transaction`select 'between'`
      await kill('between')
      await Bun.sleep(50)
      await transaction`select 2`
    })
    expect(await work.catch(error => error.code)).toBe('CONNECTION_CLOSED')
    expect(await answers(one)).toEqual([1, 2, 3])
  })

  test('while it is reserved fails later statements, and releasing it does no harm', async () => {
    const reserved = await one.reserve()
    await reserved`begin`
    await reserved`select 'reserved'`
    await kill('reserved')
    await Bun.sleep(50)
    expect(await answers(one)).toEqual([1, 2, 3])
    // The pool has the connection again, so its former owner must not use it.
    expect(await reserved`select 1`.catch(error => error.code)).toBe('CONNECTION_CLOSED')
    reserved.release()
    expect(await answers(one)).toEqual([1, 2, 3])
  })
})

test('a connection that is lost while the driver learns the types of arrays is opened again, and knows them', async () => {
  const { hostname, port } = new URL(db.url)
  const target = { hostname, port: Number(port) }
  let cuts = 2
  const door = Bun.listen<{ inner: Promise<Bun.Socket<undefined>> }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        const inner = Bun.connect<undefined>({
          ...{ ...target, data: undefined },
          socket: { data: (_, chunk) => void socket.write(chunk), close: () => void socket.end() },
        })
        socket.data = { inner }
      },
      async data(socket, chunk) {
        const sent = Buffer.from(chunk)
        if (sent.includes('typcategory') && cuts-- > 0) socket.end()
        else (await socket.data.inner).write(sent)
      },
      close: socket => void socket.data.inner.then(inner => inner.end()),
    },
  })
  const url = Object.assign(new URL(db.url), { hostname: '127.0.0.1', port: String(door.port) }).href
  const reserving = connect({ url, connections: 1, statementTimeoutMs: 5_000 })
  const querying = connect({ url, connections: 1, statementTimeoutMs: 5_000 })
  try {
    const connection = await reserving.reserve()
    expect((await connection`select array['a', 'b'] as list`)[0].list).toEqual(['a', 'b'])
    connection.release()
    cuts = 1
    expect((await querying`select ${['a', 'b']}::text[] as list`)[0].list).toEqual(['a', 'b'])
  } finally {
    await Promise.all([reserving.end({ timeout: 0 }), querying.end({ timeout: 0 })])
    door.stop(true)
  }
}, 20_000)

test('connections that could not be reserved are not missing from the pool afterwards', async () => {
  const { hostname, port } = new URL(db.url)
  const [free] = [Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })]
  const own = free.port
  free.stop(true)
  const url = Object.assign(new URL(db.url), { hostname: '127.0.0.1', port: String(own) }).href
  const pool = connect({ url, connections: 2, statementTimeoutMs: 5_000 })
  const refused = await Promise.allSettled(Array.from({ length: 6 }, () => pool.reserve()))
  expect(refused.map(({ status }) => status)).toEqual(new Array(6).fill('rejected'))
  const door = Bun.listen<{ inner: Promise<Bun.Socket<undefined>> }>({
    hostname: '127.0.0.1',
    port: own,
    socket: {
      open(socket) {
        const inner = Bun.connect<undefined>({
          hostname,
          port: Number(port),
          data: undefined,
          socket: { data: (_, chunk) => void socket.write(chunk), close: () => void socket.end() },
        })
        socket.data = { inner }
      },
      data: (socket, chunk) => {
        const sent = Buffer.from(chunk)
        void socket.data.inner.then(inner => inner.write(sent))
      },
      close: socket => void socket.data.inner.then(inner => inner.end()),
    },
  })
  try {
    const [one, two] = await Promise.all([pool.reserve(), pool.reserve()])
    expect((await one`select 1 as n`)[0].n + (await two`select 2 as n`)[0].n).toBe(3)
    one.release()
    two.release()
  } finally {
    await pool.end({ timeout: 0 })
    door.stop(true)
  }
}, 20_000)
