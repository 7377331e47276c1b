import postgres from 'postgres'
import { Failure } from '../errors.ts'
import { followedTraceId } from '../trace.ts'

export type Sql = postgres.Sql
export type TransactionSql = postgres.TransactionSql
export type ReservedSql = postgres.ReservedSql
/** Anything that runs a query: the pool, a transaction or a reserved connection. */
export type SqlClient = postgres.ISql
/** Part of a query, to be interpolated into another one. */
export type SqlFragment = postgres.PendingQuery<postgres.Row[]>

export interface DatabaseOptions {
  url: string
  /** Size of the pool. */
  connections: number
  /** The server cancels queries that run longer. 0 means no limit (imports). */
  statementTimeoutMs: number
  applicationName?: string
  /** After this time another connection is tried instead. Default: 5. */
  connectTimeoutS?: number
  /**
   * For queries that find their rows by index. Each connection plans such a query once for all parameters,
   * without table scans or parallel workers. Planning takes longer than running, starting workers takes
   * longer still, and for a common word the planner would choose to read all names.
   */
  indexLookupsOnly?: boolean
  /**
   * Set for pools whose statements each serve many requests, because a statement could name the trace of only one.
   */
  isShared?: boolean
  /**
   * The data version that every statement reads. The search path finds the views of the schema `pinned`
   * before the tables.
   */
  pin?: { readonly version: number; readonly searchPath: string }
}

/** Strings, because the driver omits settings that are false or 0. */
const indexLookupSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
} as const

/**
 * A pool of connections. Dates stay text (`YYYY-MM-DD`): a day is not an instant, and a Date would shift it
 * by time zone.
 */
export function connect(options: DatabaseOptions): Sql {
  const { applicationName = 'asfiled', isShared = false } = options
  return postgres(options.url, {
    ...(isShared ? {} : { named: () => statementName(applicationName) }),
    max: options.connections,
    idle_timeout: 60,
    connect_timeout: options.connectTimeoutS ?? 5,
    // The driver counts each lost connection as an attempt: after a server crash its default would wait up to
    // 20 s.
    backoff: attempt => Math.min(0.05 * 2 ** attempt, 1),
    max_lifetime: 60 * 60,
    onnotice: () => {},
    connection: {
      application_name: applicationName,
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: 60_000,
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      ...(options.indexLookupsOnly ? indexLookupSettings : {}),
      ...(options.pin
        ? { search_path: options.pin.searchPath, 'asfiled.pin': String(options.pin.version) }
        : {}),
    },
    types: {
      date: { to: 1082, from: [1082], serialize: (day: string) => day, parse: (text: string) => text },
    },
  })
}

/**
 * The application name under which a statement runs, which `patches/` adds to the driver; null for the pool's
 * own. It shows the statement's trace in pg_stat_activity and, through %a in log_line_prefix, in PostgreSQL's
 * log. A comment in the text would make each statement a new one that has to be planned again.
 */
function statementName(pool: string): string | null {
  const traceId = followedTraceId()
  return traceId === null ? null : `${pool} ${traceId}`
}

/** The connections of a pool, as the driver counts them with `patches/`. */
export interface PoolUse {
  /** The number of connections that it may open. */
  readonly max: number
  readonly idle: number
  /** Connections that run a statement or a transaction, or are being opened for one. */
  readonly inUse: number
  /** Statements waiting for another one to end. */
  readonly waiting: number
}

/** Null if the driver in node_modules is not patched yet (`bun install` patches it). */
export function poolUse(sql: Sql): PoolUse | null {
  const use: unknown = Reflect.get(sql, 'use')
  return isPoolUse(use) ? use : null
}

const isPoolUse = (use: unknown): use is PoolUse =>
  typeof use === 'object' && use !== null && 'inUse' in use && 'waiting' in use

/** True if the database answers a query within `timeoutMs`. */
export async function isReachable(sql: Sql, timeoutMs: number): Promise<boolean> {
  const answer = sql`select 1`.then(
    () => true,
    () => false,
  )
  return Promise.race([answer, Bun.sleep(timeoutMs).then(() => false)])
}

const minServerVersion = 150_000

/** Throws for a database on which the migrations would fail halfway: too old, or not UTF-8. */
export async function assertSupportedServer(sql: Sql): Promise<void> {
  const [server] = await sql<{ version: number; shown: string; encoding: string }[]>`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as shown,
           current_setting('server_encoding') as encoding`
  const faults: string[] = []
  if (server.version < minServerVersion)
    faults.push(`it is PostgreSQL ${server.shown}; version 15 or newer is required`)
  if (server.encoding !== 'UTF8') {
    faults.push(
      `its encoding is ${server.encoding}; UTF8 is required (createdb --encoding=UTF8 --template=template0)`,
    )
  }
  if (faults.length === 0) return
  throw new Failure(
    'database_unavailable',
    `The database in DATABASE_URL cannot be used: ${faults.join('; ')}.`,
  )
}
