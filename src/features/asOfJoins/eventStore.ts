import { type EventBlock, eventBytes } from '../../backtest/asOf/figureEvents.ts'
import type { PackedVintages } from '../../backtest/asOf/packedVintages.ts'
import type { PackedFilings } from '../../backtest/audit/vintages.ts'
import { Failure } from '../../errors.ts'
import type { Markets } from '../../markets/markets.ts'
import { findStatedStrategy } from '../../markets/strategies/pricedStrategies.ts'
import type { Strategy } from '../../markets/strategies/strategies.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { buildAnnouncements } from './announcements.ts'
import { buildMoments, buildTimedDays } from './moments.ts'
import {
  type BlockName,
  readAnnouncements,
  readFiledVintages,
  readInterims,
  readMoments,
  readTimedDays,
  readUnits,
  readVintages,
} from './queries.ts'

interface StoredBlock {
  readonly block: EventBlock
  readonly bytes: number
  /** Requests that are using the block now. */
  leases: number
  /** The number of the interval in which the block was last used. */
  usedIn: number
}

/** Turns packed rows into blocks, on threads. */
export interface BuildBlocks {
  /** Runs `buildEvents`. */
  readonly events: (vintages: PackedVintages) => Promise<EventBlock>
  /** Runs `buildVintages`. */
  readonly vintages: (vintages: PackedFilings) => Promise<EventBlock>
}

/**
 * Only the blocks of the most recently used data versions stay in memory: enough for current requests, requests
 * that began before an import, and pins. Without this bound, every import would leave blocks behind that nobody
 * reads again.
 */
const maxVersions = 4

/**
 * Events of companies in shared memory, keyed by data version, metric, kind of period and block of companies.
 * Each block is built once, however many requests wait for it. The total size never exceeds the bound: the least
 * recently used blocks are evicted first, and blocks in use stay until their requests end.
 */
export class EventStore {
  readonly #build: BuildBlocks
  readonly #maxBytes: number
  readonly #markets: Pick<Markets, 'get'>
  /** In order of use, least recently used first. */
  readonly #blocks = new Map<string, StoredBlock>()
  readonly #loads = new Map<string, Promise<EventBlock>>()
  #bytes = 0
  #interval = 0
  /** A number always denotes the same unit, so this cache never becomes stale. */
  #units: ReadonlyMap<number, string> = new Map()

  constructor(build: BuildBlocks, maxBytes: number, markets: Pick<Markets, 'get'>) {
    this.#build = build
    this.#maxBytes = maxBytes
    this.#markets = markets
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#blocks.size
  }

  /** The unit names of all blocks read so far. */
  get units(): ReadonlyMap<number, string> {
    return this.#units
  }

  lease(): EventLease {
    return new EventLease(this)
  }

  /** Returns a block if it is in memory, and marks it as used. Only leases call this. */
  take(key: string): StoredBlock | null {
    const stored = this.#blocks.get(key)
    if (stored === undefined) return null
    this.#blocks.delete(key)
    this.#blocks.set(key, stored)
    stored.leases++
    stored.usedIn = this.#interval
    return stored
  }

  /** Returns a block, building it from the database if it is not in memory. Only leases call this. */
  async load(key: string, name: BlockName, sql: SqlClient): Promise<StoredBlock> {
    const underWay = this.#loads.get(key)
    // Ignores a failure of the other request, because this one has its own connection and can retry.
    if (underWay !== undefined) await underWay.catch(() => null)
    const stored = this.take(key)
    if (stored !== null) return stored
    const loading = this.#read(name, sql)
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

  /**
   * Call this at regular intervals. While the blocks exceed `restBytes`, drops those that were not used
   * during the last `intervals`, least recently used first. Returns the number of bytes freed.
   */
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

  async #read(name: BlockName, sql: SqlClient): Promise<EventBlock> {
    const { firstEntity, kind } = name
    const strategy = findStatedStrategy(name.metric)
    if (strategy !== undefined) return this.#readStrategy(strategy, name, sql)
    if (kind === 'moments') return buildMoments(firstEntity, await readMoments(sql, firstEntity))
    if (kind === 'timedDays') return buildTimedDays(firstEntity, await readTimedDays(sql, firstEntity))
    if (kind === 'announcements')
      return buildAnnouncements(this.#markets, firstEntity, await readAnnouncements(sql, firstEntity))
    if (kind === undefined || kind === 'first_filed' || kind === 'final')
      return this.#build.events({
        firstEntity,
        rows: await readVintages(sql, name),
        choice: kind ?? 'as_known',
      })
    if (kind === 'vintages')
      return this.#build.vintages({ firstEntity, ...(await readFiledVintages(sql, name)) })
    const { states, rows, accessions } = await readInterims(sql, name)
    const ofStates = { firstEntity: 0, companies: states, rows }
    const block =
      kind === 'interimVintages'
        ? await this.#build.vintages({ ...ofStates, accessions })
        : await this.#build.events(ofStates)
    return { ...block, firstEntity }
  }

  /** The scores of a strategy follow from the vintages of its inputs, by the rule that also serves these. */
  async #readStrategy(strategy: Strategy, name: BlockName, sql: SqlClient): Promise<EventBlock> {
    const { firstEntity, checks, kind } = name
    const isInterim = kind === 'interims'
    if (kind !== undefined && kind !== 'first_filed' && kind !== 'final' && !isInterim)
      throw new Error(`A strategy has no block of the kind ${kind}.`)
    const packed: Uint8Array[] = []
    let companies: number | undefined
    for (const metric of strategy.inputs) {
      const input: BlockName = { metric, fp: strategy.period, firstEntity, checks, kind }
      if (isInterim) {
        const { states, rows } = await readInterims(sql, input)
        companies = states
        packed.push(rows)
      } else packed.push(await readVintages(sql, input))
    }
    let pureUnit = -1
    for (const [number, unit] of this.#units) if (unit === 'pure') pureUnit = number
    const block = await this.#build.events({
      firstEntity: isInterim ? 0 : firstEntity,
      ...(companies === undefined ? {} : { companies }),
      rows: concatenate(packed),
      choice: kind === 'first_filed' || kind === 'final' ? kind : 'as_known',
      strategy: { name: strategy.name, inputBytes: packed.map(({ length }) => length), pureUnit },
    })
    return { ...block, firstEntity }
  }

  #put(key: string, block: EventBlock): StoredBlock {
    // If the load that several requests waited for failed, another of them may have built the block by now.
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
      'The companies and metrics of this request need more memory than other requests leave free for joins (PANEL_MEMORY_MB). Try again in a moment, or send fewer metrics or companies at a time.',
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

  /** The blocks in the order of their names, or null if any is not in memory. */
  find(dataVersion: number, names: readonly BlockName[]): EventBlock[] | null {
    const blocks: EventBlock[] = []
    for (const name of names) {
      const block = this.#take(keyOf(dataVersion, name))
      if (block === null) return null
      blocks.push(block)
    }
    return blocks
  }

  /**
   * Like `find`, but reads the missing ones.
   *
   * @param sql a snapshot of this data version
   */
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

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const keyOf = (dataVersion: number, { metric, fp, checks, coverOnly, firstEntity, kind }: BlockName) =>
  `${dataVersion} ${metric}${coverOnly ? ' cover' : ''} ${fp} ${firstEntity} ${kind ?? 'figures'} ${checks?.join() ?? 'all'}`

const versionOf = (key: string) => key.slice(0, key.indexOf(' '))
