import { connect, type DatabaseOptions, type Sql } from '../client.ts'
import { readHistory } from '../dataVersion.ts'
import { withoutPassword } from '../errors.ts'
import type { ReplicaPool } from './readPool.ts'

/** A pool's options except for those that the replica determines. */
export type ReplicaPoolOptions = Omit<DatabaseOptions, 'url' | 'connectTimeoutS'>

export interface ReplicaDeps {
  readonly url: string
  /** The minimum version worth reading: while the replica is below it, it is checked often. */
  readonly floor: () => number
  /**
   * The timeline that the primary writes; null if unknown. A database that is not a replica must write the
   * same one.
   */
  readonly timeline: () => string | null
  /**
   * The primary's system identifier. A replica of another database, such as a test's, has other figures under
   * the same versions.
   */
  readonly system: () => string
  readonly report: (line: string) => void
}

/** `primary`: it was promoted. The pools of the primary lead to it. */
export type ReplicaState = 'up' | 'lost' | 'primary'

const connectTimeoutS = 2
/** A replica that does not respond for this long is lost, with every statement that waits for it. */
const checkTimeoutMs = 2_000
const pauseMs = 250
const pauseBehindMs = 25
/** Added to the time after which the database itself cancels a statement. */
const hangMs = 1_000

/**
 * One replica: whether it responds, how far it has replayed, and its pools. When it is lost its pools are
 * closed, so that whatever waits on a dead socket fails at once and is read from the primary.
 */
export class Replica {
  readonly name: string
  readonly #deps: ReplicaDeps
  readonly #watch: Sql
  readonly #attached = new Set<AttachedPool>()
  #version = -1
  #state: ReplicaState = 'lost'
  #isReported = false
  #isClosed = false
  #wake = () => {}
  #watching: Promise<void>

  constructor(deps: ReplicaDeps) {
    this.#deps = deps
    this.name = withoutPassword(deps.url)
    this.#watch = this.#connect({
      connections: 1,
      statementTimeoutMs: checkTimeoutMs,
      applicationName: 'asfiled-replica-watch',
    })
    this.#watching = this.#follow()
  }

  get state(): ReplicaState {
    return this.#state
  }

  /** The replica has replayed at least this version; -1 if it must not be read. */
  get version(): number {
    return this.#state === 'up' ? this.#version : -1
  }

  attach(options: ReplicaPoolOptions): AttachedPool {
    const pool = new AttachedPool(options, own => this.#connect(own), {
      behind: version => {
        this.#version = Math.min(this.#version, version)
        this.#wake()
      },
      hung: () => this.#lose('a statement did not end'),
      detach: () => this.#attached.delete(pool),
    })
    this.#attached.add(pool)
    return pool
  }

  get pools(): readonly AttachedPool[] {
    return [...this.#attached]
  }

  /** Checks it again soon. */
  wake(): void {
    this.#wake()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#wake()
    await Promise.all([this.#watch.end({ timeout: 0 }), ...[...this.#attached].map(pool => pool.close())])
    await this.#watching
  }

  #connect(options: ReplicaPoolOptions): Sql {
    return connect({ ...options, url: this.#deps.url, connectTimeoutS })
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      await this.#check()
      const isBehind = this.#state === 'up' && this.#version < this.#deps.floor()
      await this.#pause(isBehind ? pauseBehindMs : pauseMs)
    }
  }

  async #check(): Promise<void> {
    const late = Bun.sleep(checkTimeoutMs).then(() => null)
    const found = await Promise.race([readHistory(this.#watch).catch(() => null), late])
    if (this.#isClosed) return
    if (found === null) return this.#lose('it does not answer')
    if (found.system !== this.#deps.system()) return this.#lose('it is a copy of another database')
    const isPrimary = found.timeline !== null
    if (isPrimary && found.timeline !== this.#deps.timeline())
      return this.#lose('it is no replica, and writes another history than the primary')
    if (this.#isReported) this.#deps.report(`The replica ${this.name} answers again.`)
    this.#isReported = false
    this.#version = found.version
    this.#state = isPrimary ? 'primary' : 'up'
  }

  #lose(why: string): void {
    if (!this.#isReported)
      this.#deps.report(`The replica ${this.name} is left out: ${why}. The primary reads.`)
    this.#isReported = true
    this.#state = 'lost'
    this.#version = -1
    for (const pool of this.#attached) pool.renew()
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** The purpose of a pool. */
export type ReadPurpose = 'main' | 'lookups' | 'pinned'

interface PoolEvents {
  readonly behind: (version: number) => void
  readonly hung: () => void
  readonly detach: () => void
}

/** A pool on a replica. It is replaced when the replica is lost. */
export class AttachedPool implements ReplicaPool {
  readonly limitMs: number
  readonly behind: (version: number) => void
  readonly hung: () => void
  readonly #options: ReplicaPoolOptions
  readonly #open: (options: ReplicaPoolOptions) => Sql
  readonly #detach: () => void
  #sql: Sql

  constructor(options: ReplicaPoolOptions, open: (options: ReplicaPoolOptions) => Sql, events: PoolEvents) {
    this.limitMs = options.statementTimeoutMs + hangMs
    this.#options = options
    this.#open = open
    this.behind = events.behind
    this.hung = events.hung
    this.#detach = events.detach
    this.#sql = open(options)
  }

  get sql(): Sql {
    return this.#sql
  }

  get purpose(): ReadPurpose {
    const { pin, indexLookupsOnly } = this.#options
    if (pin !== undefined) return 'pinned'
    return indexLookupsOnly === true ? 'lookups' : 'main'
  }

  /** Fails pending statements and starts over with new connections. */
  renew(): void {
    this.#sql.end({ timeout: 0 }).catch(() => {})
    this.#sql = this.#open(this.#options)
  }

  async close(): Promise<void> {
    this.#detach()
    await this.#sql.end({ timeout: 5 })
  }
}
