import { type Dataset, type NameTable, nameAt, nameCount } from '../../backtest/dataset/dataset.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import type { HeldArchive, SignalDay } from '../../backtest/pool/tasks.ts'
import { Failure } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'

export interface ArchiveDeps {
  readonly pool: ComputePool
  /** Every resolved signal of a horizon, some days at a time. */
  readonly loadArchive: (horizon: Horizon) => AsyncIterable<readonly SignalDay[]>
  /** The version of the data now. */
  readonly dataVersion: () => number | Promise<number>
}

/** Sent along with every request: few, for each costs some microseconds. */
const mostAtHand = 4

/** The archive in shared memory: one ranked dataset per horizon, and one per market of it that was asked for. Each is
 * made once, shared by everyone who asks meanwhile, and kept until the data version changes. */
export class ArchiveCache {
  readonly #deps: ArchiveDeps
  readonly #loading = new Map<string, Promise<Dataset>>()
  #atHand: HeldArchive[] = []
  #version = -1

  constructor(deps: ArchiveDeps) {
    this.#deps = deps
  }

  /** Those that were asked for last, as far as they are loaded and of the data version now. */
  async atHand(): Promise<readonly HeldArchive[]> {
    await this.#keepUp()
    return this.#atHand
  }

  async get(horizon: Horizon, market: string | null): Promise<HeldArchive> {
    await this.#keepUp()
    const dataVersion = this.#version
    const whole = this.#once(horizon, () => this.#load(horizon))
    const data =
      market === null ? whole : this.#once(`${horizon} ${market}`, () => this.#filter(whole, market))
    const held = { horizon, market, data: await data, dataVersion }
    if (dataVersion === this.#version) {
      const others = this.#atHand.filter(other => other.horizon !== horizon || other.market !== market)
      this.#atHand = [held, ...others].slice(0, mostAtHand)
    }
    return held
  }

  /** The version is read before the rows, so a batch that lands in between makes the next request load again rather
   * than go unseen. */
  async #keepUp(): Promise<void> {
    const seen = await this.#deps.dataVersion()
    if (seen <= this.#version) return
    this.#version = seen
    this.#loading.clear()
    this.#atHand = []
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
    const days: SignalDay[] = []
    for await (const some of this.#deps.loadArchive(horizon)) days.push(...some)
    return this.#deps.pool.run('archive_build', { days })
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
