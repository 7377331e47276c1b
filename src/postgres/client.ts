import postgres from 'postgres'
import { Failure } from '../errors.ts'

export type Sql = postgres.Sql
export type TransactionSql = postgres.TransactionSql
export type ReservedSql = postgres.ReservedSql
/** Whatever takes a statement: the pool, a transaction, a connection of one's own. */
export type Statements = postgres.ISql
/** A piece of a statement, as the statement takes it. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

export interface DatabaseOptions {
  url: string
  /** Connections in the pool. */
  connections: number
  /** A statement that runs longer is cancelled by the server. 0: no bound (imports). */
  statementTimeoutMs: number
  applicationName?: string
  /** For statements that find their rows by index: each connection plans one once, whatever is asked for, and never as a scan
   * of a table or with workers. To plan it takes longer than to run it, workers take longer to start, and for a common word the
   * planner would read all names. */
  byIndex?: boolean
}

/** As texts: the driver leaves out what is false or 0. */
const byIndex = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
} as const

/** A pool of connections. Dates stay text (`YYYY-MM-DD`): a day is not an instant, and a Date would shift it. */
export function connect(options: DatabaseOptions): Sql {
  return postgres(options.url, {
    max: options.connections,
    idle_timeout: 60,
    connect_timeout: 5,
    // After a death the driver would wait up to 20 s: each lost connection counts as an attempt.
    backoff: attempt => Math.min(0.05 * 2 ** attempt, 1),
    max_lifetime: 60 * 60,
    onnotice: () => {},
    connection: {
      application_name: options.applicationName ?? 'asfiled',
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: 60_000,
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      ...(options.byIndex ? byIndex : {}),
    },
    types: {
      date: { to: 1082, from: [1082], serialize: (day: string) => day, parse: (text: string) => text },
    },
  })
}

/** Whether the database answers within `timeoutMs`. */
export async function answersPing(sql: Sql, timeoutMs: number): Promise<boolean> {
  const answer = sql`select 1`.then(
    () => true,
    () => false,
  )
  return Promise.race([answer, Bun.sleep(timeoutMs).then(() => false)])
}

const oldestVersion = 150_000

/** Refuses a database that the migrations would stumble over half-way. */
export async function checkServer(sql: Sql): Promise<void> {
  const [server] = await sql<{ version: number; shown: string; encoding: string; trigrams: boolean }[]>`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as shown,
           current_setting('server_encoding') as encoding,
           exists (select 1 from pg_available_extensions where name = 'pg_trgm') as trigrams`
  const faults: string[] = []
  if (server.version < oldestVersion) faults.push(`it is PostgreSQL ${server.shown}; 15 or newer is needed`)
  if (server.encoding !== 'UTF8') {
    faults.push(
      `its encoding is ${server.encoding}; UTF8 is needed (createdb --encoding=UTF8 --template=template0)`,
    )
  }
  if (!server.trigrams) faults.push('its extension pg_trgm is missing (it is in the contrib package)')
  if (faults.length === 0) return
  throw new Failure('database_unavailable', `The database of DATABASE_URL will not do: ${faults.join('; ')}.`)
}
