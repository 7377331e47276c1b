import type { ComputePool } from '../../compute/ComputePool.ts'
import type { Sql } from '../../store/database.ts'
import type { PanelCache } from './PanelCache.ts'
import type { Turns } from './Turns.ts'

export interface PanelDeps {
  readonly sql: Sql
  readonly pool: ComputePool
  readonly cache: PanelCache
  readonly turns: Turns
}
