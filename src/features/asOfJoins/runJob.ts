import { Failure } from '../../errors.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import { endJob } from '../../jobs/endJobQueries.ts'
import type { Job } from '../../jobs/job.ts'
import { startRound } from '../../jobs/jobQueries.ts'
import { inputOf } from '../../jobs/kind.ts'
import type { OpenJob } from '../../jobs/openJobs.ts'
import { readBody } from '../../jobs/submitQueries.ts'
import { type JobTask, jobTask, RoundPayload, type RoundTask } from '../../jobs/tasks.ts'
import { readPrincipal } from '../../rights/queries.ts'
import type { RightsOf } from '../../rights/rights.ts'
import { joinHeaders, joinTag } from './answer.ts'
import { joinKind } from './jobKind.ts'
import { type JoinDeps, runJoin } from './join.ts'
import { storeResult } from './resultQueries.ts'

export interface JoinJobDeps extends JoinDeps {
  readonly rightsOf: RightsOf
}

/** The task that runs submitted joins. */
export const joinTasks = (deps: JoinJobDeps): readonly JobTask[] => [
  jobTask(joinKind.firstTask, RoundPayload, (openJob, task) => startJoin(deps, openJob, task)),
]

async function startJoin(deps: JoinJobDeps, openJob: OpenJob, { jobId, round }: RoundTask): Promise<void> {
  const job = await startRound(deps.sql, jobId, round)
  if (job !== null) await runJoinJob(deps, job, openJob)
}

/**
 * Runs a submitted join and stores its result, which has the same bytes as the response to a synchronous request. An
 * interrupted run stores nothing.
 */
export async function runJoinJob(
  deps: JoinJobDeps,
  job: Job,
  { signal }: Pick<OpenJob, 'signal'>,
): Promise<void> {
  const { sql, markets } = deps
  const input = inputOf(joinKind, job)
  const { format, settings: query } = input.query
  // The licence is read when the job runs, because it may have changed since the request.
  const rights = deps.rightsOf(await readPrincipal(sql, job.keyId))
  // The rows were counted when the join was submitted.
  const sender = { rights, caller: computeCaller(rights, ''), budget: null }
  const { joined, tag } = await whenThereIsRoom(signal, async () => {
    const body = await readBody(sql, job.id, job.bodyBytes)
    if (body === null) throw new Failure('internal', 'The body of the join has been deleted.')
    const sent = { body, format: input.format, query }
    // Computed before the join, because the bytes move to the thread.
    const tag = joinTag(rights, sent, format)
    return { tag, joined: await runJoin(deps, sender, sent, format, signal, 'background') }
  })
  try {
    const result = { headers: joinHeaders(markets, joined, format, tag), bytes: joined.bytes, signal }
    await endJob(sql, job.id, {
      state: 'succeeded',
      dataVersion: joined.dataVersion,
      result: transaction => storeResult(transaction, job.id, result),
    })
  } finally {
    joined.release()
  }
}

const maxWaits = 30
const waitMs = 2_000

/**
 * If memory is full, requests are refused and clients can retry. A job waits for memory instead, for up to a
 * minute.
 */
export async function whenThereIsRoom<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let waits = 0; ; waits++) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (waits >= maxWaits || !(error instanceof Failure) || error.code !== 'compute_busy') throw error
      await Bun.sleep(waitMs)
    }
  }
}
