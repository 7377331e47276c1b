import type { ErrorCode } from '../errors.ts'

export const jobStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const
type JobState = (typeof jobStates)[number]

/** A request that was submitted with `Prefer: respond-async`, as a row of the table `job`.
 *
 * A feature declares its kind of job (`kind.ts`) and the tasks that run it (`tasks.ts`). `submit.ts` stores
 * a job with its body and its first task. `queue.ts` hands tasks to the processes that run them, and
 * `performTask.ts` runs one task, which may add others. `maintain.ts` cleans up after dead processes and
 * expired jobs. */
export interface Job {
  readonly id: string
  /** The name of its kind. */
  readonly kind: string
  readonly keyId: number
  readonly state: JobState
  /** The id of the request that submitted it. */
  readonly requestId: string
  readonly bodyFormat: string
  /** What the request contained besides the body. `inputOf` validates it. */
  readonly bodyQuery: unknown
  readonly bodyBytes: number
  readonly submittedDataVersion: number
  /** The data version of the rows that it runs on; null: not known yet, or it depends on none. */
  readonly dataVersion: number | null
  /** Identifies the rows that its tasks were planned for. */
  readonly fingerprint: string | null
  /** How many times it was restarted because the rows changed. */
  readonly round: number
  /** How much of `total` is finished. */
  readonly done: number
  /** null: not known before the body has been read. */
  readonly total: number | null
  readonly errorCode: ErrorCode | null
  readonly errorMessage: string | null
  readonly errorParam: string | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  /** Until when the last of its public addresses is open; null: it has none. Until then it is kept. */
  readonly sharedUntil: Date | null
}

/** How long a finished job is kept with its result, unless it is shared for longer. */
export const jobRetentionDays = 7
