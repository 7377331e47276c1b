import { Failure } from '../../errors.ts'
import type { Sql, SqlClient } from '../client.ts'
import { setReadRoute } from '../readRoute.ts'
import { runInSnapshot } from '../snapshot.ts'

/** A pool of a replica that may be read from now. */
export interface ReplicaPool {
  readonly sql: Sql
  /** No statement takes longer: the server cancels it before. One that does hangs with its connection. */
  readonly limitMs: number
  /** The replica is at this version, which is not enough. */
  behind(version: number): void
  /** A statement did not end: no connection of the replica is trusted. */
  hung(): void
}

export interface ReadChoice {
  /** Rows of an older version are not read: this server has shown this one, or knows that the primary has it. */
  readonly floor: () => number
  /** A replica that was at least at this version when it was last looked at; null: the primary reads. */
  readonly choose: (floor: number) => ReplicaPool | null
  /** The database has this version: the floor rises to it. */
  readonly seen: (version: number) => void
  /** The table with the version of a database, which is no view of the pinned version. */
  readonly versionTable: string
}

/** A pool whose statements are read from replicas, and from the primary where none may be read from or where one fails. Only awaited
 * statements and `withSnapshot` are: transactions, reserved connections, cursors and `unsafe` are the primary's.
 *
 * The version of the database is read before and after each statement on its connection. The one before must not be below the floor:
 * a replica replays its primary's log, and after a restart it may show an older state than it did. The one after raises the floor, so
 * that no later statement, on whichever database, reads older rows than this one. */
export function readPool(primary: Sql, choice: ReadChoice): Sql {
  const pool = new Proxy(primary, {
    apply(target, self, sent: unknown[]) {
      const query: object = Reflect.apply(target, self, sent)
      return isTemplate(sent[0]) ? lazily(query, () => readRows(primary, choice, sent)) : query
    },
  })
  setReadRoute(pool, {
    ...{ primary, seen: choice.seen },
    snapshot: work => readSnapshot(primary, choice, work),
  })
  return pool
}

const isTemplate = (value: unknown): boolean => Array.isArray(value) && 'raw' in value

const settling = new Set<unknown>(['then', 'catch', 'finally'])

/** A query that `run` answers as soon as it is awaited. Until then it may become part of another query, as the driver's own may. */
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
  /** The version of the database before the rows were read, and after. */
  readonly before: number
  readonly after: number
  readonly rows: unknown
}

/** Three statements on one connection, sent at once. */
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
    // What the rows themselves say, like an unknown company, the primary would say, too.
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

/** A replica that was promoted without all of its primary's log. The servers move its version on (`dataVersion.ts`). */
function requireRecent(version: number, floor: number): void {
  if (version >= floor) return
  throw new Failure(
    'database_unavailable',
    'The database was replaced by one with older data, and this service is taking that in. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** How far the statements of a snapshot are. It may have many, and take as long as they do together. */
class Progress {
  /** Statements that are not answered. Opening and closing the snapshot is one. */
  waiting = 1
  /** When one was last sent or answered. */
  sinceMs = performance.now()

  note(change: number): void {
    this.waiting += change
    this.sinceMs = performance.now()
  }
}

/** The same connection, which records its progress. */
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

/** Fails where the replica neither answers nor refuses a statement in time. */
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
