import type { Dataset } from '../../../backtest/dataset/dataset.ts'
import type { BacktestOutcome } from '../../../backtest/pipeline/runRequest.ts'
import type { SweepPlan } from '../../../backtest/pipeline/sweepPlan.ts'
import { paidKey } from '../../../backtest/pool/caller.ts'
import { Failure } from '../../../errors.ts'
import { prepareBacktest } from '../run.ts'
import type { Job } from './job.ts'
import { restartSweep } from './jobQueries.ts'
import type { JobDeps, OpenJob } from './openJobs.ts'
import { readBody } from './submitQueries.ts'
import { startTask } from './taskKinds.ts'

/** The result or the sweep plan of a job's body, made once per process and round. */
export function prepareJob(deps: JobDeps, openJob: OpenJob, job: Job): Promise<BacktestOutcome> {
  if (openJob.prepared?.round === job.round) return openJob.prepared.backtest
  const backtest = prepare(deps, openJob, job)
  const prepared = { round: job.round, backtest }
  openJob.prepared = prepared
  backtest.catch(() => {
    if (openJob.prepared === prepared) openJob.prepared = null
  })
  return backtest
}

/** A full queue turns away requests, whose clients can send them again, but never work of a job: it waits for its turn. */
async function prepare({ sql, backtests }: JobDeps, { signal }: OpenJob, job: Job): Promise<BacktestOutcome> {
  const body = await readBody(sql, job.id, job.bodyBytes)
  if (body === null) throw new Failure('internal', 'The body of the backtest has been deleted.')
  const ticket = backtests.pool.admit(paidKey(job.keyId), 'background')
  try {
    const { bodyFormat: format, bodyQuery: query, keyId } = job
    return await prepareBacktest(
      backtests,
      body,
      { signal, ticket },
      { format, query, keyId, resultFormat: 'stored' },
    )
  } finally {
    backtests.pool.leave(ticket)
  }
}

const maxRounds = 5
/** This process may learn of a new data version later than the process that planned the sweep: it polls for 15 s. */
const versionPollMs = 250
const maxVersionPolls = 60

/** The plan of a job's sweep in this process, on the very rows that the job was planned for. If the archive has other rows by
 * now, restarts the sweep and returns null. Series of two states of the archive must not meet in one result. */
export async function prepareSweep(deps: JobDeps, openJob: OpenJob, job: Job): Promise<SweepPlan | null> {
  for (let poll = 0; poll < maxVersionPolls; poll++) {
    const prepared = await prepareJob(deps, openJob, job)
    if (prepared.kind === 'sweep') {
      const { plan } = prepared
      if ((await fingerprint(plan.data)) === job.fingerprint) return { ...plan, dataVersion: job.dataVersion }
      if ((plan.dataVersion ?? 0) >= (job.dataVersion ?? 0)) break
    }
    openJob.prepared = null
    await Bun.sleep(versionPollMs)
    openJob.signal.throwIfAborted()
  }
  if (job.round + 1 >= maxRounds) {
    throw new Failure(
      'conflict',
      `The archive changed ${maxRounds} times while the sweep was running. Submit the backtest again after the import.`,
    )
  }
  await restartSweep(deps.sql, job.id, job.round, startTask(job.id, job.round + 1))
  return null
}

const hashChunkBytes = 8 * 1_024 * 1_024
const fingerprints = new WeakMap<Dataset, Promise<string>>()

/** A hash of a dataset's columns. By it two processes, which may have read the archive at different times, see whether their
 * shards fit together. The data version would not do: it also grows when other data changes. */
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
