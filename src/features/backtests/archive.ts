import { type NameTable, nameAt, nameCount } from '../../backtest/dataset/dataset.ts'
import type { CachedArchive, SignalDay } from '../../backtest/pipeline/archiveDataset.ts'
import { sharedData } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { Failure } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'

export interface ArchiveDeps {
  readonly pool: ComputePool
  /** Every resolved signal of a horizon, some days at a time. `onVersion` receives the data version of these very rows. */
  readonly loadArchive: (
    horizon: Horizon,
    onVersion: (dataVersion: number) => void,
  ) => AsyncIterable<readonly SignalDay[]>
  /** The horizons of which there are resolved signals. */
  readonly listHorizons: () => Promise<readonly Horizon[]>
  /** The current version of the data. */
  readonly dataVersion: () => number | Promise<number>
}

/** A dataset, and the data version of its rows: results name it, so it must be exact. */
type VersionedDataset = Pick<CachedArchive, 'data' | 'dataVersion'>

/** Everyone's requests wait for a dataset. */
const background = { caller: sharedData, priority: 'background' } as const

/** Every request sends the recent archives to its worker thread, and each costs some microseconds to send. */
const maxRecent = 4

/** The archive in shared memory: one ranked dataset per horizon, and one per market of it that a request names. Concurrent
 * requests share one load. A new data version discards all datasets. */
export class ArchiveCache {
  readonly #deps: ArchiveDeps
  readonly #datasets = new Map<string, Promise<VersionedDataset>>()
  #recent: CachedArchive[] = []
  #version = -1

  constructor(deps: ArchiveDeps) {
    this.#deps = deps
  }

  /** The loaded datasets of the current data version that were used last, newest first. */
  async recent(): Promise<readonly CachedArchive[]> {
    await this.#followDataVersion()
    return this.#recent
  }

  /** The horizons that it has rows of. */
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

  /** The version is read before the rows: a batch that commits in between makes the next request load again. Read after
   * them, it would hide that batch. The rows name their own. */
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
    // Before a market is looked for in it: an empty archive has none, and the market would get the blame.
    if (days.length === 0) throw horizonMissing(horizon, await this.#deps.listHorizons())
    const data = await this.#deps.pool.run('archive_build', { days }, background)
    return { data, dataVersion }
  }

  async #filter(whole: Promise<VersionedDataset>, market: string): Promise<VersionedDataset> {
    const { data, dataVersion } = await whole
    const filtered = await this.#deps.pool.run('dataset_filter', { data, market }, background)
    if (filtered) return { data: filtered, dataVersion }
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
