import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { operator } from '../../../../src/backtest/pool/caller.ts'
import { Failure } from '../../../../src/errors.ts'
import type { SubmittedDeps } from '../../../../src/features/backtests/submitted/prepare.ts'
import { readResult } from '../../../../src/features/backtests/submitted/results.ts'
import { backtestTasks } from '../../../../src/features/backtests/submitted/tasks.ts'
import { deletePanel, storePanel } from '../../../../src/features/panels/panels.ts'
import type { JobDeps } from '../../../../src/jobs/deps.ts'
import { deleteExpired } from '../../../../src/jobs/maintainQueries.ts'
import { OpenJobs } from '../../../../src/jobs/openJobs.ts'
import { performTask } from '../../../../src/jobs/performTask.ts'
import { StorageWatch } from '../../../../src/postgres/storage.ts'
import { interceptSql } from '../../../http/interceptSql.ts'
import { asPanel, signals } from '../backtestBench.ts'
import { type JobBench, jobBench } from './jobBench.ts'

let bench: JobBench

beforeAll(async () => {
  bench = await jobBench()
}, 180_000)
afterAll(() => bench.close(), 30_000)
afterEach(() => bench.stopAll(), 30_000)
beforeEach(() => {
  bench.archive.rows = signals(80)
  bench.archive.version++
  bench.reports.length = 0
}, 180_000)

const panel = asPanel(signals(60))
const quantiles = Array.from({ length: 20 }, (_, i) => (i + 5) / 100)
const archiveSweep = { sweep: { quantile: quantiles }, source: { market: 'US' } }

type Worker = JobDeps & SubmittedDeps

/** The dependencies of one process, which the test controls by hand. */
function worker(change: Partial<SubmittedDeps> = {}): Worker {
  const deps: SubmittedDeps = {
    sql: bench.sql,
    backtests: bench.compute(1),
    processId: crypto.randomUUID(),
    ...change,
  }
  return {
    ...deps,
    tasks: backtestTasks(deps),
    openJobs: new OpenJobs(),
    explain: () => null,
    storage: new StorageWatch(bench.sql, null),
    report: message => bench.reports.push(message),
  }
}

interface Queued {
  id: string
  kind: string
  payload: unknown
  attempt: number
}

/** The tasks of a job that wait, in the order of the queue. */
async function tasksOf(jobId: string): Promise<Queued[]> {
  return [
    ...(await bench.sql<Queued[]>`
      select j.id, t.identifier as kind, j.payload, j.attempts as attempt
      from asfiled_queue._private_jobs j join asfiled_queue._private_tasks t on t.id = j.task_id
      where starts_with(j.key, ${jobId}) order by j.priority, j.run_at`),
  ]
}

/** Runs the next task of a job on `work`, as the queue would. */
async function step(work: Worker, jobId: string, attempt = 1): Promise<void> {
  const [task] = await tasksOf(jobId)
  await performTask(work, { kind: task.kind, payload: task.payload, attempt, maxAttempts: 4 })
  await bench.sql`select asfiled_queue.complete_jobs(array[${task.id}::bigint])`
}

const jobOf = async (id: string) => {
  const [row] = await bench.sql`
    select state, round, error_code, data_version::int as data_version, done from job where job_id = ${id}`
  return row
}

describe('a process that dies', () => {
  test('loses its locks within seconds, whether or not it could say how it locks', async () => {
    for (const locks of [['pool-dead'], []]) {
      const { id } = await bench.submit({ panel })
      await bench.sql`
        insert into job_process (process_id, locks, seen_at)
        values (gen_random_uuid(), ${locks}::text[], now() - interval '6 s')`
      await bench.sql`
        update asfiled_queue._private_jobs set locked_by = 'pool-dead', locked_at = now() - interval '6 s', attempts = 1
        where starts_with(key, ${id})`
      await bench.process()
      expect((await bench.ended(id)).state).toBe('succeeded')
    }
  }, 20_000)

  test('that happens to every process that tries it: then the job fails, and says so', async () => {
    const { id } = await bench.submit({ panel })
    await bench.sql`
      update asfiled_queue._private_jobs set attempts = max_attempts where starts_with(key, ${id})`
    await bench.process()
    const job = await bench.ended(id)
    expect(job).toMatchObject({ state: 'failed', errorCode: 'compute_failed' })
    expect(await tasksOf(id)).toEqual([])
  }, 20_000)
})

describe('a failure', () => {
  const failing = (failure: Error) =>
    worker({
      backtests: {
        ...bench.compute(1),
        archive: { recent: async () => [], horizons: async () => [], get: () => Promise.reject(failure) },
      },
    })

  test('of the machine is tried again, four times in all', async () => {
    const { id } = await bench.submit({})
    const work = failing(new Failure('compute_failed', 'A worker stopped.'))
    for (const attempt of [1, 2, 3]) {
      await expect(step(work, id, attempt)).rejects.toThrow('A worker stopped.')
      expect((await jobOf(id)).state).toBe('running')
    }
    await step(work, id, 4)
    expect(await jobOf(id)).toMatchObject({ state: 'failed', error_code: 'compute_failed' })
    expect(bench.reports).toHaveLength(4)
  })

  test('that was not foreseen never shows the client its own text', async () => {
    const { id } = await bench.submit({})
    await step(failing(new Error('secret detail')), id, 4)
    expect(await bench.ended(id)).toMatchObject({ state: 'failed', errorCode: 'internal' })
    expect((await bench.ended(id)).errorMessage).not.toContain('secret')
  })

  test('of the request ends the job at once', async () => {
    const { id } = await bench.submit({ source: { market: 'ZZ' } })
    await step(worker(), id)
    expect(await jobOf(id)).toMatchObject({ state: 'failed', error_code: 'backtest_impossible' })
  })
})

describe('an archive that changes while a sweep runs on it', () => {
  /** Planned for the rows as they were, no share of it done. */
  async function begun(): Promise<string> {
    const { id } = await bench.submit(archiveSweep)
    await step(worker(), id)
    return id
  }

  test('is run on anew from the beginning, and the job says on which version', async () => {
    const id = await begun()
    bench.archive.rows = signals(90)
    const version = bench.archive.version++
    await bench.process()
    const job = await bench.ended(id)
    expect(job).toMatchObject({
      state: 'succeeded',
      round: 1,
      submittedDataVersion: version,
      dataVersion: version + 1,
    })
    expect(await readResult(bench.sql, id)).toBe(await bench.answer(archiveSweep))
  })

  test('goes on as it was where only other data changed', async () => {
    const id = await begun()
    const before = await bench.answer(archiveSweep)
    const version = bench.archive.version++
    await bench.process()
    expect(await bench.ended(id)).toMatchObject({ state: 'succeeded', round: 0, dataVersion: version })
    expect(await readResult(bench.sql, id)).toBe(before)
  })

  test('again and again ends the job with a clear word', async () => {
    const { id } = await bench.submit(archiveSweep)
    for (let round = 0; round < 5; round++) {
      await step(worker(), id)
      bench.archive.rows = signals(81 + round)
      bench.archive.version++
      await step(worker(), id)
    }
    expect(await jobOf(id)).toMatchObject({ state: 'failed', error_code: 'conflict', round: 4 })
  }, 180_000)
})

describe('a finished job', () => {
  test('is deleted after 7 days, and the oldest of a key before that', async () => {
    const old = await bench.submit({ panel })
    const many = [await bench.submit({ panel }), await bench.submit({ panel }), await bench.submit({ panel })]
    const waits = await bench.submit({ panel })
    const other = await bench.newKey()
    const theirs = await bench.submit({ panel }, { keyId: other })
    await bench.sql`
      update job set state = 'cancelled', finished_at = now()
      where job_id = any(${[...many, theirs].map(job => job.id)}::uuid[])`
    await bench.sql`
      update job set state = 'cancelled', finished_at = now() - interval '7 days 1 second' where job_id = ${old.id}`
    await deleteExpired(bench.sql, { jobDays: 7, jobsPerKey: 2, claimHours: 24 })
    const left = await bench.sql<{ id: string }[]>`
      select job_id as id from job
      where job_id = any(${[old, ...many, waits, theirs].map(job => job.id)}::uuid[]) order by job_id`
    expect(left.map(row => row.id)).toEqual([many[1].id, many[2].id, waits.id, theirs.id])
    const [bodies] = await bench.sql`select count(*)::int as count from job_body where job_id = ${old.id}`
    expect(bodies.count).toBe(0)
  })
})

describe('a stored panel that is deleted under a sweep', () => {
  /** A job of a stored panel, planned by a process that has the rows. */
  async function begun() {
    const backtests = bench.compute(1)
    const body = new TextEncoder().encode(JSON.stringify({ panel }))
    const stored = await storePanel(
      backtests.panels,
      { keyId: bench.keyId, maxStoredBytes: 2 ** 32 },
      body,
      'json',
    )
    const { id: panelId } = stored.panel
    const { id } = await bench.submit({ sweep: { quantile: quantiles }, panel: panelId })
    const work = worker({ backtests })
    await step(work, id)
    return { id, work, backtests, panelId }
  }

  test('lets a process that has its rows finish', async () => {
    const { id, work, backtests, panelId } = await begun()
    await deletePanel(backtests.panels, bench.keyId, panelId)
    while ((await tasksOf(id)).length > 0) await step(work, id)
    expect(await bench.ended(id)).toMatchObject({ state: 'succeeded', done: 20, total: 20 })
  })

  test('ends it with a clear message where another process has yet to read them, and leaves no task', async () => {
    const { id, panelId } = await begun()
    expect((await tasksOf(id)).length).toBeGreaterThan(0)
    const backtests = bench.compute(1)
    await deletePanel(backtests.panels, bench.keyId, panelId)
    await step(worker({ backtests }), id)
    const failed = await bench.ended(id)
    expect(failed).toMatchObject({ state: 'failed', errorCode: 'entity_unknown', errorParam: 'panel' })
    expect(failed.errorMessage).toContain(`This key has no panel ${panelId}`)
    expect(await tasksOf(id)).toEqual([])
    const [left] = await bench.sql`select count(*)::int as count from job_share where job_id = ${id}`
    expect(left.count).toBe(0)
  })
})

test('what a revoked key has submitted is cancelled within seconds, and what others have is not', async () => {
  const [revoked, other] = [await bench.newKey(), await bench.newKey()]
  const job = await bench.submit(archiveSweep, { keyId: revoked })
  const theirs = await bench.submit(archiveSweep, { keyId: other })
  await bench.sql`update api_key set revoked_at = now() where key_id = ${revoked}`
  await bench.process(0)
  expect((await bench.ended(job.id)).state).toBe('cancelled')
  expect(await tasksOf(job.id)).toEqual([])
  expect((await jobOf(theirs.id)).state).toBe('queued')
  expect((await tasksOf(theirs.id)).length).toBe(1)
}, 30_000)

test('a full queue does not turn a job away: it takes its turn with the requests, and reads its body once', async () => {
  const job = await bench.submit({ panel })
  let reads = 0
  const counting = interceptSql(bench.sql, text => {
    if (text.includes('from job_body')) reads++
    return undefined
  })
  const work = worker({ sql: counting })
  const { pool } = work.backtests
  const others = Array.from({ length: 51 }, () => pool.admit(operator))
  expect(() => pool.admit(operator)).toThrow('are busy')
  await step(work, job.id)
  for (const other of others) pool.leave(other)
  expect((await bench.ended(job.id)).state).toBe('succeeded')
  expect(reads).toBe(1)
})
