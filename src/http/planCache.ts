import { LRUCache } from 'lru-cache'
import type { IsoDate } from '../dates.ts'
import type { Principal } from '../rights/licences.ts'

const maxPlans = 20_000
const maxQueryLength = 500

/** Keys of one class see the same data: those with the same licence and plan. A capped key sees its own set
 * of companies and is a class of its own. */
function viewClass(principal: Principal): string {
  if (principal.entityCap !== null) return `key ${principal.keyId}`
  return `${principal.licence}${principal.quant ? ' quant' : ''}${principal.bulk ? ' bulk' : ''}`
}

/** Plans by query text, so that a repeated request is neither parsed nor planned again. A plan depends only
 * on the query, the view class, the day and the data version, and a new day or version clears the cache. A
 * capped key's plan may be cached too, because a company stays open to a key that has seen it. */
export class PlanCache<Plan extends {}> {
  readonly #plans = new LRUCache<string, Plan>({ max: maxPlans })
  #version = -1
  #today: IsoDate = ''

  find(principal: Principal, query: string, version: number, today: IsoDate): Plan | undefined {
    if (version !== this.#version || today !== this.#today) {
      this.#plans.clear()
      this.#version = version
      this.#today = today
    }
    return this.#plans.get(planKey(principal, query))
  }

  /** Stores a plan for the version and day of the last `find`. If either has changed meanwhile, the plan is
   * outdated and dropped. */
  store(principal: Principal, query: string, version: number, today: IsoDate, plan: Plan): void {
    if (version !== this.#version || today !== this.#today || query.length > maxQueryLength) return
    this.#plans.set(planKey(principal, query), plan)
  }
}

/** No class contains `?`, so two different pairs of class and query never make the same key. */
function planKey(principal: Principal, query: string): string {
  return `${viewClass(principal)}?${query}`
}

const refreshMs = 100

/** `today`, refreshed at most every 100 ms: formatting a date costs as much as a cached response. */
export function cachedToday(today: () => IsoDate, elapsedMs: () => number): () => IsoDate {
  let day = ''
  let refreshedMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = elapsedMs()
    if (nowMs - refreshedMs > refreshMs) {
      refreshedMs = nowMs
      day = today()
    }
    return day
  }
}
