import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CpuLimit } from '../deploy/cluster/cpuLimit.ts'
import { until } from '../deploy/cluster/processes.ts'
import { Workers } from '../deploy/cluster/workers.ts'
import { watchJobs } from '../src/jobs/jobQueries.ts'
import type { Sql } from '../src/postgres/client.ts'
import { leaveEmpty } from '../test/database.ts'
import { formattedBodies } from './backtest/bodies.ts'
import { makePanel } from './backtest/makePanel.ts'
import type { Figure } from './figure.ts'
import { processorSeconds, type Served, sellKey, startApp } from './http.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { postOk } from './service/server.ts'
import { table } from './table.ts'

/** Four of these leave more than one of two cores to the database, the server and the client. */
const coresOfWorker = 0.2
const counts = [1, 2, 4] as const
/** A key may have this many unfinished jobs. The client submits the next one as soon as one ends. */
const maxUnfinished = 16
const warmUpsOfWorker = 10

interface Submitter {
  readonly sql: Sql
  readonly app: Served
  readonly key: string
}

/**
 * Measures how many submitted sweeps of one stored panel workers with a fifth of a core each finish per second: 1, 2 and then 4 of
 * them. At the end kills each worker once while it works. Every job must end exactly once, with the result of a synchronous request, and
 * a worker must read the panel once. Measures nothing where this account may not limit processor time.
 *
 * @param short fewer sweeps, for CI */
export async function benchManyWorkers({ short = false } = {}): Promise<Figure[]> {
  if (!(await CpuLimit.isAvailable())) {
    console.error(
      'many_workers: skipped, because this account may not make control groups for processor time.',
    )
    return []
  }
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-bench-workers-'))
  const children: Bun.Subprocess[] = []
  try {
    return await scratchDatabase(async (sql, databaseUrl) => {
      await leaveEmpty(sql)
      const workers = new Workers({ sql, databaseUrl, folder })
      const env = {
        ...process.env,
        ...{ DATABASE_URL: databaseUrl, DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'warn' },
        // The server leaves all jobs to the workers.
        ...{ COMPUTE_THREADS: '1', JOB_CONCURRENCY: '0' },
      }
      try {
        const app = await startApp(env, folder, children)
        const submitter = { sql, app, key: await sellKey(env, '--quant') }
        return await measureWorkers(submitter, workers, short ? 60 : 200)
      } finally {
        await workers.stop()
        for (const child of children) child.kill('SIGTERM')
        await Promise.all(children.map(child => child.exited))
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureWorkers(submitter: Submitter, workers: Workers, sweeps: number): Promise<Figure[]> {
  const bodies = await makeSweeps(submitter, sweeps)
  const expected: string[] = []
  for (const body of bodies)
    expected.push(await postOk(submitter.app, 'backtest', { key: submitter.key, body }))
  const readsBefore = await readsOfPanel(submitter.sql, 0)
  const figures: Figure[] = []
  const rates: number[] = []
  for (const count of counts) {
    await workers.grow(count)
    workers.setCores(null)
    const warmUps = bodies.slice(0, warmUpsOfWorker * count)
    await proveResults(submitter, await runQueued(submitter, warmUps), expected)
    workers.setCores(coresOfWorker)
    const before = usedSeconds(workers)
    const round = await runQueued(submitter, bodies)
    const cores = (usedSeconds(workers) - before) / round.seconds
    rates.push(sweeps / round.seconds)
    figures.push(
      { name: `many_workers.rate_of_${count}`, value: sweeps / round.seconds, unit: 'sweeps/s' },
      { name: `many_workers.cores_of_${count}`, value: cores, unit: 'cores' },
    )
    await proveResults(submitter, round, expected)
  }
  const reads = (await readsOfPanel(submitter.sql, readsBefore + workers.count)) - readsBefore
  workers.setCores(null)
  const [killed] = await Promise.all([runQueued(submitter, bodies), killEach(workers)])
  await proveResults(submitter, killed, expected)
  return [
    ...figures,
    { name: 'many_workers.two_to_one', value: rates[1] / rates[0], unit: 'times' },
    { name: 'many_workers.four_to_one', value: rates[2] / rates[0], unit: 'times' },
    { name: 'many_workers.panel_reads_of_worker', value: reads / workers.count, unit: 'reads' },
  ]
}

/** Stores 252 dates x 200 names once, and makes different sweeps of 24 configurations on them. */
async function makeSweeps({ app, key }: Submitter, count: number): Promise<string[]> {
  const csv = formattedBodies(makePanel(252, 200))[2]
  const stored = await postOk(app, 'panels', { key, body: csv.bytes, type: csv.type })
  const { id }: { id: string } = JSON.parse(stored)
  return Array.from({ length: count }, (_, sweep) =>
    JSON.stringify({
      panel: id,
      config: { weighting: 'rank' },
      sweep: {
        quantile: [0.1, 0.2, 0.3, 0.4].map(quantile => quantile + sweep / 10_000),
        holdDays: [1, 2, 3, 5, 10, 21],
      },
    }),
  )
}

interface QueuedRound {
  readonly ids: readonly string[]
  readonly seconds: number
}

/** Submits sweeps and waits until each of them has ended exactly once. */
async function runQueued({ sql, app, key }: Submitter, bodies: readonly string[]): Promise<QueuedRound> {
  const ends: string[] = []
  const unwatch = await watchJobs(
    sql,
    (jobId, state) => state !== 'queued' && state !== 'running' && ends.push(jobId),
    () => {},
  )
  const startedAt = performance.now()
  const ids: string[] = []
  for (const body of bodies) {
    await until('a job has ended', async () => ids.length - ends.length < maxUnfinished, 120_000, 5)
    const job = await postOk(app, 'backtest', { key, body, prefer: 'respond-async' })
    ids.push(JSON.parse(job).id)
  }
  await until('all jobs have ended', async () => ends.length >= ids.length, 120_000, 5)
  const seconds = (performance.now() - startedAt) / 1_000
  await unwatch()
  if (ends.length !== ids.length || new Set(ends).size !== ids.length || ids.some(id => !ends.includes(id)))
    throw new Error(`${ids.length} jobs were submitted, and ${ends.length} ends were seen.`)
  return { ids, seconds }
}

async function proveResults(
  { app, key }: Submitter,
  { ids }: QueuedRound,
  expected: readonly string[],
): Promise<void> {
  for (const [place, id] of ids.entries()) {
    const answer = await fetch(`http://127.0.0.1:${app.port}/api/v1/backtests/${id}`, {
      headers: { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'identity' },
    })
    const text = await answer.text()
    if (!text.endsWith(`"result":${expected[place]}}`))
      throw new Error(
        `The job ${id} has another result than the same sweep sent synchronously: ${text.slice(0, 300)}`,
      )
  }
}

async function killEach(workers: Workers): Promise<void> {
  for (let place = 0; place < workers.count; place++) await workers.killAtWork(place)
}

function usedSeconds(workers: Workers): number {
  let sum = 0
  for (let place = 0; place < workers.count; place++) sum += processorSeconds(workers.pid(place) ?? 0) ?? 0
  return sum
}

/** How often the rows of panels were read from the database: its own count of the scans of their table. The server keeps what it stored in
 * memory. */
async function readsOfPanel(sql: Sql, atLeast: number): Promise<number> {
  let scans = 0
  await until('the database has counted the reads of the panel', async () => {
    const [row] = await sql<{ scans: number }[]>`
      select (seq_scan + coalesce(idx_scan, 0))::int as scans from pg_stat_user_tables where relname = 'panel_part'`
    scans = row.scans
    return scans >= atLeast
  })
  return scans
}

if (import.meta.main) {
  const figures = await benchManyWorkers({ short: process.argv.includes('--short') })
  console.log(table(figures.map(figure => ({ ...figure, failed: false }))))
}
