import type { Principal } from '../model/access.ts'
import type { IsoDate } from '../model/date.ts'

const most = 20_000

/** Who is shown the same: keys of one licence and plan, except that a capped key is shown its own companies. */
export function viewClass(principal: Principal): string {
  if (principal.entityCap !== null) return `key ${principal.keyId}`
  return `${principal.licence}${principal.quant ? ' quant' : ''}${principal.bulk ? ' bulk' : ''}`
}

/** Plans by the query as it was sent, so that a repeated question is neither parsed nor planned again. A plan only
 * follows from the question, the view class, the day and the data version; a new day or version clears all. A cap
 * never takes back what it once allowed, so the plan of a capped key may stay too. */
export class PlanCache<Plan> {
  readonly #plans = new Map<string, Plan>()
  #version = -1
  #today: IsoDate = ''

  find(principal: Principal, query: string, version: number, today: IsoDate): Plan | undefined {
    if (version !== this.#version || today !== this.#today) {
      this.#plans.clear()
      this.#version = version
      this.#today = today
    }
    return this.#plans.get(`${viewClass(principal)}\n${query}`)
  }

  /** For the version and the day of the last `find`; a plan that took longer is not kept. */
  remember(principal: Principal, query: string, version: number, today: IsoDate, plan: Plan): void {
    if (version !== this.#version || today !== this.#today || query.length > 500) return
    if (this.#plans.size >= most) {
      const oldest = this.#plans.keys().next()
      if (!oldest.done) this.#plans.delete(oldest.value)
    }
    this.#plans.set(`${viewClass(principal)}\n${query}`, plan)
  }
}
