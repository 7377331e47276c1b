import type { SweepPlan, SweepSlice } from '../../../backtest/pipeline/sweepPlan.ts'
import { paidKey } from '../../../backtest/pool/caller.ts'
import { finishSweep, runSlice } from '../../../backtest/pool/runSweep.ts'
import { endJob } from '../../../jobs/endJobQueries.ts'
import { findRunningJob } from '../../../jobs/jobQueries.ts'
import type { OpenJob } from '../../../jobs/openJobs.ts'
import type { RoundTask } from '../../../jobs/tasks.ts'
import type { Sql } from '../../../postgres/client.ts'
import { finishTask, type ShardTask, shardTask } from './kind.ts'
import { fingerprintOf, prepareSweep, type SubmittedDeps } from './prepare.ts'
import { readShards, storePlan, storeShard } from './shardQueries.ts'

/**
 * Stores the plan of a sweep and queues one task per shard. A shard consists of some slices of the sweep,
 * which one process runs. Its series are stored until the last task combines all shards.
 */
export async function planShards(sql: Sql, jobId: string, round: number, plan: SweepPlan): Promise<void> {
  await storePlan(sql, jobId, round, {
    trials: plan.configs.length,
    dataVersion: plan.dataVersion,
    fingerprint: await fingerprintOf(plan),
    shards: cutIntoShards(plan.slices).map((slices, place) =>
      shardTask({ jobId, round, place, slices: slices.map(slice => [...slice]) }),
    ),
  })
}

/**
 * Each shard costs a few statements. This many suffice for workers to finish together and report progress.
 */
const maxShards = 64

/** Consecutive slices, grouped into at most `maxShards` shards. */
function cutIntoShards(slices: readonly SweepSlice[]): SweepSlice[][] {
  const slicesPerShard = Math.ceil(slices.length / maxShards)
  const shards: SweepSlice[][] = []
  for (let at = 0; at < slices.length; at += slicesPerShard)
    shards.push(slices.slice(at, at + slicesPerShard))
  return shards
}

/** Runs a shard and stores its series. */
export async function runShard(deps: SubmittedDeps, openJob: OpenJob, shard: ShardTask): Promise<void> {
  const { sql, processId } = deps
  const { jobId, round, place, slices } = shard
  const job = await findRunningJob(sql, jobId, round)
  if (job === null) return
  const plan = await prepareSweep(deps, openJob, job)
  if (plan === null) return
  const series = await runSlices(deps, job.keyId, openJob.signal, { ...plan, slices })
  const configs = slices.flat()
  await storeShard(sql, jobId, round, { place, configs, series, processId }, finishTask(jobId, round))
}

/**
 * The series of all slices, concatenated. Each slice waits for its own turn in the pool, so that an arriving
 * request waits for one slice, not for the shard.
 */
async function runSlices(
  deps: SubmittedDeps,
  keyId: number,
  signal: AbortSignal,
  plan: SweepPlan,
): Promise<Uint8Array> {
  const { pool } = deps.backtests
  const ticket = pool.admit(paidKey(keyId), 'background')
  try {
    const parts: Uint8Array[] = []
    for (let slice = 0; slice < plan.slices.length; slice++) {
      const { buffer, byteOffset, byteLength } = await runSlice(pool, plan, slice, { signal, ticket })
      parts.push(new Uint8Array(buffer, byteOffset, byteLength))
    }
    return Buffer.concat(parts)
  } finally {
    pool.leave(ticket)
  }
}

/** The last task of a sweep: combines the series of all shards, whichever processes ran them. */
export async function finishSweepJob(
  deps: SubmittedDeps,
  openJob: OpenJob,
  { jobId, round }: RoundTask,
): Promise<void> {
  const { sql, backtests } = deps
  const job = await findRunningJob(sql, jobId, round)
  if (job === null) return
  const plan = await prepareSweep(deps, openJob, job)
  if (plan === null) return
  const shards = await readShards(sql, jobId, round)
  const slices = shards.map(shard => shard.configs)
  const series = shards.map(shard => shard.series)
  const { pool } = backtests
  const options = { signal: openJob.signal, ticket: pool.admit(paidKey(job.keyId), 'background') }
  const result = await finishSweep(pool, { ...plan, slices }, series, 'stored', options).finally(() =>
    pool.leave(options.ticket),
  )
  await endJob(sql, jobId, { state: 'succeeded', result: result.bytes, dataVersion: job.dataVersion })
}
