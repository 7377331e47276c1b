import { type EventBlock, eventBytes, type PackedVintages } from '../../backtest/asOf/events.ts'
import { Failure } from '../../errors.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { type BlockName, readUnits, readVintages } from './queries.ts'

interface StoredBlock {
  readonly block: EventBlock
  readonly bytes: number
  /** Requests that use it now. */
  leases: number
  /** The number of the interval in which it was used last. */
  usedIn: number
}

/** Data versions whose blocks stay, the most recently used ones: those of the present, of requests that began before an import, and of
 * pins. Otherwise one import after the other fills the whole bound with blocks that are never read again. */
const maxVersions = 4

/** Events of companies in shared memory, by data version, metric, kind of period and block of companies. Each is built once, however many
 * requests wait for it. Together they never take more than the bound: the least recently used go first, and what a request uses
 * stays until it is done. */
export class EventStore {
  readonly #buildBlock: (vintages: PackedVintages) => Promise<EventBlock>
  readonly #maxBytes: number
  /** The least recently used first. */
  readonly #blocks = new Map<string, StoredBlock>()
  readonly #loads = new Map<string, Promise<EventBlock>>()
  #bytes = 0
  #interval = 0
  /** A number always names the same unit, so what was read stays true. */
  #units: ReadonlyMap<number, string> = new Map()

  /** @param buildBlock runs `buildEvents` on a thread */
  constructor(buildBlock: (vintages: PackedVintages) => Promise<EventBlock>, maxBytes: number) {
    this.#buildBlock = buildBlock
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#blocks.size
  }

  /** The names of the units of all blocks that were read. */
  get units(): ReadonlyMap<number, string> {
    return this.#units
  }

  lease(): EventLease {
    return new EventLease(this)
  }

  /** For a lease: a block that is in memory, marked as used. */
  take(key: string): StoredBlock | null {
    const stored = this.#blocks.get(key)
    if (stored === undefined) return null
    this.#blocks.delete(key)
    this.#blocks.set(key, stored)
    stored.leases++
    stored.usedIn = this.#interval
    return stored
  }

  /** For a lease: reads and builds a block that is not in memory. */
  async load(key: string, name: BlockName, sql: SqlClient): Promise<StoredBlock> {
    const underWay = this.#loads.get(key)
    // The connection of another request may fail; this one has its own.
    if (underWay !== undefined) await underWay.catch(() => null)
    const stored = this.take(key)
    if (stored !== null) return stored
    const loading = this.#build(name, sql)
    this.#loads.set(key, loading)
    try {
      return this.#put(key, await loading)
    } finally {
      this.#loads.delete(key)
    }
  }

  async readUnits(sql: SqlClient): Promise<void> {
    this.#units = await readUnits(sql)
  }

  /** To be called at regular intervals. While the blocks take more than `restBytes`, drops those that were not used
   * during the last `intervals`, the least recently used first. Returns the bytes that are free now. */
  dropUnused(intervals: number, restBytes: number): number {
    this.#interval++
    const before = this.#bytes
    for (const [key, { leases, usedIn, bytes }] of this.#blocks) {
      if (this.#bytes <= restBytes) break
      if (leases > 0 || usedIn >= this.#interval - intervals) continue
      this.#blocks.delete(key)
      this.#bytes -= bytes
    }
    return before - this.#bytes
  }

  async #build(name: BlockName, sql: SqlClient): Promise<EventBlock> {
    const rows = await readVintages(sql, name)
    return this.#buildBlock({ firstEntity: name.firstEntity, rows })
  }

  #put(key: string, block: EventBlock): StoredBlock {
    // Another request built it, too, after the one that both waited for had failed.
    const other = this.take(key)
    if (other !== null) return other
    const bytes = eventBytes(block)
    this.#evictFor(bytes)
    const stored = { block, bytes, leases: 1, usedIn: this.#interval }
    this.#blocks.set(key, stored)
    this.#bytes += bytes
    this.#forgetVersions()
    return stored
  }

  #forgetVersions(): void {
    const recent = new Set<string>()
    for (const [key, { leases, bytes }] of [...this.#blocks].reverse()) {
      const version = versionOf(key)
      if (recent.size < maxVersions) recent.add(version)
      if (leases > 0 || recent.has(version)) continue
      this.#blocks.delete(key)
      this.#bytes -= bytes
    }
  }

  #evictFor(bytes: number): void {
    if (this.#bytes + bytes <= this.#maxBytes) return
    for (const [key, { leases, bytes: freed }] of this.#blocks) {
      if (leases > 0) continue
      this.#blocks.delete(key)
      this.#bytes -= freed
      if (this.#bytes + bytes <= this.#maxBytes) return
    }
    throw new Failure(
      'compute_busy',
      'The companies and metrics of this request, with those of the requests under way, take more memory than this server gives to joins (PANEL_MEMORY_MB). Try again in a moment, or send fewer metrics or companies at a time.',
      { param: 'metrics', retryAfterSeconds: 5 },
    )
  }
}

/** The blocks of one request, which stay in memory until it is released. */
export class EventLease {
  readonly #store: EventStore
  readonly #held = new Map<string, StoredBlock>()

  constructor(store: EventStore) {
    this.#store = store
  }

  /** The blocks in the order of their names if all are in memory, else null. */
  find(dataVersion: number, names: readonly BlockName[]): EventBlock[] | null {
    const blocks: EventBlock[] = []
    for (const name of names) {
      const block = this.#take(keyOf(dataVersion, name))
      if (block === null) return null
      blocks.push(block)
    }
    return blocks
  }

  /** The same, and reads those that are not.
   *
   * @param sql a snapshot of this data version */
  async open(
    sql: SqlClient,
    dataVersion: number,
    names: readonly BlockName[],
    signal?: AbortSignal,
  ): Promise<EventBlock[]> {
    const blocks: EventBlock[] = []
    await this.#store.readUnits(sql)
    for (const name of names) {
      signal?.throwIfAborted()
      const key = keyOf(dataVersion, name)
      blocks.push(this.#take(key) ?? this.#hold(key, await this.#store.load(key, name, sql)))
    }
    return blocks
  }

  release(): void {
    for (const stored of this.#held.values()) stored.leases--
    this.#held.clear()
  }

  #take(key: string): EventBlock | null {
    const held = this.#held.get(key)
    if (held !== undefined) return held.block
    const stored = this.#store.take(key)
    return stored === null ? null : this.#hold(key, stored)
  }

  #hold(key: string, stored: StoredBlock): EventBlock {
    this.#held.set(key, stored)
    return stored.block
  }
}

const keyOf = (dataVersion: number, { metric, fp, firstEntity }: BlockName) =>
  `${dataVersion} ${metric} ${fp} ${firstEntity}`

const versionOf = (key: string) => key.slice(0, key.indexOf(' '))
