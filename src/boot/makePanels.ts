import type { ComputePool } from '../compute/ComputePool.ts'
import type { Config } from '../config.ts'
import { deletePanel } from '../domain/panels/deletePanel.ts'
import { listPanels } from '../domain/panels/listPanels.ts'
import { openPanel } from '../domain/panels/openPanel.ts'
import { PanelCache } from '../domain/panels/PanelCache.ts'
import { readPanel } from '../domain/panels/readPanel.ts'
import { storePanel } from '../domain/panels/storePanel.ts'
import { Turns } from '../domain/panels/Turns.ts'
import type { PanelServices } from '../http/panelServices.ts'
import type { Sql } from '../store/database.ts'

interface Parts {
  readonly sql: Sql
  readonly pool: ComputePool
  readonly config: Pick<Config, 'panelMemoryMb' | 'databaseConnections'>
}

/** Stored panels as the routes and the backtests of this process reach them. */
export function makePanels({ sql, pool, config }: Parts) {
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
