import { afterAll, beforeAll, expect, test } from 'bun:test'
import { getPriority } from 'node:os'
import { connect } from '../../src/postgres/client.ts'
import { lowerBackends } from '../../src/postgres/embedded/backends.ts'
import { type TestDatabase, testDatabase } from '../database.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 60_000)
afterAll(() => db.close(), 60_000)

const pool = (applicationName: string) =>
  connect({ url: db.url, connections: 2, statementTimeoutMs: 0, applicationName })

test('processes of a pool that imports yield to others, later connections too, and those of readers stay as they are', async () => {
  const importing = pool(`asfiled-command-${process.pid}`)
  const reading = pool('asfiled')
  const pidOf = async (sql: typeof importing) =>
    (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0].pid
  const usual = getPriority(await pidOf(reading))
  const stop = lowerBackends(importing)
  try {
    const first = await importing.reserve()
    const second = await importing.reserve()
    const pids = await Promise.all(
      [first, second].map(async sql => (await sql`select pg_backend_pid() as pid`)[0].pid),
    )
    // The pool has no connection left for the look at its own.
    first.release()
    const deadline = performance.now() + 10_000
    while (pids.some(pid => getPriority(pid) !== 10) && performance.now() < deadline) await Bun.sleep(50)
    expect(pids.map(pid => getPriority(pid))).toEqual([10, 10])
    expect(getPriority(await pidOf(reading))).toBe(usual)
    second.release()
  } finally {
    stop()
    await importing.end({ timeout: 5 })
    await reading.end({ timeout: 5 })
  }
}, 30_000)
