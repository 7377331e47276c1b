import type { BodyFormat, BodyQuery } from '../../../backtest/request.ts'
import { Failure } from '../../../errors.ts'
import type { Sql } from '../../../postgres/client.ts'
import { currentScope, storedTrace } from '../../../trace.ts'
import { claim, requestDigest } from './idempotency.ts'
import { releaseClaim } from './idempotencyQueries.ts'
import type { Job, JobKind } from './job.ts'
import { findJob } from './jobQueries.ts'
import { type Backlog, insertJob, readBacklog } from './submitQueries.ts'
import { firstTask } from './taskKinds.ts'

export interface SubmitDeps {
  readonly sql: Sql
  readonly processId: string
  /** A UUIDv7: the jobs of a key are listed in the order of their ids. */
  readonly newId: () => string
  readonly dataVersion: () => number
}

export interface Submission {
  readonly keyId: number
  readonly requestId: string
  readonly body: Uint8Array<ArrayBuffer>
  readonly format: BodyFormat
  readonly query: BodyQuery
  readonly idempotencyKey: string | null
}

/** A backtest, or a join that has been checked. */
type AnySubmission = Omit<Submission, 'format' | 'query'> & {
  readonly kind: JobKind
  readonly format: string
  readonly query: object
  readonly total: number | null
  /** Whether nobody pays for its time. */
  readonly isUnpaid: boolean
}

export interface SubmittedJob {
  readonly job: Job
  /** Whether it is the job of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean
}

/** Stores a backtest as a queued job. Once this returns, the job survives a crash of every process. With an Idempotency-Key
 * that was sent before, returns the job of that earlier request. */
export const submitJob = (deps: SubmitDeps, submission: Submission): Promise<SubmittedJob> =>
  submitAny(deps, { ...submission, kind: 'backtest', total: null, isUnpaid: false })

/** The same for a job of any kind. */
export async function submitAny(deps: SubmitDeps, submission: AnySubmission): Promise<SubmittedJob> {
  const { sql, processId } = deps
  const { kind, keyId, body, format, query, idempotencyKey } = submission
  if (idempotencyKey === null) return { job: await storeJob(deps, submission), replayed: false }
  const digest = await requestDigest(
    kind === 'backtest' ? ['respond-async', format, query] : ['respond-async', format, query, kind],
    body,
  )
  const request = { keyId, name: idempotencyKey, digest, processId }
  const claimed = await claim(sql, request)
  if (claimed.kind === 'job') {
    const job = await findJob(sql, claimed.jobId, kind)
    if (job) return { job, replayed: true }
  }
  try {
    return { job: await storeJob(deps, submission), replayed: false }
  } catch (error) {
    await releaseClaim(sql, request).catch(() => {})
    throw error
  }
}

async function storeJob(deps: SubmitDeps, submission: AnySubmission): Promise<Job> {
  const { sql, newId, dataVersion } = deps
  const { kind, keyId, requestId, body, format, query, total, idempotencyKey } = submission
  const id = newId()
  const scope = currentScope()
  const admit = (backlog: Backlog) => checkBacklog(backlog, body.length)
  // Before the body is compressed and sent: a key at its limit must not cost that work.
  admit(await readBacklog(sql, keyId))
  return insertJob(
    sql,
    {
      id,
      kind,
      total,
      keyId,
      requestId,
      body,
      bodyFormat: format,
      bodyQuery: query,
      dataVersion: dataVersion(),
      trace: scope === null ? null : storedTrace(scope),
      claim: idempotencyKey,
    },
    firstTask(kind, id, submission.isUnpaid),
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
