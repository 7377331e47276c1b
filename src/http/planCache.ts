import type { Principal } from '../access/licences.ts'
import type { IsoDate } from '../dates.ts'

const most = 20_000
const longestQuery = 500

/** Who is shown the same: keys of one licence and plan, except that a capped key is shown its own companies. */
function viewClass(principal: Principal): string {
  if (principal.entityCap !== null) return `key ${principal.keyId}`
  return `${principal.licence}${principal.quant ? ' quant' : ''}${principal.bulk ? ' bulk' : ''}`
}

/** Plans by the query as it was sent, so that a repeated question is neither parsed nor planned again. A plan only
 * follows from the question, the view class, the day and the data version; a new day or version clears all. A cap
 * never takes back what it once allowed, so the plan of a capped key may stay too. */
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

  /** For the version and the day of the last `find`; a plan that took longer is not kept. */
  remember(principal: Principal, query: string, version: number, today: IsoDate, plan: Plan): void {
    if (version !== this.#version || today !== this.#today || query.length > longestQuery) return
    // Starting over is rare and cheap: a plan is made anew in microseconds.
    if (this.#count >= most) this.#clear()
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

const steadyMs = 100

/** `today`, asked at most every tenth of a second: making a date of the clock is dear beside an answer from memory. */
export function steadyDay(today: () => IsoDate, elapsedMs: () => number): () => IsoDate {
  let day = ''
  let askedMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = elapsedMs()
    if (nowMs - askedMs > steadyMs) {
      askedMs = nowMs
      day = today()
    }
    return day
  }
}
