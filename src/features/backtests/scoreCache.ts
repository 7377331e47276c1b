import { LRUCache } from 'lru-cache'
import { type Dataset, nameCount } from '../../backtest/dataset/dataset.ts'
import { sharedData } from '../../backtest/pool/caller.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import type { VintageChoice } from '../../backtest/requestCompare.ts'
import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import { Semaphore } from '../../semaphore.ts'
import type { FigureRequest, OpenedFigures } from '../asOfJoins/scoreFigures.ts'
import type { ArchiveCache } from './archive.ts'

interface ScoreCacheDeps {
  readonly pool: ComputePool
  readonly archive: Pick<ArchiveCache, 'get'>
  /** The values as of the data version of the archive that they rank. */
  readonly openFigures: (request: FigureRequest, dataVersion: number) => Promise<OpenedFigures>
  /**
   * The company of each asset of a market at a data version; -1 if there is none.
   *
   * @param names as in a `FigureRequest`
   */
  readonly findListed: (names: string, market: string, dataVersion: number) => Promise<readonly number[]>
}

type ScoreRequest = Pick<FigureRequest, 'market' | 'metric' | 'unit' | 'checks'> & {
  readonly horizon: Horizon
  readonly maxAgeDays: number
  /** Which vintages count; `as_known` by default. */
  readonly vintages?: VintageChoice
  /** The set of prices of a valuation, which the caller may see; null: the metric is none. */
  readonly set?: PriceSet | null
}

/** The archive of a market, ranked by a metric. */
interface ScoredDataset {
  readonly data: Dataset
  readonly dataVersion: number
  /** The number of the market's assets. */
  readonly names: number
  /** The number of assets that have a value. A company listed twice counts twice. */
  readonly assets: number
}

/**
 * Bounds the memory. Each dataset takes 12 bytes per row, because it shares all other columns with the
 * archive.
 */
export const maxScoredDatasets = 8
/** Each load uses a database connection while it reads the values. */
const maxLoads = 2
/** Every caller may need the dataset, so building it is charged to `sharedData`. */
const background = { caller: sharedData, priority: 'background' } as const

/**
 * The archive ranked by metrics, in shared memory: one dataset per data version, horizon, market, metric,
 * age and choice of vintages. Concurrent requests share one load. The cache evicts the least recently used dataset; backtests that
 * use it still finish on it.
 */
export class ScoreCache {
  readonly #deps: ScoreCacheDeps
  readonly #loads = new Semaphore({ slots: maxLoads })
  readonly #datasets = new LRUCache<string, ScoredDataset, () => Promise<ScoredDataset>>({
    max: maxScoredDatasets,
    fetchMethod: (_key, _stale, { context: load }) => load(),
    // A dataset that is evicted while it loads still serves the requests that wait for it, but is not cached.
    ignoreFetchAbort: true,
  })
  #version = -1

  constructor(deps: ScoreCacheDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#datasets.size
  }

  async get(request: ScoreRequest): Promise<ScoredDataset> {
    const { horizon, market, metric, maxAgeDays, checks, vintages = 'as_known', set = null } = request
    const { data, dataVersion } = await this.#deps.archive.get(horizon, market)
    if (dataVersion > this.#version) {
      this.#version = dataVersion
      this.#datasets.clear()
    }
    const key = `${dataVersion} ${horizon} ${market} ${metric} ${maxAgeDays} ${checks?.join() ?? 'all'} ${vintages}${set === null ? '' : ` ${set.priceSetId}`}`
    const context = () => this.#loads.run(() => this.#load(request, data, dataVersion))
    return this.#datasets.forceFetch(key, { context })
  }

  /** The companies of the archive's assets in a market, whether or not they have figures. */
  async listed(
    horizon: Horizon,
    market: string,
  ): Promise<{ readonly dataVersion: number; readonly entityIds: readonly number[] }> {
    const { archive, pool, findListed } = this.#deps
    const { data, dataVersion } = await archive.get(horizon, market)
    const names = await pool.tasks.listAssetNames({ data }, background)
    const found = new Set(await findListed(names, market, dataVersion))
    found.delete(-1)
    return { dataVersion, entityIds: [...found] }
  }

  async #load(request: ScoreRequest, archive: Dataset, dataVersion: number): Promise<ScoredDataset> {
    const { pool, openFigures } = this.#deps
    const { market, metric, unit, maxAgeDays, checks, vintages = 'as_known', set = null } = request
    const names = await pool.tasks.listAssetNames({ data: archive }, background)
    const { days } = archive
    const priced = set === null ? null : { set, days: { first: days[0], last: days[days.length - 1] } }
    const { release, ...figures } = await openFigures(
      { names, market, metric, unit, checks, vintages, fp: 'FY', priced },
      dataVersion,
    )
    try {
      const input = { data: archive, ...figures, maxAgeDays, ranked: true }
      const { data, assets } = await pool.tasks.scoreDataset(input, background)
      // A comparison with nothing is possible: the result is that of the vintages as known.
      if (assets === 0 && vintages === 'as_known') throw noValues(request, archive)
      return { data, dataVersion, names: nameCount(archive.assets), assets }
    } finally {
      release()
    }
  }
}

function noValues(
  { market, metric, unit, maxAgeDays, set = null }: ScoreRequest,
  { days }: Dataset,
): Failure {
  if (set !== null)
    return new Failure(
      'backtest_impossible',
      `No company of the archive's market ${market} has a ${metric} on any of its dates: the prices of ${set.name} and the figures of a company must both have been known before a date, in ${set.currency}. GET /api/v1/prices lists the days of the set.`,
      { param: 'source.score' },
    )
  const firstDate = isoDate(days[0])
  const lastDate = isoDate(days[days.length - 1])
  return new Failure(
    'backtest_impossible',
    `No company of the archive's market ${market} has figures of ${metric} in ${unit} that can be ranked: a full fiscal year that was filed before ${lastDate}, the archive's last date, and is at most ${maxAgeDays} days old on ${firstDate}, its first date. GET /api/v1/coverage/{id} lists the metrics of a company.`,
    { param: 'source.score' },
  )
}
