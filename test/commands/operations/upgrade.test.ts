import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { makeContext } from '../../../src/commands/context.ts'
import {
  checkUpgrade,
  neededBytes,
  type PendingMigration,
} from '../../../src/commands/operations/upgradeChecks.ts'
import { readConfig } from '../../../src/config.ts'
import { migrate } from '../../../src/postgres/migrations.ts'
import { blankDatabase, type TestDatabase, testDatabase } from '../../database.ts'
import { olderJobTable } from '../../postgres/olderJobTable.ts'
import { withoutUniverse } from '../../postgres/withoutUniverse.ts'
import { withoutWholeFilings } from '../../postgres/withoutWholeFilings.ts'
import { runInProcess } from '../runInProcess.ts'

setDefaultTimeout(120_000)

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close(), 60_000)

const check = (url: string, ...words: string[]) =>
  runInProcess(['upgrade', '--check', ...words], makeContext(readConfig({ DATABASE_URL: url })))

describe('upgrade --check', () => {
  test('of an up-to-date database is safe, and has nothing to do', async () => {
    expect(await check(db.url)).toMatchObject({
      code: 0,
      out: expect.stringContaining('No migration is pending'),
    })
  })

  test('without --check is wrong usage: nothing is upgraded by accident', async () => {
    expect((await runInProcess(['upgrade'])).code).toBe(2)
  })

  test('of an older database names each migration with why, changes nothing, and foretells that older servers may go on', async () => {
    const older = await testDatabase()
    try {
      await older.sql.unsafe(
        `delete from migration where name >= '0032'; ${olderJobTable} ${withoutUniverse} ${withoutWholeFilings}
         drop table symbol_spell, symbol_spell_past, succession, succession_past cascade;
         drop table known_moment, known_moment_past, fact_interim, fact_interim_past cascade;
         drop trigger drop_known_moments on filing;
         drop procedure keep_past_rows; drop function drop_known_moments, keep_known_moment, keep_fact_interim, filing_is_known, filing_has_time,
           fact_at, trailing_at, pinned.fact_at, pinned.trailing_at;
         drop index filing_company_name;
         drop function symbol_form, keep_symbol_spell, keep_succession, lineages_seen, lineage_roots;
         drop function take_hits(text[], integer[], integer[], integer[], double precision, boolean[]);
         drop function limit_step(limit_counter, integer, integer, integer, double precision, boolean);
         drop table operator_run, page_check, page_damage, cursor_secret, clock_reading; alter table backtest_job drop column trace;
         alter table job_process drop column role, drop column version, drop column host, drop column pid;
         alter table account.session drop column browser_id; drop table account.known_browser;
         drop index account.session_address; drop function take_hits_together, give_hits_back, record_page;
         insert into job_process (process_id, locks) values (gen_random_uuid(), '{}')`,
      )
      const before = (await older.sql`select name from migration`).length
      const run = await check(older.url)
      expect(run.out).toContain('0032_operations.sql')
      expect(run.out).toContain('an operator asks first which servers and workers live')
      expect(run.out).toMatch(/job_process \(\d+ rows, \d+ MB\): a lock for a moment/)
      expect(run.out).toMatch(/Every pending migration only adds, so they\s+may go on/)
      expect((await older.sql`select name from migration`).length).toBe(before)
      // The forecast was right: the migrations apply, and the old server keeps sending its heartbeat.
      await migrate(older.sql)
      await older.sql`
        insert into job_process (process_id, locks) values (gen_random_uuid(), '{}')
        on conflict (process_id) do update set locks = excluded.locks, seen_at = now()`
      expect((await check(older.url)).code).toBe(0)
    } finally {
      await older.close()
    }
  })

  test('of an empty database needs no backup', async () => {
    const empty = await blankDatabase()
    try {
      const run = await check(empty.url, '--json')
      expect(JSON.parse(run.out)).toMatchObject({ safe: true, schema: { number: 0 } })
      expect((await empty.sql`select to_regclass('migration') as found`)[0].found).toBeNull()
    } finally {
      await empty.close()
    }
  })

  test('of a newer database is not safe, and says which version to run', async () => {
    await db.sql`insert into migration (name, digest, version) values ('0999_later.sql', 'x', '9.1.0')`
    const run = await check(db.url)
    await db.sql`delete from migration where name = '0999_later.sql'`
    expect(run).toMatchObject({ code: 1, out: expect.stringContaining('comes from a newer asfiled (9.1.0)') })
  })
})

const facts = {
  version: '2.0.0',
  schema: { number: 29, shipped: 30, pending: ['0030_x.sql'], refusal: null },
  alive: [],
  disk: null,
  server: null,
  longest: null,
  backup: { at: '2026-01-01T00:00:00Z', file: 'a', bytes: 1, ageSeconds: 60 },
}
const old = { role: null, version: null, host: null, pid: null, startedAt: '', silentSeconds: 0 }
const pendingOf = (changes: Partial<PendingMigration>): PendingMigration[] => [
  { name: '0030_x.sql', why: 'x.', note: null, touched: [], breaks: null, sizes: [], ...changes },
]
const verdicts = (changes: Partial<Parameters<typeof checkUpgrade>[0]>) =>
  Object.fromEntries(
    checkUpgrade({ ...facts, pending: pendingOf({}), ...changes }).map(({ about, ok }) => [about, ok]),
  )

describe('an upgrade is not safe', () => {
  test('where a migration takes from running servers what they use', () => {
    expect(verdicts({ alive: [old] }).servers).toBe(true)
    const pending = pendingOf({ breaks: 'drops the function fact_as_of' })
    expect(verdicts({ alive: [old], pending }).servers).toBe(false)
    expect(verdicts({ pending }).servers).toBe(true)
  })

  test('for certain, where it cannot be read which servers run: that is said, and is no yes', () => {
    expect(verdicts({ alive: null }).servers).toBeNull()
    expect(verdicts({ alive: [] }).servers).toBe(true)
  })

  test('without a backup of the last day, or while a transaction is open that it would wait for', () => {
    expect(verdicts({})).toEqual({ backup: true, servers: true, locks: true, disk: null })
    expect(verdicts({ backup: null }).backup).toBe(false)
    expect(verdicts({ backup: { ...facts.backup, ageSeconds: 90_000 } }).backup).toBe(false)
    expect(verdicts({ longest: { pid: 1, application: 'pg_dump', seconds: 61 } }).locks).toBe(false)
  })

  test('without the room for what is written anew', () => {
    const pending = pendingOf({
      touched: [{ table: 'fact', kind: 'index' }],
      sizes: [{ table: 'fact', rows: 0, bytes: 10e9 }],
    })
    expect(neededBytes(pending)).toBeGreaterThan(5e9)
    const disk = { folder: '/', totalBytes: 1e12 }
    expect(verdicts({ pending, disk: { ...disk, freeBytes: 4e9 } }).disk).toBe(false)
    expect(verdicts({ pending, disk: { ...disk, freeBytes: 9e9 } }).disk).toBe(true)
  })
})
