import { Failure } from '../errors.ts'

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
