import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { connect, poolUse } from '../src/postgres/client.ts'
import { currentScope, parseTraceparent, runInTrace, TraceScope } from '../src/trace.ts'
import { testDatabase } from './database.ts'
import { nonEmpty } from './nonEmpty.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const header = `00-${traceId}-${parentId}-01`

describe('traceparent', () => {
  test('of the standard is read (its example)', () => {
    expect(parseTraceparent(header)).toEqual({ traceId, parentId, isSampled: true })
    expect(parseTraceparent(`00-${traceId}-${parentId}-00`)?.isSampled).toBe(false)
  })

  test('of a later version is read by its first four fields', () => {
    expect(parseTraceparent(`01-${traceId}-${parentId}-03-what-comes`)?.isSampled).toBe(true)
    expect(parseTraceparent(`cc-${traceId}-${parentId}-00`)?.traceId).toBe(traceId)
  })

  const invalid: Record<string, string> = {
    empty: '',
    'version ff': `ff-${traceId}-${parentId}-01`,
    'a fifth field in version 00': `${header}-x`,
    'upper case': header.toUpperCase(),
    'a trace id of zeros': `00-${'0'.repeat(32)}-${parentId}-01`,
    'a parent id of zeros': `00-${traceId}-${'0'.repeat(16)}-01`,
    'a short trace id': `00-${traceId.slice(1)}-${parentId}-01`,
    'a long parent id': `00-${traceId}-${parentId}0-01`,
    'no flags': `00-${traceId}-${parentId}`,
    'a later version with a tail that no hyphen parts': `01-${traceId}-${parentId}-01x`,
    'two headers': `${header}, ${header}`,
    'a line break': `${header}\n`,
    'spaces around it': ` ${header} `,
  }
  for (const [what, sent] of Object.entries(invalid))
    test(`with ${what} is ignored`, () => expect(parseTraceparent(sent)).toBeNull())

  test('yields nothing but hexadecimal digits, whatever is sent', () => {
    let read = 0
    const parts = fc.constantFrom('00', '01', 'ff', '-', traceId, parentId, '"', '\n', "'", 'asf_live_x')
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(parts).map(all => all.join('')),
          fc.array(parts).map(all => all.join('-')),
          fc.tuple(parts, parts, parts, parts).map(all => all.join('-')),
          fc.string().map(tail => `01-${traceId}-${parentId}-01-${tail}`),
        ),
        sent => {
          const trace = parseTraceparent(sent)
          if (trace === null) return
          read++
          expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/)
          expect(trace.parentId).toMatch(/^[0-9a-f]{16}$/)
        },
      ),
      { numRuns: 5_000 },
    )
    expect(read).toBeGreaterThan(500)
  })
})

const scopeOf = (isFollowed: boolean) => {
  const scope = new TraceScope({ traceId, parentId, isSampled: true })
  scope.isFollowed = isFollowed
  return scope
}

describe('statements', () => {
  test('of a followed trace run under its id, those before, after and meanwhile under none, prepared once for all', async () => {
    const db = await testDatabase()
    const sql = connect({ url: db.url, connections: 2, statementTimeoutMs: 5_000, applicationName: 'traced' })
    try {
      const nameOf = async (n: number) => {
        const [row] = await sql<{ name: string; n: number }[]>`
          select current_setting('application_name') as name, ${n}::int as n`
        return row
      }
      // More than there are connections: some open for a statement, some wait behind others.
      const names = await Promise.all(
        Array.from({ length: 200 }, (_, n) =>
          n % 3 === 0 ? runInTrace(scopeOf(true), () => nameOf(n)) : nameOf(n),
        ),
      )
      for (const [n, row] of nonEmpty(names.entries()))
        expect(row).toEqual({ name: n % 3 === 0 ? `traced ${traceId}` : 'traced', n })
      expect(await runInTrace(scopeOf(false), () => nameOf(0))).toEqual({ name: 'traced', n: 0 })
      const scope = scopeOf(true)
      scope.isOpen = false
      expect(await runInTrace(scope, () => nameOf(0))).toEqual({ name: 'traced', n: 0 })
      const inTransaction = await runInTrace(scopeOf(true), () =>
        sql.begin(async transaction => {
          const [first] = await transaction`select current_setting('application_name') as name`
          const [second] = await transaction`select current_setting('application_name') as name`
          return [first.name, second.name]
        }),
      )
      expect(inTransaction).toEqual([`traced ${traceId}`, `traced ${traceId}`])
      const reserved = await sql.reserve()
      const [free] = await reserved`select current_setting('application_name') as name`
      const [{ count }] = await reserved`
        select count(*)::int as count from pg_prepared_statements where statement like '%as n'`
      reserved.release()
      expect(free.name).toBe('traced')
      expect(count).toBe(1)
    } finally {
      await sql.end({ timeout: 1 })
      await db.close()
    }
  }, 180_000)

  test('of a statement that fails leave the next one its own name', async () => {
    const db = await testDatabase()
    const sql = connect({ url: db.url, connections: 1, statementTimeoutMs: 5_000, applicationName: 'traced' })
    try {
      const failed = await runInTrace(scopeOf(true), () =>
        sql`select 1 / 0`.then(
          () => '',
          error => error.code,
        ),
      )
      const [{ name }] = await sql`select current_setting('application_name') as name`
      expect([failed, name]).toEqual(['22012', 'traced'])
      const [{ pid }] = await runInTrace(scopeOf(true), () => sql`select pg_backend_pid() as pid`)
      await db.sql`select pg_terminate_backend(${pid})`
      await Bun.sleep(100)
      const again = await sql`select current_setting('application_name') as name`
      expect(again[0].name).toBe('traced')
    } finally {
      await sql.end({ timeout: 1 })
      await db.close()
    }
  }, 180_000)

  test('a pool counts connections in use and idle, and the statements that wait', async () => {
    const db = await testDatabase()
    const sql = connect({ url: db.url, connections: 2, statementTimeoutMs: 5_000 })
    try {
      expect(poolUse(sql)).toEqual({ max: 2, idle: 0, inUse: 0, waiting: 0 })
      await Promise.all([sql`select pg_sleep(.05)`, sql`select pg_sleep(.05)`])
      expect(poolUse(sql)).toEqual({ max: 2, idle: 2, inUse: 0, waiting: 0 })
      const held = Promise.withResolvers<void>()
      const transaction = sql.begin(async inner => {
        await inner`select 1`
        await held.promise
      })
      await Bun.sleep(50)
      expect(poolUse(sql)).toEqual({ max: 2, idle: 1, inUse: 1, waiting: 0 })
      const sleeping = [1, 2, 3].map(() => sql`select pg_sleep(.2)`.execute())
      await Bun.sleep(50)
      expect(poolUse(sql)).toEqual({ max: 2, idle: 0, inUse: 2, waiting: 2 })
      held.resolve()
      await Promise.all([transaction, ...sleeping])
      expect(poolUse(sql)).toEqual({ max: 2, idle: 2, inUse: 0, waiting: 0 })
    } finally {
      await sql.end({ timeout: 1 })
      await db.close()
    }
  }, 180_000)

  test('outside of a trace there is none', () => expect(currentScope()).toBeNull())
})
