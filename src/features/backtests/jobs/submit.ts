import type { BodyFormat, BodyQuery } from '../../../backtest/request.ts'
import { Failure } from '../../../errors.ts'
import type { Sql } from '../../../postgres/client.ts'
import { giveUpClaim } from './claimQueries.ts'
import { claim, requestDigest } from './idempotency.ts'
import { type Backlog, findJob, insertJob, readBacklog } from './rowQueries.ts'
import { type Job, mostUnfinishedJobs } from './schema.ts'
import { startTask } from './taskNames.ts'

export interface SubmitDeps {
  readonly sql: Sql
  readonly processId: string
  /** A UUIDv7. */
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

/** Bodies that wait, in all those of a key. */
const mostWaitingBytes = 1_024 * 1_024 * 1_024

/** Stores a backtest to be run when there is time, for good when this returns. With an Idempotency-Key that came before,
 * the job that it led to then. */
export async function submitJob(deps: SubmitDeps, submission: Submission): Promise<Job> {
  const { sql, processId } = deps
  const { keyId, body, format, query, idempotencyKey } = submission
  if (idempotencyKey === null) return store(deps, submission)
  const digest = await requestDigest(['respond-async', format, query], body)
  const wanted = { keyId, name: idempotencyKey, digest, processId }
  const claimed = await claim(sql, wanted)
  if (claimed.kind === 'job') {
    const job = await findJob(sql, claimed.jobId)
    if (job) return job
  }
  try {
    return await store(deps, submission)
  } catch (error) {
    await giveUpClaim(sql, wanted).catch(() => {})
    throw error
  }
}

async function store(deps: SubmitDeps, submission: Submission): Promise<Job> {
  const { sql, newId, dataVersion } = deps
  const { keyId, requestId, body, format, query, idempotencyKey } = submission
  const id = newId()
  const admit = (backlog: Backlog) => admitOne(backlog, body.length)
  admit(await readBacklog(sql, keyId))
  return insertJob(
    sql,
    {
      id,
      keyId,
      requestId,
      body,
      bodyFormat: format,
      bodyQuery: query,
      dataVersion: dataVersion(),
      claim: idempotencyKey,
    },
    startTask(id, 0),
    admit,
  )
}

function admitOne({ jobs, bytes }: Backlog, more: number): void {
  if (jobs >= mostUnfinishedJobs) {
    throw new Failure(
      'compute_busy',
      `${jobs} backtests of this key wait or run; at most ${mostUnfinishedJobs} may. Wait for one to end, or DELETE one.`,
      { retryAfterSeconds: 10 },
    )
  }
  if (bytes + more > mostWaitingBytes) {
    throw new Failure(
      'compute_busy',
      `The backtests of this key that wait or run hold ${Math.round(bytes / 1e6)} MB of bodies; with this one it would be more than ${Math.round(mostWaitingBytes / 1e6)} MB. Wait for one to end, or DELETE one.`,
      { retryAfterSeconds: 10 },
    )
  }
}
