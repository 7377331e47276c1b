import { Failure } from '../../errors.ts'
import type { PinRange } from './pinQueries.ts'

/** Reads one data version, and closes it. */
export interface OpenedStore<Store> {
  readonly store: Store
  close(): Promise<void>
}

/** A store in use. */
export interface Pin<Store> {
  readonly version: number
  readonly store: Store
  /** Must be called after the last row is read. Calling it again does nothing. */
  release(): void
}

interface PinDeps<Store> {
  readonly readRange: () => Promise<PinRange>
  readonly open: (version: number) => Promise<OpenedStore<Store>>
  readonly elapsedMs: () => number
}

interface Entry<Store> {
  readonly opened: Promise<OpenedStore<Store>>
  /** Null until it is open. */
  store: Store | null
  users: number
  usedMs: number
}

/** Each store has its own connections. */
const maxStores = 4
/** An idle store is closed after this long, or earlier if another version needs its slot. */
const idleMs = 60_000
const maxWaiting = 100
const maxWaitMs = 10_000
const retryAfterSeconds = 5

/**
 * The stores of the most recently used pinned data versions. Each reads the database as it was at its
 * version. Stores in use are never closed.
 */
export class PinnedPools<Store> {
  readonly #deps: PinDeps<Store>
  readonly #entries = new Map<number, Entry<Store>>()
  readonly #waiting = new Set<() => void>()
  readonly #sweeping: Timer

  constructor(deps: PinDeps<Store>) {
    this.#deps = deps
    this.#sweeping = setInterval(() => this.#closeIdle(), idleMs)
    this.#sweeping.unref()
  }

  /** The versions that have a store. */
  get versions(): readonly number[] {
    return [...this.#entries.keys()]
  }

  /** Fails, naming the allowed versions, if the version is no longer remembered. */
  async requireKnown(version: number): Promise<void> {
    requireInRange(version, await this.#deps.readRange())
  }

  /** Opens a data version, or fails and names the allowed ones. The caller has to release it. */
  async open(version: number, signal?: AbortSignal): Promise<Pin<Store>> {
    await this.requireKnown(version)
    const entry = await this.#enter(version, signal)
    let released = false
    const release = () => {
      if (released) return
      released = true
      this.#leave(entry)
    }
    try {
      const { store } = await entry.opened
      return { version, store, release }
    } catch (error) {
      if (this.#entries.get(version) === entry) this.#entries.delete(version)
      release()
      throw error
    }
  }

  /** Runs `work` on a data version. */
  async use<T>(version: number, work: (store: Store) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const pin = await this.open(version, signal)
    try {
      return await work(pin.store)
    } finally {
      pin.release()
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping)
    const entries = [...this.#entries.values()]
    this.#entries.clear()
    await Promise.all(entries.map(closeEntry))
  }

  async #enter(version: number, signal?: AbortSignal): Promise<Entry<Store>> {
    const until = this.#deps.elapsedMs() + maxWaitMs
    for (;;) {
      signal?.throwIfAborted()
      const entry = this.#entries.get(version) ?? this.#add(version)
      if (entry !== null) {
        entry.users++
        return entry
      }
      const leftMs = until - this.#deps.elapsedMs()
      if (leftMs <= 0 || this.#waiting.size >= maxWaiting) throw tooManyVersions()
      await this.#placeOrTimeout(leftMs, signal)
    }
  }

  /** Null if all stores are in use. */
  #add(version: number): Entry<Store> | null {
    if (this.#entries.size >= maxStores) {
      const idle = [...this.#entries].filter(([, entry]) => entry.users === 0)
      if (idle.length === 0) return null
      const [oldest] = idle.sort(([, a], [, b]) => a.usedMs - b.usedMs)
      this.#drop(...oldest)
    }
    const opened = this.#deps.open(version)
    const entry: Entry<Store> = { opened, store: null, users: 0, usedMs: this.#deps.elapsedMs() }
    // Waiting callers receive the failure themselves.
    opened.then(
      ({ store }) => {
        entry.store = store
      },
      () => {},
    )
    this.#entries.set(version, entry)
    return entry
  }

  /** The stores that are open now. */
  get opened(): readonly Store[] {
    return [...this.#entries.values()].flatMap(({ store }) => (store === null ? [] : [store]))
  }

  #leave(entry: Entry<Store>): void {
    entry.users--
    entry.usedMs = this.#deps.elapsedMs()
    if (entry.users > 0) return
    for (const wake of [...this.#waiting]) wake()
  }

  #closeIdle(): void {
    const now = this.#deps.elapsedMs()
    for (const [version, entry] of [...this.#entries])
      if (entry.users === 0 && now - entry.usedMs >= idleMs) this.#drop(version, entry)
  }

  #drop(version: number, entry: Entry<Store>): void {
    this.#entries.delete(version)
    closeEntry(entry).catch(() => {})
  }

  #placeOrTimeout(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      signal?.addEventListener('abort', wake, { once: true })
      this.#waiting.add(wake)
    })
  }
}

async function closeEntry<Store>({ opened }: Entry<Store>): Promise<void> {
  const store = await opened.catch(() => null)
  await store?.close()
}

function requireInRange(version: number, { oldest, newest }: PinRange): void {
  if (version >= oldest && version <= newest) return
  const why =
    version > newest
      ? `the newest is ${newest}`
      : `the oldest that is still remembered is ${oldest} (the operator bounds the history with KEEP_VERSIONS)`
  throw new Failure(
    'parameter_invalid',
    `data_version=${version} cannot be read: ${why}. Send a version from ${oldest} to ${newest}, or omit data_version for the present.`,
    { param: 'data_version' },
  )
}

function tooManyVersions(): Failure {
  return new Failure(
    'compute_busy',
    `${maxStores} other data versions are being read at the moment, which is the limit. Try again in ${retryAfterSeconds} s, or read your open responses to the end.`,
    { retryAfterSeconds },
  )
}
