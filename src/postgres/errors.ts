import { Failure } from '../errors.ts'

const retryAfterSeconds = 2
const queryCanceled = '57014'
/** Too many connections, administrator shutdown, crash, still starting; and class 08, connection exceptions. */
const serverUnavailable = /^(08\w{3}|53300|57P0[1-5])$/
const connectionLost =
  /^(CONNECTION_CLOSED|CONNECTION_ENDED|CONNECTION_DESTROYED|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)$/

/** Maps a driver error of a running service to the failure a client sees: the database is unavailable, or a query timed out.
 * null: any other error, which is a defect. */
export function explainDatabaseError(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === queryCanceled) {
    return new Failure(
      'statement_timeout',
      'The database took too long for this request. Request less data, or try again.',
      { retryAfterSeconds, cause: error },
    )
  }
  if (!serverUnavailable.test(code) && !connectionLost.test(code)) return null
  return new Failure(
    'database_unavailable',
    'The database is unavailable at the moment. Try again in a few seconds.',
    {
      retryAfterSeconds,
      cause: error,
    },
  )
}

/** Explains to the person who starts a server or a command why the database cannot be opened. null: any other error, which
 * is a defect.
 *
 * @param where the database, without its password */
export function explainConnectError(error: unknown, where: string): Failure | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  const message = connectErrorMessage(error.code, error.message, where)
  return message === null ? null : new Failure('database_unavailable', message, { cause: error })
}

const refusedLogin = /^28/
const unreachable =
  /^(08\w{3}|57P0[1-3]|53300|CONNECTION_\w+|CONNECT_TIMEOUT|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)$/

function connectErrorMessage(code: string, message: string, where: string): string | null {
  if (refusedLogin.test(code))
    return `${where} refuses the login: ${message}. Correct the user or the password in DATABASE_URL.`
  if (code === '3D000')
    return `${where}: ${message}. Create it with createdb, or name another database in DATABASE_URL.`
  if (code === '42501') {
    return `${where}: ${message}. The user in DATABASE_URL must own the database to set it up.`
  }
  if (!unreachable.test(code)) return null
  return `${where} does not respond (${message}). Check that PostgreSQL runs there and accepts connections from this machine. Unset DATABASE_URL to use the embedded PostgreSQL in DATA_DIR.`
}

/** A database URL that is safe to show: without user and password. */
export function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/)(?:[^/@]*@)?([^/?]*)(\/[^?]*)?.*$/, 'PostgreSQL at $2$3')
}
