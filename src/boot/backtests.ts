import { readLicence, recordEntities } from '../access/queries.ts'
import type { ComputePool } from '../backtest/pool/computePool.ts'
import type { BacktestSource } from '../backtest/request.ts'
import type { Config } from '../config.ts'
import type { ArchiveCache } from '../features/backtests/archive.ts'
import { openScored } from '../features/backtests/score.ts'
import { ScoreCache } from '../features/backtests/scoreCache.ts'
import { readSpans } from '../features/backtests/scoreQueries.ts'
import { PanelCache } from '../features/panels/cache.ts'
import { deletePanel, listPanels, openPanel, readPanel, storePanel } from '../features/panels/panels.ts'
import type { PanelServices } from '../http/services.ts'
import type { Markets } from '../markets/markets.ts'
import type { Sql } from '../postgres/client.ts'
import { Turns } from '../postgres/readLimiter.ts'

interface PanelParts {
  readonly sql: Sql
  readonly pool: ComputePool
  readonly config: Pick<Config, 'panelMemoryMb' | 'databaseConnections'>
}

/** Stored panels as the routes and the backtests of this process reach them. */
export function makePanels({ sql, pool, config }: PanelParts) {
  const cache = new PanelCache(config.panelMemoryMb * 1_024 * 1_024)
  const turns = new Turns(Math.max(1, Math.floor(config.databaseConnections / 4)))
  const deps = { sql, pool, cache, turns }
  const services: PanelServices = {
    store: (keyId, body, format, signal) => storePanel(deps, keyId, body, format, signal),
    list: keyId => listPanels(sql, keyId),
    read: (keyId, panelId) => readPanel(sql, keyId, panelId),
    delete: (keyId, panelId) => deletePanel(deps, keyId, panelId),
  }
  return { services, open: (keyId: number, panelId: string) => openPanel(deps, keyId, panelId) }
}

interface ScoreParts {
  readonly sql: Sql
  readonly pool: ComputePool
  readonly archive: ArchiveCache
  readonly markets: Markets
}

/** The archive ranked by figures, as the backtests of this process reach it. */
export function makeScores({ sql, pool, archive, markets }: ScoreParts) {
  const deps = {
    markets,
    scores: new ScoreCache({ pool, archive, readSpans: wanted => readSpans(sql, wanted) }),
    licenceOf: (keyId: number) => readLicence(sql, keyId),
    recordEntities: (keyId: number, entityIds: readonly number[], cap: number) =>
      recordEntities(sql, keyId, entityIds, cap),
  }
  return (keyId: number, source: BacktestSource) => openScored(deps, keyId, source)
}
