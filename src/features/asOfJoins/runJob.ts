import type { Principal } from '../../access/licences.ts'
import { readLicence } from '../../access/queries.ts'
import { Failure } from '../../errors.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import type { Job } from '../../jobs/job.ts'
import { endJob, startRound } from '../../jobs/jobQueries.ts'
import { inputOf } from '../../jobs/kind.ts'
import type { OpenJob } from '../../jobs/openJobs.ts'
import { readBody } from '../../jobs/submitQueries.ts'
import { type JobTask, jobTask, RoundPayload, type RoundTask } from '../../jobs/tasks.ts'
import type { Sql } from '../../postgres/client.ts'
import { joinHeaders, joinTag } from './answer.ts'
import { joinKind } from './jobKind.ts'
import { type JoinDeps, runJoin } from './join.ts'
import { storeResult } from './resultQueries.ts'

/** The task that runs submitted joins. */
export const joinTasks = (deps: JoinDeps): readonly JobTask[] => [
  jobTask(joinKind.firstTask, RoundPayload, (openJob, task) => startJoin(deps, openJob, task)),
]

async function startJoin(deps: JoinDeps, openJob: OpenJob, { jobId, round }: RoundTask): Promise<void> {
  const job = await startRound(deps.sql, jobId, round)
  if (job !== null) await runJoinJob(deps, job, openJob)
}

/** Runs a submitted join to its result, as a synchronous request would: the bytes are the same. One that ran halfway has stored nothing. */
export async function runJoinJob(
  deps: JoinDeps,
  job: Job,
  { signal }: Pick<OpenJob, 'signal'>,
): Promise<void> {
  const { sql, markets } = deps
  const input = inputOf(joinKind, job)
  const { format, settings: query } = input.query
  const principal = await principalOf(sql, job.keyId)
  // Its rows were counted when it was submitted.
  const sender = { principal, caller: computeCaller(principal, ''), budget: null }
  const { joined, tag } = await whenThereIsRoom(signal, async () => {
    const body = await readBody(sql, job.id, job.bodyBytes)
    if (body === null) throw new Failure('internal', 'The body of the join has been deleted.')
    const sent = { body, format: input.format, query }
    // Hashed before the join: the bytes move to the thread and are gone here.
    const tag = joinTag(principal, sent, format)
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

/** The licence is read at this point, not with the request: a job runs long after it, and its key may have another one by then. */
async function principalOf(sql: Sql, keyId: number): Promise<Principal> {
  const none = { licence: 'free', quant: false, entityCap: null } as const
  const { licence, quant, entityCap } = (await readLicence(sql, keyId)) ?? none
  return { keyId, licence, quant, entityCap, bulk: false }
}

const maxWaits = 30
const waitMs = 2_000

/** Full memory turns away requests, whose clients can send them again. A job waits for its turn, for a minute. */
async function whenThereIsRoom<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
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
