import { Failure } from '../../errors.ts'
import type { Sql, SqlClient } from '../client.ts'
import { setReadRoute } from '../readRoute.ts'
import { runInSnapshot } from '../snapshot.ts'

/** The pool of a replica that can currently serve reads. */
export interface ReplicaPool {
  readonly sql: Sql
  /**
   * The server cancels statements at an earlier limit, so one that takes longer than this hangs together with
   * its connection.
   */
  readonly limitMs: number
  /** Reports that the replica is only at this version, which is not enough. */
  behind(version: number): void
  /** Reports that a statement did not end: no connection of the replica is trusted any more. */
  hung(): void
}

export interface ReadChoice {
  /** The minimum version to read: this server has shown it, or knows that the primary has it. */
  readonly floor: () => number
  /** A replica that was at least at this version when last checked; null to read the primary. */
  readonly choose: (floor: number) => ReplicaPool | null
  /** Reports that the database has this version, which raises the floor. */
  readonly seen: (version: number) => void
  /** The table with a database's own version, not the view of the pinned version. */
  readonly versionTable: string
}

/**
 * A pool that runs statements on replicas, and on the primary if no replica may be read or the replica fails.
 * This covers only awaited statements and `withSnapshot`: transactions, reserved connections, cursors and
 * `unsafe` go to the primary.
 *
 * The database's version is read before and after each statement on its connection. The first must not be
 * below the floor: a replica replays its primary's log, and after a restart it may show an older state than
 * before. The second raises the floor, so that no later statement, on whichever database, reads older rows
 * than this one.
 */
export function readPool(primary: Sql, choice: ReadChoice): Sql {
  const pool = new Proxy(primary, {
    apply(target, self, sent: unknown[]) {
      const query: object = Reflect.apply(target, self, sent)
      return isTemplate(sent[0]) ? lazily(query, () => readRows(primary, choice, sent)) : query
    },
  })
  setReadRoute(pool, {
    primary,
    seen: choice.seen,
    snapshot: work => readSnapshot(primary, choice, work),
  })
  return pool
}

const isTemplate = (value: unknown): boolean => Array.isArray(value) && 'raw' in value

const settling = new Set<unknown>(['then', 'catch', 'finally'])

/**
 * A query that `run` executes as soon as it is awaited. Until then it may become part of another query, like
 * the driver's own queries.
 */
function lazily(query: object, run: () => Promise<unknown>): object {
  let running: Promise<unknown> | null = null
  return new Proxy(query, {
    get(target, name) {
      if (settling.has(name))
        return (...args: unknown[]) => {
          running ??= run()
          return Reflect.apply(Reflect.get(running, name), running, args)
        }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

async function readRows(primary: Sql, choice: ReadChoice, sent: readonly unknown[]): Promise<unknown> {
  const floor = choice.floor()
  const replica = choice.choose(floor)
  if (replica !== null) {
    const read = await inTime(bracketed(replica.sql, choice, sent), replica).catch(() => null)
    if (read !== null && read.before < floor) replica.behind(read.before)
    else if (read !== null) {
      choice.seen(read.after)
      return read.rows
    }
  }
  const { before, after, rows } = await bracketed(primary, choice, sent)
  requireRecent(before, floor)
  choice.seen(after)
  return rows
}

interface Bracketed {
  /** The database's version before and after the rows were read. */
  readonly before: number
  readonly after: number
  readonly rows: unknown
}

/** Sends three statements at once on one connection. */
async function bracketed(sql: Sql, choice: ReadChoice, sent: readonly unknown[]): Promise<Bracketed> {
  const connection = await sql.reserve()
  try {
    const [before, rows, after] = await Promise.allSettled([
      readVersion(connection, choice),
      Promise.resolve<unknown>(Reflect.apply(connection, undefined, sent)),
      readVersion(connection, choice),
    ])
    if (rows.status === 'rejected') throw rows.reason
    if (before.status === 'rejected') throw before.reason
    if (after.status === 'rejected') throw after.reason
    return { before: before.value, after: after.value, rows: rows.value }
  } finally {
    connection.release()
  }
}

async function readSnapshot<T>(
  primary: Sql,
  choice: ReadChoice,
  work: (connection: SqlClient) => Promise<T>,
): Promise<T> {
  const floor = choice.floor()
  const replica = choice.choose(floor)
  if (replica !== null) {
    const progress = new Progress()
    const reading = runInSnapshot(replica.sql, async connection => {
      const version = await readVersion(connection, choice)
      if (version < floor) replica.behind(version)
      if (version < floor) return null
      progress.note(-1)
      const value = await work(followed(connection, progress)).finally(() => progress.note(1))
      return { version, value }
    })
    // Failures that follow from the rows, like an unknown company, would also occur on the primary.
    const read = await inTime(reading, replica, progress).catch(error => {
      if (error instanceof Failure) throw error
      return null
    })
    if (read !== null) {
      choice.seen(read.version)
      return read.value
    }
  }
  return runInSnapshot(primary, async connection => {
    const version = await readVersion(connection, choice)
    requireRecent(version, floor)
    choice.seen(version)
    return work(connection)
  })
}

async function readVersion(connection: SqlClient, { versionTable }: ReadChoice): Promise<number> {
  const [row] = await connection<{ version: string }[]>`select version from ${connection(versionTable)}`
  return Number(row.version)
}

/**
 * Fails for a replica that was promoted without all of its primary's log. The servers move its version on
 * (`dataVersion.ts`).
 */
function requireRecent(version: number, floor: number): void {
  if (version >= floor) return
  throw new Failure(
    'database_unavailable',
    'The database was replaced by one with older data, and this service is still adapting to it. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** Tracks the statements of a snapshot. It may have many, and run for as long as they do together. */
class Progress {
  /** Statements without a response. Opening and closing the snapshot counts as one. */
  waiting = 1
  /** When the last statement was sent or finished. */
  sinceMs = performance.now()

  note(change: number): void {
    this.waiting += change
    this.sinceMs = performance.now()
  }
}

/** The same connection, recording its progress. */
function followed<Connection extends SqlClient>(connection: Connection, progress: Progress): Connection {
  return new Proxy(connection, {
    apply(target, self, sent: unknown[]) {
      const query: object = Reflect.apply(target, self, sent)
      if (!isTemplate(sent[0])) return query
      return lazily(query, () => {
        progress.note(1)
        return Promise.resolve(query).finally(() => progress.note(-1))
      })
    },
  })
}

/** Fails if the replica does not respond to a statement in time. */
async function inTime<T>(
  work: Promise<T>,
  { limitMs, hung }: ReplicaPool,
  progress = new Progress(),
): Promise<T> {
  const late = Promise.withResolvers<never>()
  let timer: Timer
  const look = () => {
    const leftMs = progress.waiting === 0 ? limitMs : progress.sinceMs + limitMs - performance.now()
    if (leftMs > 1) {
      timer = setTimeout(look, leftMs)
      return
    }
    hung()
    late.reject(new Error('The replica does not answer.'))
  }
  timer = setTimeout(look, limitMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
