import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readSchedule } from '../../../src/cron.ts'
import { claimDue, markDue, settleDue } from '../../../src/features/syncs/dueRunQueries.ts'
import { retryWaitMs, type SyncProcess, SyncRunner } from '../../../src/features/syncs/dueRuns.ts'
import { beginRun, deleteOldRuns, endRun, type SyncOutcome } from '../../../src/features/syncs/runQueries.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

setDefaultTimeout(180_000)

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.close())

const newProcess = async () => {
  const id = crypto.randomUUID()
  await db.sql`insert into job_process (process_id, locks) values (${id}, '{}')`
  return id
}
const waits = async () => [
  ...(await db.sql<{ attempts: number; seconds: number }[]>`
    select attempts::int as attempts, extract(epoch from try_at - now())::float8 as seconds from sync_due`),
]
const until = async (isTrue: () => Promise<boolean>) => {
  for (let tries = 0; tries < 500; tries++) {
    if (await isTrue()) return
    await Bun.sleep(20)
  }
  throw new Error('It did not come true within 10 s.')
}

test('of processes that claim at once one gets each run, and keeps it while it lives', async () => {
  const processes = await Promise.all(Array.from({ length: 6 }, newProcess))
  await Promise.all(['US', 'JP', 'KR'].map(market => markDue(db.sql, market)))
  const claims = await Promise.all(processes.map(id => claimDue(db.sql, id, ['US', 'JP', 'KR'], 2)))
  expect(
    claims
      .flat()
      .map(({ market }) => market)
      .sort(),
  ).toEqual(['JP', 'KR', 'US'])
  const holder = processes.find((_, place) => claims[place]?.some(({ market }) => market === 'US')) ?? ''
  const other = processes.find(id => id !== holder) ?? ''
  // Another time of the schedule while it runs.
  await markDue(db.sql, 'US')
  expect(await claimDue(db.sql, other, ['US'], 2)).toEqual([])
  expect((await claimDue(db.sql, holder, ['US'], 2)).map(({ market }) => market)).toEqual(['US'])
  await db.sql`delete from job_process where process_id = ${holder}`
  expect((await claimDue(db.sql, other, ['US'], 2)).map(({ market }) => market)).toEqual(['US'])
  // The process that seemed dead was only slow. Its outcome no longer counts.
  await settleDue(db.sql, holder, 'US')
  expect((await claimDue(db.sql, other, ['US'], 2)).map(({ market }) => market)).toEqual(['US'])
})

interface Fake extends SyncProcess {
  end(code: number | null): void
  readonly signals: string[]
}

function fakeProcess(): Fake {
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; output: string }>()
  const signals: string[] = []
  return {
    ended: promise,
    signals,
    end: code => resolve({ code, output: 'the end' }),
    stop: () => void signals.push('stop'),
    kill: () => void signals.push('kill'),
  }
}

async function runnerOf(
  times: string,
  now: string,
  act: (process: Fake, market: string) => Promise<void>,
  timeoutMs = 60_000,
) {
  const started: Fake[] = []
  const reported: object[] = []
  const runner = new SyncRunner({
    sql: db.sql,
    processId: await newProcess(),
    schedule: readSchedule(times).schedule,
    timeoutMs,
    start: market => {
      const process = fakeProcess()
      started.push(process)
      void act(process, market)
      return process
    },
    epochMs: () => Date.parse(now),
    report: (_level, fields) => void reported.push(fields),
  })
  return { runner, started, reported }
}

const recorded =
  (outcome: SyncOutcome, code: number | null) =>
  async (process: Fake, market: string): Promise<void> => {
    const id = await beginRun(db.sql, { market, isScheduled: true, isPartial: false })
    await endRun(db.sql, id, { outcome, reason: 'because', documents: 1, facts: 2 })
    process.end(code)
  }

test('a run that failed is tried again after a growing wait, unless the next time comes first', async () => {
  expect([1, 2, 3, 4, 5, 40].map(retryWaitMs)).toEqual(
    [1, 4, 16, 60, 60, 60].map(minutes => minutes * 60_000),
  )
  await markDue(db.sql, 'US')
  const far = await runnerOf('us=15 6 * * *', '2026-11-22T06:15:20Z', recorded('failed', 1))
  await until(async () => (await waits()).some(({ attempts }) => attempts === 1))
  const [wait] = await waits()
  expect(wait?.seconds).toBeGreaterThan(50)
  expect(wait?.seconds).toBeLessThanOrEqual(60)
  await db.sql`update sync_due set try_at = now()`
  await until(async () => (await waits()).some(({ attempts }) => attempts === 2))
  expect((await waits())[0]?.seconds).toBeGreaterThan(230)
  await far.runner.close(0)

  await db.sql`update sync_due set try_at = now(), attempts = 0`
  const near = await runnerOf('us=16 6 * * *', '2026-11-22T06:15:20Z', recorded('incomplete', 1))
  await until(async () => (await waits()).length === 0)
  expect(near.started).toHaveLength(1)
  await near.runner.close(0)
})

test('a run beyond its time is stopped, counts as failed, and is tried again', async () => {
  await markDue(db.sql, 'US')
  const act = async (process: Fake, market: string) => {
    const id = await beginRun(db.sql, { market, isScheduled: true, isPartial: false })
    await until(async () => process.signals.length > 0)
    await endRun(db.sql, id, { outcome: 'stopped', reason: null, documents: 0, facts: 0 })
    process.end(1)
  }
  const { runner, started } = await runnerOf('us=15 6 * * *', '2026-11-22T06:15:20Z', act, 50)
  await until(async () => (await waits()).some(({ attempts }) => attempts === 1))
  expect(started[0]?.signals).toEqual(['stop'])
  const [run] = await db.sql`select outcome, reason from sync_run`
  expect(run?.outcome).toBe('failed')
  expect(run?.reason).toContain(' and was stopped. The next run continues.')
  await runner.close(0)
})

test('a process that dies before it begins is a failed run, in words', async () => {
  await markDue(db.sql, 'US')
  const act = async (process: Fake) => process.end(137)
  const { runner, reported } = await runnerOf('us=15 6 * * *', '2026-11-22T06:15:20Z', act)
  await until(async () => (await waits()).some(({ attempts }) => attempts === 1))
  const [run] = await db.sql`select outcome, reason from sync_run`
  expect(run).toEqual({
    outcome: 'failed',
    reason: 'The process of the run ended with code 137 before it began.',
  })
  expect(reported).toEqual([{ market: 'US', code: 137, output: 'the end' }])
  await runner.close(0)
})

test('closing stops a run, kills it when its time is over, and hands it on', async () => {
  await markDue(db.sql, 'US')
  const { runner, started } = await runnerOf('us=15 6 * * *', '2026-11-22T06:15:20Z', async () => {})
  await until(async () => started.length === 1)
  const closing = runner.close(60)
  await until(async () => started[0]?.signals.length === 2)
  started[0]?.end(null)
  await closing
  expect(started[0]?.signals).toEqual(['stop', 'kill'])
  const [left] = await waits()
  expect(left?.attempts).toBe(0)
  expect(left?.seconds).toBeLessThanOrEqual(0)
  const [claim] = await db.sql`select process_id as "processId" from sync_due`
  expect(claim?.processId).toBeNull()
})

test('old runs go, but of each market the last that was done', async () => {
  await db.sql`
    insert into sync_run (market, is_scheduled, is_partial, started_at, seen_at, ended_at, outcome)
    select m.market, true, n = 2, t.at, t.at, t.at, case when n <= 2 then 'done' else 'failed' end
    from unnest(array['US', 'JP']) m(market) cross join generate_series(1, 5) n
    cross join lateral (select now() - (200 - n) * interval '1 day' as at) t`
  await db.sql`insert into sync_run (market, is_scheduled, is_partial) values ('US', true, false)`
  for (let round = 0; round < 5; round++) await deleteOldRuns(db.sql, 3)
  const left = await db.sql`select market, outcome, is_partial as "isPartial" from sync_run order by run_id`
  expect([...left]).toEqual([
    { market: 'US', outcome: 'done', isPartial: false },
    { market: 'JP', outcome: 'done', isPartial: false },
    { market: 'US', outcome: null, isPartial: false },
  ])
})
