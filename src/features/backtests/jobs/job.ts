import type { BodyFormat, BodyQuery } from '../../../backtest/request.ts'
import type { ErrorCode } from '../../../errors.ts'

export const jobStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const
type JobState = (typeof jobStates)[number]

/** Backtests and as-of joins share the queue, the limits of a key and the expiry. Each kind has addresses of its own. */
export type JobKind = 'backtest' | 'as_of'

/** A backtest that was submitted with `Prefer: respond-async`, as the table `backtest_job` has it.
 *
 * `submit.ts` stores it with its body and its first task. `queue.ts` hands tasks to the processes that run them, and
 * `performTask.ts` runs one. The first task runs a single configuration to its result. For a sweep it plans the shards of
 * `shards.ts`, which any process may run; the last task makes the result of all of them. `maintain.ts` cleans up.
 * A submitted as-of join is a row of another kind (`features/joinJobs`). */
export interface Job {
  readonly id: string
  readonly kind: JobKind
  readonly keyId: number
  readonly state: JobState
  /** The id of the request that submitted it. */
  readonly requestId: string
  readonly bodyFormat: BodyFormat
  readonly bodyQuery: BodyQuery
  readonly bodyBytes: number
  readonly submittedDataVersion: number
  /** The data version of the rows that it runs on; null: not known yet, or the rows are a panel. */
  readonly dataVersion: number | null
  /** Identifies the rows that its sweep was planned for. */
  readonly fingerprint: string | null
  /** How many times its sweep was restarted because the rows changed. */
  readonly round: number
  /** Trials that are finished. */
  readonly done: number
  /** null: not known before the body has been read. */
  readonly total: number | null
  readonly errorCode: ErrorCode | null
  readonly errorMessage: string | null
  readonly errorParam: string | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
}

/** How long a finished job stays on record with its result. */
export const jobRetentionDays = 7
