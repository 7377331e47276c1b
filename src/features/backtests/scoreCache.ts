import { type Dataset, nameCount } from '../../backtest/dataset/dataset.ts'
import type { ComputePool } from '../../backtest/pool/computePool.ts'
import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'
import { Turns } from '../../postgres/readLimiter.ts'
import type { ArchiveCache } from './archive.ts'
import type { FoundSpans, SpansWanted } from './scoreQueries.ts'

export interface ScoreDeps {
  readonly pool: ComputePool
  readonly archive: Pick<ArchiveCache, 'get'>
  readonly readSpans: (wanted: SpansWanted) => Promise<FoundSpans>
}

export type ScoreWanted = Pick<SpansWanted, 'market' | 'metric' | 'unit' | 'maxAgeDays'> & {
  readonly horizon: Horizon
}

/** The archive of a market, ranked by a figure. */
export interface ScoredDataset {
  readonly data: Dataset
  readonly dataVersion: number
  /** The companies that have a figure. */
  readonly entityIds: readonly number[]
  /** Assets of the market, and those that have a figure: a company may be listed twice. */
  readonly names: number
  readonly assets: number
}

/** Each takes 12 bytes a row beside the archive, with which it shares the rest. */
export const mostScored = 8
/** Each holds a connection to the database for as long as its figures take to read. */
const mostLoads = 2

/** The archive ranked by figures, in shared memory: made once for each data version, horizon, market, metric and age,
 * shared by everyone who asks meanwhile; those used last are kept. One that was pushed out lives on until the backtests that
 * have it are done. */
export class ScoreCache {
  readonly #deps: ScoreDeps
  readonly #turns = new Turns(mostLoads)
  /** Those used last come last. */
  readonly #kept = new Map<string, Promise<ScoredDataset>>()

  constructor(deps: ScoreDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#kept.size
  }

  async get(wanted: ScoreWanted): Promise<ScoredDataset> {
    const { horizon, market, metric, maxAgeDays } = wanted
    const { data, dataVersion } = await this.#deps.archive.get(horizon, market)
    const key = `${dataVersion} ${horizon} ${market} ${metric} ${maxAgeDays}`
    const known = this.#kept.get(key)
    const made = known ?? this.#turns.use(() => this.#make(wanted, data, dataVersion))
    this.#kept.delete(key)
    this.#kept.set(key, made)
    if (known === undefined) {
      made.catch(() => {
        if (this.#kept.get(key) === made) this.#kept.delete(key)
      })
      this.#forget(dataVersion)
    }
    return made
  }

  /** What is of another data version is not asked for again. */
  #forget(dataVersion: number): void {
    for (const key of this.#kept.keys()) if (!key.startsWith(`${dataVersion} `)) this.#kept.delete(key)
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= mostScored) return
      this.#kept.delete(key)
    }
  }

  async #make(wanted: ScoreWanted, archive: Dataset, dataVersion: number): Promise<ScoredDataset> {
    const { pool, readSpans } = this.#deps
    const { market, metric, unit, maxAgeDays } = wanted
    const names = await pool.run('dataset_names', { data: archive })
    const lastDate = isoDate(archive.days[archive.days.length - 1])
    const { entityIds, ...spans } = await readSpans({ names, market, metric, unit, maxAgeDays, lastDate })
    const assets = spans.places.length / 4
    if (assets === 0) throw nothingKnown(wanted, lastDate)
    const data = await pool.run('archive_score', { data: archive, spans })
    return { data, dataVersion, entityIds, names: nameCount(archive.assets), assets }
  }
}

function nothingKnown({ market, metric, unit }: ScoreWanted, lastDate: string): Failure {
  return new Failure(
    'backtest_impossible',
    `No company of the archive's market ${market} has a full fiscal year of ${metric} in ${unit} on file before ${lastDate}, the archive's last date. GET /api/v1/coverage/{id} tells which metrics a company has.`,
    { param: 'source.score' },
  )
}
