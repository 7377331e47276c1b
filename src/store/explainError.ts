import { Failure } from '../errors.ts'

const retryAfterSeconds = 2
const cancelled = '57014'
/** Too many connections, administrator shutdown, crash, still starting; and class 08, connection exceptions. */
const away = /^(08\w{3}|53300|57P0[1-5])$/
const driverAway =
  /^(CONNECTION_CLOSED|CONNECTION_ENDED|CONNECTION_DESTROYED|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)$/

/** The foreseen failure behind what the driver threw: the database is away, or a statement ran past its time.
 * null: something else, which is a defect. */
export function explainDatabaseError(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === cancelled) {
    return new Failure(
      'statement_timeout',
      'The database took too long over this request. Ask for less, or try again.',
      {
        retryAfterSeconds,
        cause: error,
      },
    )
  }
  if (!away.test(code) && !driverAway.test(code)) return null
  return new Failure('database_unavailable', 'The database is away for a moment. Try again shortly.', {
    retryAfterSeconds,
    cause: error,
  })
}
