import type { Config } from '../config.ts'
import type { Sql } from '../postgres/client.ts'

/** What a command is given. The database is opened when a command first needs it: the one DATABASE_URL names,
 * or the embedded one, which a running server shares. */
export interface CliContext {
  readonly config: Config
  readonly today: () => string
  /** Opens, migrates and, after `work`, closes the database. Statements have no time bound here. */
  withDatabase<T>(work: (sql: Sql) => Promise<T>): Promise<T>
}
