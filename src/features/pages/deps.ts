import type { ResponseCache } from '../../http/responseCache.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import type { Rights, RightsOf } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'

/** What the pages need: they call the verbs of the API, so it is what these need. */
export interface PageDeps extends CompanyDeps {
  readonly rightsOf: RightsOf
  readonly responses: ResponseCache
  readonly readLimiter: ReadLimiter
  readonly dataVersion: () => number
  readonly settings: {
    /** Of canonical links. Read when it is used: the port may be chosen late. */
    readonly baseUrl: string
    /** A new version of the pages gets new ETags. */
    readonly version: string
    /** Markets whose terms the operator has read and lets be downloaded. */
    readonly allowUnverifiedMarkets: readonly string[]
  }
}

/** Part of a cache key: visitors who see the same. A capped key sees its own companies and is a class by itself,
 * under each of its licences: pages say which one it is. */
export function viewerKey({ keyId, licence, entityCap, quant }: Rights): string {
  const plan = `${licence}${quant ? ' quant' : ''}`
  return entityCap === null ? plan : `${plan} ${entityCap} of key ${keyId}`
}
