import type { ComputePool } from '../compute/ComputePool.ts'
import type { ArchiveCache } from '../domain/backtests/ArchiveCache.ts'
import { openScored } from '../domain/backtests/openScored.ts'
import { ScoreCache } from '../domain/backtests/ScoreCache.ts'
import type { Markets } from '../domain/markets/loadMarkets.ts'
import type { BacktestSource } from '../model/backtest.ts'
import type { Sql } from '../store/database.ts'
import { readLicence } from '../store/keys/readLicence.ts'
import { recordEntities } from '../store/keys/recordEntities.ts'
import { readSpans } from '../store/scores/readSpans.ts'

interface Parts {
  readonly sql: Sql
  readonly pool: ComputePool
  readonly archive: ArchiveCache
  readonly markets: Markets
}

/** The archive ranked by figures, as the backtests of this process reach it. */
export function makeScores({ sql, pool, archive, markets }: Parts) {
  const deps = {
    markets,
    scores: new ScoreCache({ pool, archive, readSpans: wanted => readSpans(sql, wanted) }),
    licenceOf: (keyId: number) => readLicence(sql, keyId),
    recordEntities: (keyId: number, entityIds: readonly number[], cap: number) =>
      recordEntities(sql, keyId, entityIds, cap),
  }
  return (keyId: number, source: BacktestSource) => openScored(deps, keyId, source)
}
