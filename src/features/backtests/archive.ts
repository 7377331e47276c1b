import { type NameTable, nameAt, nameCount } from '../../backtest/dataset/dataset.ts'
import type { CachedArchive, SignalDay } from '../../backtest/pipeline/archiveDataset.ts'
import { sharedData } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { Failure } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'

export interface ArchiveDeps {
  readonly pool: ComputePool
  /**
   * Every resolved signal of a horizon, in batches of days. `onVersion` receives the data version of exactly
   * these rows.
   */
  readonly loadArchive: (
    horizon: Horizon,
    onVersion: (dataVersion: number) => void,
  ) => AsyncIterable<readonly SignalDay[]>
  /** The horizons that have resolved signals. */
  readonly listHorizons: () => Promise<readonly Horizon[]>
  /** The current version of the data. */
  readonly dataVersion: () => number | Promise<number>
}

/** A dataset and the data version of its rows, which results name, so it must be exact. */
type VersionedDataset = Pick<CachedArchive, 'id' | 'data' | 'dataVersion'>

/** Every caller may need the dataset, so building it is charged to `sharedData`. */
const background = { caller: sharedData, priority: 'background' } as const

/** Every request sends the recent archives to its worker thread, which costs some microseconds each. */
const maxRecent = 4

/**
 * The archive in shared memory: one ranked dataset per horizon, and one per market that a request names.
 * Concurrent requests share one load. A new data version discards all datasets.
 */
export class ArchiveCache {
  readonly #deps: ArchiveDeps
  readonly #datasets = new Map<string, Promise<VersionedDataset>>()
  #recent: CachedArchive[] = []
  #version = -1

  constructor(deps: ArchiveDeps) {
    this.#deps = deps
  }

  /** The most recently used datasets of the current data version, newest first. */
  async recent(): Promise<readonly CachedArchive[]> {
    await this.#followDataVersion()
    return this.#recent
  }

  /** The horizons for which it has rows. */
  horizons(): Promise<readonly Horizon[]> {
    return this.#deps.listHorizons()
  }

  async get(horizon: Horizon, market: string | null): Promise<CachedArchive> {
    await this.#followDataVersion()
    const version = this.#version
    const whole = this.#loadOnce(horizon, () => this.#load(horizon))
    const wanted =
      market === null ? whole : this.#loadOnce(`${horizon} ${market}`, () => this.#filter(whole, market))
    const archive = { horizon, market, ...(await wanted) }
    if (version === this.#version) {
      const others = this.#recent.filter(other => other.horizon !== horizon || other.market !== market)
      this.#recent = [archive, ...others].slice(0, maxRecent)
    }
    return archive
  }

  /**
   * The version is read before the rows: if a batch commits in between, the next request loads again. Reading
   * it after the rows would hide that batch. The rows carry their own version.
   */
  async #followDataVersion(): Promise<void> {
    const current = await this.#deps.dataVersion()
    if (current <= this.#version) return
    this.#version = current
    this.#datasets.clear()
    this.#recent = []
  }

  #loadOnce(name: string, load: () => Promise<VersionedDataset>): Promise<VersionedDataset> {
    const existing = this.#datasets.get(name)
    if (existing) return existing
    const loading = load()
    this.#datasets.set(name, loading)
    loading.catch(() => {
      if (this.#datasets.get(name) === loading) this.#datasets.delete(name)
    })
    return loading
  }

  async #load(horizon: Horizon): Promise<VersionedDataset> {
    const days: SignalDay[] = []
    let dataVersion = this.#version
    const onVersion = (version: number) => {
      dataVersion = version
    }
    for await (const some of this.#deps.loadArchive(horizon, onVersion)) days.push(...some)
    // Checked before looking for a market: an empty archive has no markets, and the error would blame the
    // market.
    if (days.length === 0) throw horizonMissing(horizon, await this.#deps.listHorizons())
    const data = await this.#deps.pool.tasks.buildArchive({ days }, background)
    return { id: crypto.randomUUID(), data, dataVersion }
  }

  async #filter(whole: Promise<VersionedDataset>, market: string): Promise<VersionedDataset> {
    const { data, dataVersion } = await whole
    const filtered = await this.#deps.pool.tasks.filterDataset({ data, market }, background)
    if (filtered) return { id: crypto.randomUUID(), data: filtered, dataVersion }
    throw new Failure(
      'backtest_impossible',
      `The archive has no rows of market ${market}. Its markets: ${allNames(data.markets).join(', ') || 'none'}.`,
      { param: 'source.market' },
    )
  }
}

function horizonMissing(horizon: Horizon, known: readonly Horizon[]): Failure {
  if (known.length === 0) {
    return new Failure(
      'backtest_impossible',
      'The archive has no resolved forecasts yet. Send your own rows as panel, or import forecasts with `./asfiled signals import`.',
      { param: 'source' },
    )
  }
  return new Failure(
    'backtest_impossible',
    `The archive has no rows with a horizon of ${horizon}. Send source.horizon as ${known.join(' or ')}.`,
    { param: 'source.horizon' },
  )
}

function allNames(table: NameTable): string[] {
  return Array.from({ length: nameCount(table) }, (_, i) => nameAt(table, i))
}
