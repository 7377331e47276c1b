import { endJob } from '../../../jobs/endJobQueries.ts'
import { startRound } from '../../../jobs/jobQueries.ts'
import type { OpenJob } from '../../../jobs/openJobs.ts'
import { type JobTask, jobTask, RoundPayload, type RoundTask } from '../../../jobs/tasks.ts'
import { backtestTaskKinds, ShardPayload } from './kind.ts'
import { prepareJob, type SubmittedDeps } from './prepare.ts'
import { finishSweepJob, planShards, runShard } from './shards.ts'

/** The tasks that run submitted backtests. */
export const backtestTasks = (deps: SubmittedDeps): readonly JobTask[] => [
  jobTask(backtestTaskKinds.start, RoundPayload, (job, task) => startBacktest(deps, job, task)),
  jobTask(backtestTaskKinds.shard, ShardPayload, (job, task) => runShard(deps, job, task)),
  jobTask(backtestTaskKinds.finish, RoundPayload, (job, task) => finishSweepJob(deps, job, task)),
]

/** The first task of a job: runs a single configuration to its result, or plans the shards of a sweep. */
async function startBacktest(
  deps: SubmittedDeps,
  openJob: OpenJob,
  { jobId, round }: RoundTask,
): Promise<void> {
  const { sql } = deps
  const job = await startRound(sql, jobId, round)
  if (job === null) return
  const prepared = await prepareJob(deps, openJob, job)
  if (prepared.kind === 'sweep') return planShards(sql, jobId, round, prepared.plan)
  const { bytes: result, dataVersion } = prepared.result
  await endJob(sql, jobId, { state: 'succeeded', result, dataVersion })
}
