import { type Dataset, type NameTable, nameAt, nameCount } from '../../backtest/dataset/dataset.ts'
import type { CachedArchive, SignalDay } from '../../backtest/pipeline/archiveDataset.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { Failure } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'

export interface ArchiveDeps {
  readonly pool: ComputePool
  /** Every resolved signal of a horizon, some days at a time. */
  readonly loadArchive: (horizon: Horizon) => AsyncIterable<readonly SignalDay[]>
  /** The horizons of which there are resolved signals. */
  readonly listHorizons: () => Promise<readonly Horizon[]>
  /** The current version of the data. */
  readonly dataVersion: () => number | Promise<number>
}

/** Every request sends the recent archives to its worker thread, and each costs some microseconds to send. */
const maxRecent = 4

/** The archive in shared memory: one ranked dataset per horizon, and one per market of it that a request names. Concurrent
 * requests share one load. A new data version discards all datasets. */
export class ArchiveCache {
  readonly #deps: ArchiveDeps
  readonly #datasets = new Map<string, Promise<Dataset>>()
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

  async get(horizon: Horizon, market: string | null): Promise<CachedArchive> {
    await this.#followDataVersion()
    const dataVersion = this.#version
    const whole = this.#loadOnce(horizon, () => this.#load(horizon))
    const data =
      market === null ? whole : this.#loadOnce(`${horizon} ${market}`, () => this.#filter(whole, market))
    const archive = { horizon, market, data: await data, dataVersion }
    if (dataVersion === this.#version) {
      const others = this.#recent.filter(other => other.horizon !== horizon || other.market !== market)
      this.#recent = [archive, ...others].slice(0, maxRecent)
    }
    return archive
  }

  /** The version is read before the rows: a batch that commits in between makes the next request load again. Read after
   * them, it would hide that batch. */
  async #followDataVersion(): Promise<void> {
    const current = await this.#deps.dataVersion()
    if (current <= this.#version) return
    this.#version = current
    this.#datasets.clear()
    this.#recent = []
  }

  #loadOnce(name: string, load: () => Promise<Dataset>): Promise<Dataset> {
    const existing = this.#datasets.get(name)
    if (existing) return existing
    const loading = load()
    this.#datasets.set(name, loading)
    loading.catch(() => {
      if (this.#datasets.get(name) === loading) this.#datasets.delete(name)
    })
    return loading
  }

  async #load(horizon: Horizon): Promise<Dataset> {
    const days: SignalDay[] = []
    for await (const some of this.#deps.loadArchive(horizon)) days.push(...some)
    // Before a market is looked for in it: an empty archive has none, and the market would get the blame.
    if (days.length === 0) throw horizonMissing(horizon, await this.#deps.listHorizons())
    return this.#deps.pool.run('archive_build', { days }, { priority: 'background' })
  }

  async #filter(whole: Promise<Dataset>, market: string): Promise<Dataset> {
    const data = await whole
    const filtered = await this.#deps.pool.run('dataset_filter', { data, market }, { priority: 'background' })
    if (filtered) return filtered
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
