import { type ErrorCode, Failure } from '../../errors.ts'

/** An expected failure as data: an Error would lose its code between threads. */
export interface TaskFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | null
  /** For the log, never for a client. */
  readonly trace: string | null
}

/** @param what the subject of the message about a defect */
export function describeFailure(error: unknown, what = 'The backtest'): TaskFailure {
  if (error instanceof Failure) {
    return { code: error.code, message: error.message, param: error.details.param ?? null, trace: null }
  }
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: 'compute_failed', message: `${what} could not be completed.`, param: null, trace }
}

/** Recreates the failure on the receiving thread. */
export function restoreFailure({ code, message, param, trace }: TaskFailure): Failure {
  return new Failure(code, message, { ...(param ? { param } : {}), ...(trace ? { cause: trace } : {}) })
}
