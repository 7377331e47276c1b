import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type Server } from 'node:net'
import { makeContext } from '../../../src/commands/context.ts'
import { recordRun } from '../../../src/commands/operations/runQueries.ts'
import { readConfig } from '../../../src/config.ts'
import { recordHeartbeat } from '../../../src/jobs/maintainQueries.ts'
import { migrateQueue } from '../../../src/jobs/queue.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { olderJobTable } from '../../postgres/olderJobTable.ts'
import { withoutUniverse } from '../../postgres/withoutUniverse.ts'
import { withoutWholeFilings } from '../../postgres/withoutWholeFilings.ts'
import { runInProcess } from '../runInProcess.ts'

setDefaultTimeout(120_000)

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await migrateQueue(db.url)
})
afterAll(() => db.close(), 60_000)

const contextOf = (settings: Record<string, string> = {}) =>
  makeContext(readConfig({ DATABASE_URL: db.url, ...settings }))
const status = (...words: string[]) => runInProcess(['status', ...words], contextOf())
const about = async (...words: string[]): Promise<string[]> => {
  const { out } = await status('--json', ...words)
  return JSON.parse(out).attention.map((entry: { about: string }) => entry.about)
}

const server = { role: 'server', version: '0.1.0', host: 'one', pid: 7 } as const
const beat = (id: string, identity: Parameters<typeof recordHeartbeat>[3] = server) =>
  recordHeartbeat(db.sql, id, [], identity)
const backup = { kind: 'backup', subject: '/backups/a.tar.zst', seconds: 3, outcome: 'done' } as const

describe('status', () => {
  test('of a service with a server, a backup and no errors is healthy, with exit code 0', async () => {
    await recordRun(db.sql, { ...backup, reason: null, bytes: 12_000_000 })
    const id = crypto.randomUUID()
    await beat(id)
    const run = await status()
    expect(run.out).toContain('Healthy: nothing needs attention.')
    expect(run.out).toMatch(/^servers +1: one \(process 7, 0\.1\.0/m)
    expect(run.out).toMatch(/^backup .*\/backups\/a\.tar\.zst, 12 MB/m)
    expect(run.code).toBe(0)
    await db.sql`delete from job_process`
  })

  test('names a server whose heartbeat has ended as none, and one of an earlier version as one', async () => {
    expect(await about()).toEqual(['servers'])
    await beat(crypto.randomUUID(), null)
    expect(await about()).toEqual([])
    await db.sql`update job_process set seen_at = now() - interval '6 seconds'`
    expect(await about()).toEqual(['servers'])
    // A worker serves no requests.
    await beat(crypto.randomUUID(), { ...server, role: 'worker' })
    expect(await about()).toEqual(['servers'])
    await db.sql`delete from job_process`
    await beat(crypto.randomUUID())
  })

  test('says that a backup is old or missing, unless it is not to look', async () => {
    await db.sql`update operator_run set ended_at = now() - interval '8 days' where kind = 'backup'`
    await beat(crypto.randomUUID())
    expect(await about()).toEqual(['backup'])
    expect(await about('--max-backup-age', '9')).toEqual([])
    expect(await about('--max-backup-age', '0')).toEqual([])
    await db.sql`delete from operator_run`
    const run = await status()
    expect(run.code).toBe(1)
    expect(run.out).toContain('No backup of this database is on record.')
    expect((await runInProcess(['backup', '--record', '/else/where.dump'], contextOf())).code).toBe(0)
    await beat(crypto.randomUUID())
    expect(await about()).toEqual([])
  })

  test('names failed imports, syncs, jobs and mail, and calls over what has succeeded since', async () => {
    const failed = { kind: 'import', subject: 'US', seconds: 1, bytes: null } as const
    await recordRun(db.sql, { ...failed, outcome: 'failed', reason: 'No document could be read.' })
    await db.sql`insert into sync_run (market, is_scheduled, is_partial, ended_at, outcome, reason)
      values ('JP', false, false, now(), 'failed', 'The register responds with an error (503).')`
    await db.sql`insert into account.mail_outbox (recipient, subject, body, expires_at, state, ended_at)
      values ('ana@fund.example', 'Your secret order', 'x', now(), 'failed', now())`
    await beat(crypto.randomUUID())
    const first = await status()
    expect(first.out).toContain('import US: No document could be read.')
    expect(first.out).toContain('The last sync of JP failed: The register responds with an error (503).')
    expect(first.out).toContain('1 mail could not be sent within a week.')
    // Shows neither the recipients of mails nor their subjects.
    expect(first.out).not.toMatch(/ana@|secret/)
    await recordRun(db.sql, { ...failed, outcome: 'done', reason: null })
    await db.sql`insert into sync_run (market, is_scheduled, is_partial, ended_at, outcome)
      values ('JP', false, false, now() + interval '1 second', 'done')`
    await db.sql`delete from account.mail_outbox`
    await beat(crypto.randomUUID())
    const later = await status()
    expect(later.out).toContain('import US (over): No document could be read.')
    expect(later.code).toBe(0)
  })

  test('of a database of an older version says what is pending, and changes nothing', async () => {
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
         drop table operator_run, clock_reading; alter table backtest_job drop column trace;
         alter table job_process drop column role, drop column version, drop column host, drop column pid;
         alter table account.session drop column browser_id; drop table account.known_browser;
         drop index account.session_address; drop function take_hits_together, give_hits_back`,
      )
      const before = await older.sql`select name from migration`
      const run = await runInProcess(['status'], contextOf({ DATABASE_URL: older.url }))
      expect(run.code).toBe(1)
      expect(run.out).toMatch(/^schema +\d+ of \d+: \d+ pending$/m)
      expect(run.out).toMatch(/^backup +not known$/m)
      expect(run.out).toMatch(/^servers +none$/m)
      expect(run.out).toMatch(/^jobs +0 waiting/m)
      expect(run.out).toContain('./asfiled upgrade --check')
      expect((await older.sql`select name from migration`).length).toBe(before.length)
    } finally {
      await older.close()
    }
  })

  test('of a database of a newer version says which version to run', async () => {
    await db.sql`insert into migration (name, digest, version) values ('0999_later.sql', 'x', '9.1.0')`
    const run = await status()
    await db.sql`delete from migration where name = '0999_later.sql'`
    expect(run.code).toBe(1)
    expect(run.out).toContain('comes from a newer asfiled (9.1.0)')
  })

  test('of a database that hangs ends within its time limit, and shows no password', async () => {
    const silent: Server = createServer(() => {})
    await new Promise<void>(done => silent.listen(0, '127.0.0.1', done))
    const address = silent.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const child = Bun.spawn(['bun', 'src/cli.ts', 'status', '--timeout', '1'], {
      env: { ...process.env, DATABASE_URL: `postgres://ana:hunter2@127.0.0.1:${port}/asfiled` },
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: 30_000,
    })
    const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text())
    expect(await child.exited).toBe(1)
    expect(child.signalCode).toBeNull()
    expect(output).toContain('it did not answer within 1 s')
    expect(output).not.toMatch(/hunter2|ana:/)
    silent.close()
  })
})
