import type { Sql } from '../client.ts'
import { type ReadChoice, readPool } from './readPool.ts'
import {
  type AttachedPool,
  type ReadPurpose,
  Replica,
  type ReplicaDeps,
  type ReplicaPoolOptions,
} from './replica.ts'

interface ReplicasDeps extends Omit<ReplicaDeps, 'url'> {
  readonly urls: readonly string[]
  readonly seen: (version: number) => void
}

/** A pool that reads from replicas, and a function that closes its connections to them. */
export interface OpenReadPool {
  readonly sql: Sql
  close(): Promise<void>
}

/** The replicas of DATABASE_READ_URL. */
export class Replicas {
  readonly #deps: ReplicasDeps
  readonly #replicas: readonly Replica[]
  #turn = 0

  constructor(deps: ReplicasDeps) {
    this.#deps = deps
    this.#replicas = deps.urls.map(url => new Replica({ ...deps, url }))
  }

  /** A pool that reads the current data. */
  open(primary: Sql, options: ReplicaPoolOptions): OpenReadPool {
    const { floor, seen } = this.#deps
    return this.#open(primary, options, { floor, seen, versionTable: 'data_version' })
  }

  /**
   * A pool that reads an earlier version: every replica that has replayed it has the same rows.
   *
   * @param versionTable the table with the database's own version, which the views of pinned versions hide
   */
  openPinned(primary: Sql, options: ReplicaPoolOptions, version: number, versionTable: string): OpenReadPool {
    return this.#open(primary, options, { floor: () => version, seen: () => {}, versionTable })
  }

  /**
   * Tells operators which replicas are not being read, by their position in DATABASE_READ_URL. Anyone may
   * read this at /ready, so it names no addresses; the log does.
   */
  warnings(): string[] {
    const floor = this.#deps.floor()
    return this.#replicas.flatMap(({ state, version }, place) => {
      const name = `Replica ${place + 1} of DATABASE_READ_URL`
      if (state === 'primary') return []
      if (state === 'lost')
        return [`${name} is left out: the primary reads in its place. The log says why, and names it.`]
      if (version >= floor) return []
      return [`${name} is at data version ${version}, behind ${floor}: the primary reads in its place.`]
    })
  }

  /** The connections to all replicas by purpose, for the metrics. */
  get pools(): Readonly<Record<`replica_${ReadPurpose}`, readonly Sql[]>> {
    const pools = this.#replicas.flatMap(replica => replica.pools)
    const of = (purpose: ReadPurpose) => pools.filter(pool => pool.purpose === purpose).map(({ sql }) => sql)
    return { replica_main: of('main'), replica_lookups: of('lookups'), replica_pinned: of('pinned') }
  }

  /** Called after a new data version, to find out soon which replicas have it. */
  wake(): void {
    for (const replica of this.#replicas) replica.wake()
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(replica => replica.close()))
  }

  #open(primary: Sql, options: ReplicaPoolOptions, choice: Omit<ReadChoice, 'choose'>): OpenReadPool {
    const pools = this.#replicas.map(replica => ({ replica, pool: replica.attach(options) }))
    return {
      sql: readPool(primary, { ...choice, choose: floor => this.#choose(pools, floor) }),
      close: async () => {
        await Promise.all(pools.map(({ pool }) => pool.close()))
      },
    }
  }

  /** Round robin among those that are recent enough. */
  #choose(
    pools: readonly { readonly replica: Replica; readonly pool: AttachedPool }[],
    floor: number,
  ): AttachedPool | null {
    const recent = pools.filter(({ replica }) => replica.version >= floor)
    return recent.length === 0 ? null : recent[this.#turn++ % recent.length].pool
  }
}
