import type { Static, TSchema } from '@sinclair/typebox'
import { Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import { currentScope, storedTrace } from '../trace.ts'
import { claim, requestDigest } from './idempotency.ts'
import { releaseClaim } from './idempotencyQueries.ts'
import type { Job } from './job.ts'
import { findJob } from './jobQueries.ts'
import type { JobInput, JobKind } from './kind.ts'
import { type Backlog, insertJob, readBacklog } from './submitQueries.ts'
import { startTask } from './tasks.ts'

export interface SubmitDeps {
  readonly sql: Sql
  readonly processId: string
  /** A UUIDv7: the jobs of a key are listed in the order of their ids. */
  readonly newId: () => string
  readonly dataVersion: () => number
}

export interface Submission<Input extends JobInput = JobInput> {
  readonly keyId: number
  readonly requestId: string
  readonly body: Uint8Array<ArrayBuffer>
  readonly input: Input
  /** What it has to do; null: not known before the body has been read. */
  readonly total: number | null
  /** Whether the key has no licence that is paid for. */
  readonly isUnpaid: boolean
  readonly idempotencyKey: string | null
}

export interface SubmittedJob {
  readonly job: Job
  /** Whether it is the job of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean
}

/** Stores a request as a queued job. Once this returns, the job survives a crash of every process. With an Idempotency-Key
 * that was sent before, returns the job of that earlier request. */
export async function submitJob<Input extends TSchema & { static: JobInput }>(
  deps: SubmitDeps,
  kind: JobKind<Input>,
  submission: Submission<Static<Input>>,
): Promise<SubmittedJob> {
  const { sql, processId } = deps
  const { keyId, body, input, idempotencyKey } = submission
  if (idempotencyKey === null) return { job: await storeJob(deps, kind, submission), replayed: false }
  const parameters = ['respond-async', input.format, input.query, ...kind.digestParts]
  const digest = await requestDigest(parameters, body)
  const request = { keyId, name: idempotencyKey, digest, processId }
  const claimed = await claim(sql, request)
  if (claimed.kind === 'job') {
    const job = await findJob(sql, claimed.jobId, kind)
    if (job) return { job, replayed: true }
  }
  try {
    return { job: await storeJob(deps, kind, submission), replayed: false }
  } catch (error) {
    await releaseClaim(sql, request).catch(() => {})
    throw error
  }
}

async function storeJob(deps: SubmitDeps, kind: JobKind, submission: Submission): Promise<Job> {
  const { sql, newId, dataVersion } = deps
  const { keyId, requestId, body, input, total, isUnpaid, idempotencyKey } = submission
  const id = newId()
  const scope = currentScope()
  const admit = (backlog: Backlog) => checkBacklog(backlog, body.length)
  // Before the body is compressed and sent: a key at its limit must not cost that work.
  admit(await readBacklog(sql, keyId))
  const first = startTask(kind, id, 0)
  return insertJob(
    sql,
    {
      id,
      kind: kind.name,
      total,
      keyId,
      requestId,
      body,
      bodyFormat: input.format,
      bodyQuery: input.query,
      dataVersion: dataVersion(),
      trace: scope === null ? null : storedTrace(scope),
      claim: idempotencyKey,
    },
    isUnpaid ? { ...first, turn: 'unpaid' } : first,
    admit,
  )
}

/** Limits of the unfinished jobs of one key. */
const maxUnfinishedJobs = 16
const maxUnfinishedBytes = 1_024 * 1_024 * 1_024

function checkBacklog({ jobs, bytes }: Backlog, newBytes: number): void {
  if (jobs >= maxUnfinishedJobs) {
    throw new Failure(
      'compute_busy',
      `${jobs} backtests and joins of this key are queued or running; the limit is ${maxUnfinishedJobs}. Wait for one to end, or DELETE one.`,
      { retryAfterSeconds: 10 },
    )
  }
  if (bytes + newBytes > maxUnfinishedBytes) {
    throw new Failure(
      'compute_busy',
      `The queued and running backtests and joins of this key have ${Math.round(bytes / 1e6)} MB of bodies. With this one they would exceed the limit of ${Math.round(maxUnfinishedBytes / 1e6)} MB. Wait for one to end, or DELETE one.`,
      { retryAfterSeconds: 10 },
    )
  }
}
