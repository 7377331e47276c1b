import { type Dataset, nameCount } from '../../backtest/dataset/dataset.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'
import { Semaphore } from '../../postgres/readLimiter.ts'
import type { ArchiveCache } from './archive.ts'
import type { FoundSpans, SpanRequest } from './scoreQueries.ts'

interface ScoreCacheDeps {
  readonly pool: ComputePool
  readonly archive: Pick<ArchiveCache, 'get'>
  readonly readSpans: (request: SpanRequest) => Promise<FoundSpans>
}

type ScoreRequest = Pick<SpanRequest, 'market' | 'metric' | 'unit' | 'maxAgeDays'> & {
  readonly horizon: Horizon
}

/** The archive of a market, ranked by a metric. */
interface ScoredDataset {
  readonly data: Dataset
  readonly dataVersion: number
  /** The companies that have a value of the metric. */
  readonly entityIds: readonly number[]
  /** Assets of the market. */
  readonly names: number
  /** Those of them that have a value; more than companies where one is listed twice. */
  readonly assets: number
}

/** Each takes 12 bytes a row; it shares all other columns with the archive. */
export const maxScoredDatasets = 8
/** Each load uses a database connection while it reads the values. */
const maxLoads = 2

/** The archive ranked by metrics, in shared memory: one dataset per data version, horizon, market, metric and age. Concurrent
 * requests share one load. The cache drops the least recently used dataset; backtests that use it still finish on it. */
export class ScoreCache {
  readonly #deps: ScoreCacheDeps
  readonly #loads = new Semaphore(maxLoads)
  /** Least recently used first. */
  readonly #datasets = new Map<string, Promise<ScoredDataset>>()

  constructor(deps: ScoreCacheDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#datasets.size
  }

  async get(request: ScoreRequest): Promise<ScoredDataset> {
    const { horizon, market, metric, maxAgeDays } = request
    const { data, dataVersion } = await this.#deps.archive.get(horizon, market)
    const key = `${dataVersion} ${horizon} ${market} ${metric} ${maxAgeDays}`
    const existing = this.#datasets.get(key)
    const scored = existing ?? this.#loads.run(() => this.#load(request, data, dataVersion))
    this.#datasets.delete(key)
    this.#datasets.set(key, scored)
    if (existing === undefined) {
      scored.catch(() => {
        if (this.#datasets.get(key) === scored) this.#datasets.delete(key)
      })
      this.#evict(dataVersion)
    }
    return scored
  }

  /** Drops the datasets of other data versions, which no request can use any more, then the least recently used. */
  #evict(dataVersion: number): void {
    for (const key of this.#datasets.keys())
      if (!key.startsWith(`${dataVersion} `)) this.#datasets.delete(key)
    for (const key of this.#datasets.keys()) {
      if (this.#datasets.size <= maxScoredDatasets) return
      this.#datasets.delete(key)
    }
  }

  async #load(request: ScoreRequest, archive: Dataset, dataVersion: number): Promise<ScoredDataset> {
    const { pool, readSpans } = this.#deps
    const { market, metric, unit, maxAgeDays } = request
    const names = await pool.run('dataset_names', { data: archive })
    const lastDate = isoDate(archive.days[archive.days.length - 1])
    const { entityIds, ...spans } = await readSpans({ names, market, metric, unit, maxAgeDays, lastDate })
    const assets = spans.places.length / 4
    if (assets === 0) throw noValues(request, lastDate)
    const data = await pool.run('archive_score', { data: archive, spans })
    return { data, dataVersion, entityIds, names: nameCount(archive.assets), assets }
  }
}

function noValues({ market, metric, unit }: ScoreRequest, lastDate: string): Failure {
  return new Failure(
    'backtest_impossible',
    `No company of the archive's market ${market} has a full fiscal year of ${metric} in ${unit} on file before ${lastDate}, the archive's last date. GET /api/v1/coverage/{id} lists the metrics of a company.`,
    { param: 'source.score' },
  )
}
