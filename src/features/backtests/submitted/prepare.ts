import type { Dataset } from '../../../backtest/dataset/dataset.ts'
import type { BacktestOutcome } from '../../../backtest/pipeline/runRequest.ts'
import type { SweepPlan } from '../../../backtest/pipeline/sweepPlan.ts'
import { paidKey } from '../../../backtest/pool/caller.ts'
import { Failure } from '../../../errors.ts'
import type { Job } from '../../../jobs/job.ts'
import { restartJob } from '../../../jobs/jobQueries.ts'
import { inputOf } from '../../../jobs/kind.ts'
import type { OpenJob } from '../../../jobs/openJobs.ts'
import { readBody } from '../../../jobs/submitQueries.ts'
import { startTask } from '../../../jobs/tasks.ts'
import type { Sql } from '../../../postgres/client.ts'
import { type BacktestDeps, prepareBacktest } from '../run.ts'
import { backtestKind } from './kind.ts'

/** What the tasks of submitted backtests run with. */
export interface SubmittedDeps {
  readonly sql: Sql
  readonly processId: string
  readonly backtests: BacktestDeps
}

interface Prepared {
  readonly round: number
  readonly backtest: Promise<BacktestOutcome>
}

/** What this process prepared from the bodies of its open jobs; all shards of a job that run here share
 * it. */
const preparedJobs = new WeakMap<OpenJob, Prepared>()

/** The result or sweep plan of a job's body, made once per process and round. */
export function prepareJob(deps: SubmittedDeps, openJob: OpenJob, job: Job): Promise<BacktestOutcome> {
  const earlier = preparedJobs.get(openJob)
  if (earlier?.round === job.round) return earlier.backtest
  const backtest = prepare(deps, openJob, job)
  const prepared = { round: job.round, backtest }
  preparedJobs.set(openJob, prepared)
  backtest.catch(() => {
    if (preparedJobs.get(openJob) === prepared) preparedJobs.delete(openJob)
  })
  return backtest
}

/** A full queue refuses requests, whose clients can retry, but never a job's work, which waits instead. */
async function prepare(
  { sql, backtests }: SubmittedDeps,
  { signal }: OpenJob,
  job: Job,
): Promise<BacktestOutcome> {
  const body = await readBody(sql, job.id, job.bodyBytes)
  if (body === null) throw new Failure('internal', 'The body of the backtest has been deleted.')
  const ticket = backtests.pool.admit(paidKey(job.keyId), 'background')
  try {
    const { format, query } = inputOf(backtestKind, job)
    return await prepareBacktest(
      backtests,
      body,
      { signal, ticket },
      { format, query, keyId: job.keyId, resultFormat: 'stored' },
    )
  } finally {
    backtests.pool.leave(ticket)
  }
}

const maxRounds = 5
/**
 * This process may learn of a new data version up to 15 seconds after the process that planned the sweep, so
 * it polls.
 */
const versionPollMs = 250
const maxVersionPolls = 60

/**
 * The plan of a job's sweep in this process, on exactly the rows for which the job was planned. If the
 * archive has other rows by now, restarts the sweep and returns null. One result must never mix series from
 * two states of the archive.
 */
export async function prepareSweep(
  deps: SubmittedDeps,
  openJob: OpenJob,
  job: Job,
): Promise<SweepPlan | null> {
  for (let poll = 0; poll < maxVersionPolls; poll++) {
    const prepared = await prepareJob(deps, openJob, job)
    if (prepared.kind === 'sweep') {
      const { plan } = prepared
      if ((await fingerprintOf(plan)) === job.fingerprint) return { ...plan, dataVersion: job.dataVersion }
      if ((plan.dataVersion ?? 0) >= (job.dataVersion ?? 0)) break
    }
    preparedJobs.delete(openJob)
    await Bun.sleep(versionPollMs)
    openJob.signal.throwIfAborted()
  }
  if (job.round + 1 >= maxRounds) {
    throw new Failure(
      'conflict',
      `The archive changed ${maxRounds} times while the sweep was running. Submit the backtest again after the import.`,
    )
  }
  await restartJob(deps.sql, job.id, job.round, startTask(backtestKind, job.id, job.round + 1))
  return null
}

/** A hash of the rows of a plan, with every score that it tries. */
export async function fingerprintOf({ data, scores }: SweepPlan): Promise<string> {
  if (scores === undefined) return fingerprint(data)
  const each: string[] = []
  for (const variant of scores.variants) each.push(await fingerprint(variant.data))
  return Bun.hash.xxHash64(each.join(' ')).toString(16)
}

const hashChunkBytes = 8 * 1_024 * 1_024
const fingerprints = new WeakMap<Dataset, Promise<string>>()

/**
 * A hash of a dataset's columns. It tells two processes that may have read the archive at different times
 * whether their shards fit together. The data version would not do, because it also grows when other data
 * changes.
 */
export function fingerprint(data: Dataset): Promise<string> {
  const existing = fingerprints.get(data)
  if (existing) return existing
  const hash = hashColumns(data)
  fingerprints.set(data, hash)
  return hash
}

/** Yields to other requests between chunks. */
async function hashColumns(data: Dataset): Promise<string> {
  const { days, offsets, asset, market, score, forwardReturn, assets, markets } = data
  const columns = [days, offsets, asset, market, score, forwardReturn]
  const names = [assets.offsets, assets.bytes, markets.offsets, markets.bytes]
  let hash = 0n
  for (const { buffer, byteOffset, byteLength } of [...columns, ...names]) {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength)
    for (let at = 0; at < byteLength; at += hashChunkBytes) {
      hash = Bun.hash.xxHash64(bytes.subarray(at, at + hashChunkBytes), hash)
      await new Promise(setImmediate)
    }
  }
  return hash.toString(16)
}
