import { statfs } from 'node:fs/promises'
import type { Sql } from './client.ts'
import { explainDatabaseError, isDiskFull } from './errors.ts'

/** A segment of PostgreSQL's log. Where there is no room for the next one it stops. */
const minFreeBytes = 16 * 2 ** 20
/** Rows of 40 bytes: about a megabyte, more than what is free in pages that exist. */
const probeRows = 25_000

/** Knows whether the disk of the database is full. A full disk still answers queries, so an answer says nothing about it. */
export class StorageWatch {
  readonly #sql: Sql
  readonly #folder: string | null
  #wasFull = false

  /** @param folder where the database is on this machine; null: it is elsewhere, and only failed writes show that it is full */
  constructor(sql: Sql, folder: string | null) {
    this.#sql = sql
    this.#folder = folder
  }

  /** As `explainDatabaseError`, and remembers a full disk until a write succeeds. */
  readonly explain = (error: unknown) => {
    this.note(error)
    return explainDatabaseError(error)
  }

  note(error: unknown): void {
    if (isDiskFull(error)) this.#wasFull = true
  }

  async isFull(): Promise<boolean> {
    if (this.#folder !== null && (await freeBytes(this.#folder)) < minFreeBytes) return true
    if (this.#wasFull) this.#wasFull = !(await this.#canWrite())
    return this.#wasFull
  }

  /** Resolves when there is room, or when `signal` aborts. */
  async untilRoom(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.isFull())) await Bun.sleep(1_000)
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

/** Infinity where the system does not say. */
async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
