import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Failure } from '../errors.ts'
import type { Sql } from './client.ts'
import { databaseFolder } from './embedded/folder.ts'
import { hasNoRoom } from './embedded/room.ts'
import { explainDatabaseError, isConnectionLost, isDiskFull, serviceDiskFull } from './errors.ts'

/** Receives errors that may report a damaged page (`integrity/damageWatch.ts`). */
interface ErrorReceiver {
  note(error: unknown): void
}

/** A probe writes this many rows of 40 bytes: about a megabyte, which does not fit into the free space of
 * existing pages. */
const probeRows = 25_000

/**
 * Knows whether the database's disk is full. A database on a full disk still answers queries, so a successful
 * query proves nothing.
 */
export class StorageWatch {
  readonly #sql: Sql
  readonly #folder: string | null
  readonly #damage: ErrorReceiver | null
  #wasFull = false

  /**
   * @param folder the database's folder; null if it is on another machine, so that only failed writes reveal a full
   * disk
   */
  constructor(sql: Sql, folder: string | null, damage: ErrorReceiver | null = null) {
    this.#sql = sql
    this.#folder = folder
    this.#damage = damage
  }

  /**
   * Does the same as `explainDatabaseError`, and remembers that the disk is full until a write succeeds. If
   * PostgreSQL has no room for its WAL it stops, which its clients see as a lost connection.
   */
  readonly explain = (error: unknown) => {
    this.note(error)
    return isConnectionLost(error) && this.#hasNoRoom() ? serviceDiskFull(error) : explainDatabaseError(error)
  }

  note(error: unknown): void {
    if (isDiskFull(error)) this.#wasFull = true
    this.#damage?.note(error)
  }

  async isFull(): Promise<boolean> {
    if (this.#hasNoRoom()) return true
    if (this.#wasFull) this.#wasFull = !(await this.#canWrite())
    return this.#wasFull
  }

  /** Resolves when there is room, or when `signal` aborts. */
  async untilRoom(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.isFull())) await Bun.sleep(1_000)
  }

  #hasNoRoom(): boolean {
    return this.#folder !== null && hasNoRoom(this.#folder)
  }

  /** Writes about a megabyte and removes it. */
  async #canWrite(): Promise<boolean> {
    try {
      await this.#sql.begin(async transaction => {
        await transaction`create temporary table storage_probe on commit drop as
          select md5(n::text) from generate_series(1, ${probeRows}::int) n`
      })
      return true
    } catch {
      return false
    }
  }
}

/**
 * For a command that uses the embedded database. Returns a function that recognises a connection that was lost
 * because PostgreSQL had no room for its WAL, and returns null for other causes. PostgreSQL frees space when it stops,
 * which may hide that the disk was full, so the function also reads what PostgreSQL has logged since this call.
 */
export function watchRoom(dataDir: string): (error: unknown) => Failure | null {
  const log = resolve(databaseFolder(dataDir), 'cluster/server.log')
  const before = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  return error => {
    if (!isConnectionLost(error)) return null
    if (!hasNoRoom(dataDir) && !saysNoRoom(log, before)) return null
    return new Failure(
      'database_unavailable',
      `The disk of ${dataDir} is full, so PostgreSQL stopped. Make room on it. What was committed before is stored; then run the same command again.`,
      { cause: error },
    )
  }
}

function saysNoRoom(log: string, from: number): boolean {
  try {
    return readFileSync(log).subarray(from).includes('No space left on device')
  } catch {
    return false
  }
}
