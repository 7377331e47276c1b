import { Failure } from '../errors.ts'

const retryAfterSeconds = 2
const queryCanceled = '57014'
/** Administrator shutdown, crash, still starting; and class 08, connection exceptions. */
const serverUnavailable = /^(08\w{3}|57P0[1-5])$/
const connectionLost =
  /^(CONNECTION_CLOSED|CONNECTION_ENDED|CONNECTION_DESTROYED|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)$/

const fullRetrySeconds = 30

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/**
 * Whether the cause is a full disk: PostgreSQL reports 53100; the system reports ENOSPC, or EDQUOT if the
 * account's quota is exhausted.
 */
export function isDiskFull(error: unknown): boolean {
  if (/^(53100|ENOSPC|EDQUOT)$/.test(codeOf(error))) return true
  return error instanceof Error && error.cause !== undefined && isDiskFull(error.cause)
}

/** Whether the connection to the database was lost, or it cannot be reached. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  return serverUnavailable.test(code) || connectionLost.test(code)
}

/** data_corrupted and index_corrupted. */
const corrupted = /^XX00[12]$/
/** The system could not read or write a file. */
const ioError = '58030'
const undefinedFile = '58P01'
const dataFile = /\b(?:base|global|pg_tblspc|pg_xact|pg_multixact)\//

/**
 * Whether a part of the database is damaged: a page with a wrong checksum, a broken index, or a file that is
 * missing or unreadable.
 */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  return corrupted.test(code) || code === ioError || (code === undefinedFile && dataFile.test(error.message))
}

const damagedRetrySeconds = 300

const serviceDamaged = (cause: unknown) =>
  unavailable(
    'A part of the database of this service is damaged, so the request was not carried out. Requests for other data may work. Try again when its operator has repaired it.',
    cause,
    damagedRetrySeconds,
  )

export const serviceDiskFull = (cause: unknown) =>
  unavailable(
    'The disk of this service is full, so the request was not carried out. Try again when its operator has made room.',
    cause,
    fullRetrySeconds,
  )

/** A sentence that names the resource that the database has run out of; null for other errors. */
function scarcity(code: string): string | null {
  switch (code) {
    case '53200':
      return 'The database does not have enough memory for this at the moment.'
    case '53300':
      return 'All connections of the database are in use at the moment.'
    default:
      return code.startsWith('53')
        ? 'The database has reached a limit of its configuration or its machine.'
        : null
  }
}

/**
 * Maps a driver error of a running service to the failure that clients see: the database is unavailable, or a
 * query timed out. Null for any other error, which is a defect.
 */
export function explainDatabaseError(error: unknown): Failure | null {
  const code = codeOf(error)
  if (code === queryCanceled) {
    return new Failure(
      'statement_timeout',
      'The database took too long for this request. Request less data, or try again.',
      { retryAfterSeconds, cause: error },
    )
  }
  if (isDiskFull(error)) return serviceDiskFull(error)
  if (isDamage(error)) return serviceDamaged(error)
  const scarce = scarcity(code)
  if (scarce !== null) return unavailable(`${scarce} Try again in a few seconds.`, error)
  if (!isConnectionLost(error)) return null
  return unavailable('The database is unavailable at the moment. Try again in a few seconds.', error)
}

const unavailable = (message: string, cause: unknown, seconds: number = retryAfterSeconds) =>
  new Failure('database_unavailable', message, { retryAfterSeconds: seconds, cause })

/** Like `explainDatabaseError`, for the person who runs a command or starts a server. */
export function explainToOperator(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null
  const code = codeOf(error)
  const afterwards = 'What was committed before is stored; then run the same command again.'
  const explain = (message: string) => new Failure('database_unavailable', message, { cause: error })
  if (isDiskFull(error)) return explain(`The disk is full (${error.message}). Make room on it. ${afterwards}`)
  if (isDamage(error))
    return explain(
      `A part of the database is damaged (${error.message}). ./asfiled verify finds all that is; see "A damaged database" in docs/operations.md.`,
    )
  const scarce = scarcity(code)
  if (scarce !== null)
    return explain(`${scarce} PostgreSQL says: ${error.message} (${code}). End that. ${afterwards}`)
  if (!isConnectionLost(error)) return null
  return explain(`The connection to the database was lost (${code}). ${afterwards}`)
}

/**
 * Tells the person who starts a server or a command why the database cannot be opened. Null for any other
 * error, which is a defect.
 *
 * @param where the database, without its password
 */
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

/** A database URL that is safe to show, without user and password. */
export function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/)(?:[^/@]*@)?([^/?]*)(\/[^?]*)?.*$/, 'PostgreSQL at $2$3')
}
