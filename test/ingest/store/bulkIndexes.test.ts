import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  createMissingIndexes,
  dropSecondaryIndexes,
  findMissingIndexes,
  maintainFactTables,
  secondaryIndexes,
} from '../../../src/ingest/store/bulkIndexes.ts'
import { connect } from '../../../src/postgres/client.ts'
import { sampleDatabase, type TestDatabase, testDatabase } from '../../database.ts'

setDefaultTimeout(180_000)
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 180_000)
afterAll(() => db.close())

const names = Object.keys(secondaryIndexes)

async function definitions(): Promise<readonly string[]> {
  const rows = await db.sql<{ definition: string }[]>`
    select pg_get_indexdef(to_regclass(name)) as definition from unnest(${names}::text[]) name order by name`
  return rows.map(row => row.definition)
}

const withoutAutovacuum = async () => {
  const rows = await db.sql<{ name: string }[]>`
    select relname as name from pg_class where reloptions @> array['autovacuum_enabled=false'] order by 1`
  return rows.map(row => row.name)
}

test('dropped indexes are created again as the migrations made them', async () => {
  const made = await definitions()
  expect(made.map(definition => definition.length > 20)).toEqual(names.map(() => true))
  expect(await findMissingIndexes(db.sql)).toEqual([])
  expect(await createMissingIndexes(db.sql)).toBe(false)

  await dropSecondaryIndexes(db.sql)
  await dropSecondaryIndexes(db.sql)
  expect([...(await findMissingIndexes(db.sql))].sort()).toEqual([...names].sort())

  expect(await withoutAutovacuum()).toEqual(['entity', 'entity_ticker', 'fact', 'fact_repeat', 'filing'])

  expect(await createMissingIndexes(db.sql)).toBe(true)
  expect(await definitions()).toEqual(made)
  expect(await withoutAutovacuum()).toEqual([])
})

test('a long read is not cut off, and those behind it wait no longer than the lock timeout', async () => {
  const reader = await db.sql.reserve()
  try {
    await reader`begin`
    await reader`select count(*) from fact`
    await expect(dropSecondaryIndexes(db.sql)).rejects.toMatchObject({ code: 'conflict' })
    expect(await withoutAutovacuum()).toEqual([])
    expect(await findMissingIndexes(db.sql)).toEqual([])
  } finally {
    await reader`rollback`
    reader.release()
  }
}, 180_000)

test('a single missing index is created, and the others are left alone', async () => {
  const made = await definitions()
  await db.sql`drop index entity_names`
  expect(await findMissingIndexes(db.sql)).toEqual(['entity_names'])
  expect(await createMissingIndexes(db.sql)).toBe(true)
  expect(await definitions()).toEqual(made)
})

test('two commands that create the same indexes wait for each other', async () => {
  await dropSecondaryIndexes(db.sql)
  const writer = await db.sql.reserve()
  await writer`begin`
  await writer`lock table fact, entity in row exclusive mode`
  const commands = [1, 2].map(() =>
    connect({ url: db.url, connections: 2, statementTimeoutMs: 60_000, applicationName: 'asfiled-test' }),
  )
  const both = Promise.allSettled(commands.map(createMissingIndexes))
  // Of each command two transactions wait for the writer or for the other command, so that they go on at the same moment.
  const waiting = async () => {
    const [{ locks }] = await db.sql<{ locks: number }[]>`
      select count(*)::int as locks from pg_locks
      where not granted and relation in ('fact'::regclass, 'filing'::regclass, 'entity'::regclass)`
    return locks
  }
  while ((await waiting()) < 4) await Bun.sleep(20)
  await writer`rollback`
  writer.release()
  expect((await both).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  for (const command of commands) await command.end()
  expect(await findMissingIndexes(db.sql)).toEqual([])
  expect(await withoutAutovacuum()).toEqual([])
})

describe('maintenance after an import', () => {
  let sample: TestDatabase
  beforeAll(async () => {
    sample = await sampleDatabase()
  })
  afterAll(() => sample.close())

  /** Bytes of the cross-section index, the planner's estimate of the table, and the number of invalid indexes. */
  async function state() {
    const [row] = await sample.sql<{ bytes: number; estimated: number; invalid: number }[]>`
      select pg_relation_size('fact_cross_section')::float8 as bytes,
        (select reltuples::float8 from pg_class where oid = 'fact'::regclass) as estimated,
        (select count(*)::int from pg_index where not indisvalid) as invalid`
    return row
  }

  test('a small import leaves the tables to autovacuum', async () => {
    const before = await state()
    await maintainFactTables(sample.sql, 49_999)
    expect(await state()).toEqual(before)
  })

  test('one that creates one of the indexes updates the statistics of all tables', async () => {
    await sample.sql`drop index entity_names`
    // Its number of rows is unknown until it is counted.
    await sample.sql`truncate fact_past`
    await maintainFactTables(sample.sql, 0)
    const [{ counted }] = await sample.sql<{ counted: boolean }[]>`
      select reltuples >= 0 as counted from pg_class where oid = 'fact_past'::regclass`
    expect(counted).toBe(true)
  })

  test("a large one rebuilds the index, removes what a killed run left, and updates the planner's statistics", async () => {
    await sample.sql`create index fact_cross_section_ccnew on fact (metric_id)`
    const superuser = connect({ url: sample.adminUrl, connections: 1, statementTimeoutMs: 60_000 })
    await superuser`update pg_index set indisvalid = false where indexrelid = 'fact_cross_section_ccnew'::regclass`
    await superuser.end()
    const before = await state()
    expect(before.invalid).toBe(1)
    await maintainFactTables(sample.sql, 1_000_000)
    const after = await state()
    const [{ facts }] = await sample.sql<{ facts: number }[]>`select count(*)::int as facts from fact`
    expect(after.invalid).toBe(0)
    expect(after.estimated).toBe(facts)
    expect(after.bytes).toBeLessThan(before.bytes)
  })
})
