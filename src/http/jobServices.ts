import type { OnceAnswer } from '../domain/jobs/answerOnce.ts'
import type { JobPage } from '../domain/jobs/pageJobs.ts'
import type { SentBody } from '../model/bodyFormat.ts'
import type { BacktestJobsQuery, Job } from '../model/job.ts'

export interface AsyncRequest {
  readonly keyId: number
  readonly requestId: string
  readonly body: SentBody
  readonly idempotencyKey: string | null
}

export interface OnceRequest {
  readonly keyId: number
  readonly idempotencyKey: string
  readonly body: SentBody
  /** What else decides the answer. */
  readonly beside: string
}

/** Backtests that are run when there is time. */
export interface JobServices {
  readonly submit: (request: AsyncRequest) => Promise<Job>
  /** Does the work of a request with an Idempotency-Key once. */
  readonly answerOnce: (
    request: OnceRequest,
    work: () => Promise<Uint8Array<ArrayBuffer>>,
  ) => Promise<OnceAnswer>
  /** The job, where it is this key's. */
  readonly read: (keyId: number, jobId: string) => Promise<Job>
  /** The text of a job's result, null where it has none. */
  readonly result: (jobId: string) => Promise<string | null>
  readonly cancel: (keyId: number, jobId: string) => Promise<Job>
  readonly page: (keyId: number, query: BacktestJobsQuery) => Promise<JobPage>
  /** Calls `told` when the job changed, and with true when the server is about to end. Returns what ends the watch. */
  readonly watch: (jobId: string, told: (closing: boolean) => void) => () => void
}
