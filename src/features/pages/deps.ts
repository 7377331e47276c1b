import type { ResponseCache } from '../../http/responseCache.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import type { Rights, RightsOf } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'

/** Dependencies of the pages, which call the API's own functions and need what those need. */
export interface PageDeps extends CompanyDeps {
  readonly rightsOf: RightsOf
  readonly responses: ResponseCache
  readonly readLimiter: ReadLimiter
  readonly dataVersion: () => number
  readonly settings: {
    /** Used in canonical links. Read late, because the port may only be known after the start. */
    readonly baseUrl: string
    /** Part of the ETags, so that a new version of the pages gets new ones. */
    readonly version: string
    /** Markets whose terms the operator has read and whose data may be downloaded. */
    readonly allowUnverifiedMarkets: readonly string[]
  }
}

/** The visitor for whom a page is made. */
export interface Visitor {
  readonly rights: Rights
  /** Whose reads share the limit of long ones. */
  readonly subject: string
}

/** The visitor of a page of a company. */
export interface CompanyVisitor extends Visitor {
  /** Whether there is a price set that the visitor may see, which is part of the page's cache key. */
  readonly seesPrices: boolean
}

/**
 * Part of a cache key that groups visitors who see the same. A capped key sees its own companies, so it is a
 * group of its own under each of its licences, which pages name.
 */
export function viewerKey({ keyId, licence, entityCap, quant }: Rights): string {
  const plan = `${licence}${quant ? ' quant' : ''}`
  return entityCap === null ? plan : `${plan} ${entityCap} of key ${keyId}`
}
