import type { Principal } from '../../model/access.ts'
import type { FundamentalsQuery } from '../../model/fundamentals.ts'
import type { FundamentalsDeps } from './deps.ts'
import { type Asked, type FundamentalsPlan, planCompany, readAsked } from './planFundamentals.ts'
import { readTickers } from './readTickers.ts'
import { recordSeen } from './recordSeen.ts'
import { resolveEntities } from './resolveEntities.ts'

/** Who sees what of several companies, decided; each as when it is asked for alone. */
export interface BatchPlan {
  readonly asked: Asked
  /** In the order of the question. */
  readonly companies: readonly FundamentalsPlan[]
  readonly freeLicence: boolean
  /** Equal keys mean equal bytes while the data version stays the same. */
  readonly cacheKey: string
}

export async function planBatch(
  deps: FundamentalsDeps,
  principal: Principal,
  query: FundamentalsQuery,
): Promise<BatchPlan> {
  const tickers = readTickers(query)
  const asked = readAsked(deps, query)
  const entities = await resolveEntities(deps, tickers)
  const companies = entities.map(entity => planCompany(deps, principal, query, asked, entity))
  const ids = [...new Set(entities.map(entity => entity.entityId))]
  await recordSeen(deps, principal, ids, 'this list', 'ticker', ', a shorter list may still fit')
  return {
    asked,
    companies,
    freeLicence: companies[0].freeLicence,
    cacheKey: `batch ${companies.map(company => company.cacheKey).join(' ')}`,
  }
}
