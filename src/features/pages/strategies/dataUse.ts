import type { Strategy } from '../../../markets/strategies/strategies.ts'
import type { Rights } from '../../../rights/rights.ts'
import { strategyLimit } from '../../strategies/schema.ts'
import type { PageDeps } from '../deps.ts'
import type { DataUse } from '../useThisData/panel.ts'
import type { StrategyPageQuery } from './query.ts'

/** How programs get the list of strategies. */
export const strategyListUse = ({ settings }: Pick<PageDeps, 'settings'>): DataUse => ({
  baseUrl: settings.baseUrl,
  path: '/api/v1/strategies',
  query: {},
  python: { method: 'strategies', args: [], named: {} },
  tool: null,
  file: '/strategies/download',
  key: 'demo',
})

/**
 * How programs get what the page of a strategy shows: the values of its market, or the definition and the coverage for
 * visitors whose licence includes no values.
 *
 * @param query without a day: today
 */
export function strategyUse(
  { settings }: Pick<PageDeps, 'settings'>,
  rights: Rights,
  { name }: Pick<Strategy, 'name'>,
  market: string | null,
  { as_of: day, prices }: StrategyPageQuery,
): DataUse {
  const { baseUrl } = settings
  const file = `/strategies/${name}/download`
  if (!rights.seesAllHistory || market === null)
    return {
      baseUrl,
      path: `/api/v1/strategies/${name}`,
      query: {},
      python: { method: 'get', args: [`/api/v1/strategies/${name}`], named: {} },
      tool: null,
      file,
      key: 'demo',
    }
  const limit = rights.entityCap === null ? strategyLimit.max : undefined
  return {
    baseUrl,
    path: `/api/v1/strategies/${name}/values`,
    query: { market, as_of: day, prices, limit },
    python: { method: 'strategy', args: [name, market], named: { as_of: day, prices } },
    tool: null,
    file,
    key: 'own',
  }
}
