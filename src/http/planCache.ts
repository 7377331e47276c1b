import type { Principal } from '../access/licences.ts'
import type { IsoDate } from '../dates.ts'

const maxPlans = 20_000
const maxQueryLength = 500

/** Keys of one class see the same data: those of one licence and plan. A capped key sees its own companies and is a class by
 * itself. */
function viewClass(principal: Principal): string {
  if (principal.entityCap !== null) return `key ${principal.keyId}`
  return `${principal.licence}${principal.quant ? ' quant' : ''}${principal.bulk ? ' bulk' : ''}`
}

/** Plans by query text, so that a repeated request is neither parsed nor planned again. A plan follows from the query, the view
 * class, the day and the data version alone; a new day or version clears the cache. A capped key's plan may be cached too: a
 * company that it has seen stays open to it. */
export class PlanCache<Plan> {
  readonly #classes = new Map<string, Map<string, Plan>>()
  #count = 0
  #version = -1
  #today: IsoDate = ''

  find(principal: Principal, query: string, version: number, today: IsoDate): Plan | undefined {
    if (version !== this.#version || today !== this.#today) {
      this.#clear()
      this.#version = version
      this.#today = today
    }
    return this.#classes.get(viewClass(principal))?.get(query)
  }

  /** Stores a plan for the version and day of the last `find`. A plan that took longer than that is outdated and dropped. */
  store(principal: Principal, query: string, version: number, today: IsoDate, plan: Plan): void {
    if (version !== this.#version || today !== this.#today || query.length > maxQueryLength) return
    // Clearing everything is rare and cheap: planning takes microseconds.
    if (this.#count >= maxPlans) this.#clear()
    const name = viewClass(principal)
    const plans = this.#classes.get(name) ?? new Map<string, Plan>()
    plans.set(query, plan)
    this.#classes.set(name, plans)
    this.#count++
  }

  #clear(): void {
    this.#classes.clear()
    this.#count = 0
  }
}

const refreshMs = 100

/** `today`, refreshed at most every 100 ms: formatting a date costs as much as an answer from the cache. */
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
