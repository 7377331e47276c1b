import type { ComputePool } from '../../compute/ComputePool.ts'
import { Failure } from '../../errors.ts'
import type { Horizon, ResolvedSignal } from '../../model/signal.ts'
import type { Dataset } from '../../quant/dataset.ts'
import { type NameTable, nameAt, nameCount } from '../../quant/nameTable.ts'
import { packSignals } from './packSignals.ts'

export interface ArchiveDeps {
  readonly pool: ComputePool
  /** Every resolved signal of a horizon, many at a time. */
  readonly loadArchive: (horizon: Horizon) => AsyncIterable<readonly ResolvedSignal[]>
  /** The version of the data now. */
  readonly dataVersion: () => number | Promise<number>
}

interface LoadedArchive {
  readonly data: Dataset
  readonly dataVersion: number
}

/** The archive in shared memory: one ranked dataset per horizon, and one per market of it that was asked for. Each is
 * made once, shared by everyone who asks meanwhile, and kept until the data version changes. */
export class ArchiveCache {
  readonly #deps: ArchiveDeps
  readonly #loading = new Map<string, Promise<Dataset>>()
  #version = -1

  constructor(deps: ArchiveDeps) {
    this.#deps = deps
  }

  /** The version is read before the rows, so a batch that lands in between makes the next request load again rather
   * than go unseen. */
  async get(horizon: Horizon, market: string | null): Promise<LoadedArchive> {
    const seen = await this.#deps.dataVersion()
    if (seen > this.#version) {
      this.#version = seen
      this.#loading.clear()
    }
    const dataVersion = this.#version
    const whole = this.#once(horizon, () => this.#load(horizon))
    const data =
      market === null ? whole : this.#once(`${horizon} ${market}`, () => this.#filter(whole, market))
    return { data: await data, dataVersion }
  }

  #once(name: string, make: () => Promise<Dataset>): Promise<Dataset> {
    const known = this.#loading.get(name)
    if (known) return known
    const made = make()
    this.#loading.set(name, made)
    made.catch(() => {
      if (this.#loading.get(name) === made) this.#loading.delete(name)
    })
    return made
  }

  async #load(horizon: Horizon): Promise<Dataset> {
    const columns = await packSignals(this.#deps.loadArchive(horizon))
    return this.#deps.pool.run('dataset_build', { columns })
  }

  async #filter(whole: Promise<Dataset>, market: string): Promise<Dataset> {
    const data = await whole
    const filtered = await this.#deps.pool.run('dataset_filter', { data, market })
    if (filtered) return filtered
    throw new Failure(
      'backtest_impossible',
      `The archive has no rows of market ${market}. It has: ${allNames(data.markets).join(', ') || 'none'}.`,
      { param: 'source.market' },
    )
  }
}

function allNames(table: NameTable): string[] {
  return Array.from({ length: nameCount(table) }, (_, i) => nameAt(table, i))
}
