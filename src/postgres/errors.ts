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

/** What keeps a database from being opened, said to the person who starts a server or a command. `where` names it
 * without its password. null: something else, which is a defect. */
export function explainOpening(error: unknown, where: string): Failure | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  const said = sentence(error.code, error.message, where)
  return said === null ? null : new Failure('database_unavailable', said, { cause: error })
}

const refusedLogin = /^28/
const unreachable =
  /^(08\w{3}|57P0[1-3]|53300|CONNECTION_\w+|CONNECT_TIMEOUT|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)$/

function sentence(code: string, message: string, where: string): string | null {
  if (refusedLogin.test(code))
    return `${where} refuses the login: ${message}. Mend user or password in DATABASE_URL.`
  if (code === '3D000') return `${where}: ${message}. Make it with createdb, or name another in DATABASE_URL.`
  if (code === '42501') {
    return `${where}: ${message}. The user of DATABASE_URL has to own the database, or may not set it up.`
  }
  if (!unreachable.test(code)) return null
  return `${where} does not answer (${message}). Is PostgreSQL running there, and open to this machine? DATABASE_URL names it; without one a PostgreSQL of our own is kept in DATA_DIR.`
}

/** A database URL as it may be shown. */
export function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/)(?:[^/@]*@)?([^/?]*)(\/[^?]*)?.*$/, 'PostgreSQL at $2$3')
}
