import type { Principal } from '../../access/licences.ts'
import type { ComputeCaller } from '../../backtest/pool/caller.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import type { RequestContext } from '../../http/context.ts'
import { type RowBudget, rowBudget } from '../../http/rowBudget.ts'
import type { RateLimiter } from '../../limits/rateLimiter.ts'

/** Who sends a join. */
export interface JoinSender {
  readonly principal: Principal
  /** For whom the threads work. */
  readonly caller: ComputeCaller
  /** null: any number of rows, or they have been counted. */
  readonly budget: RowBudget | null
}

/** Who sends the join of a request. */
export function joinSender(rateLimiter: RateLimiter, context: RequestContext): JoinSender {
  const { address, authenticatedCaller } = context
  const { principal } = authenticatedCaller
  return {
    principal,
    caller: computeCaller(principal, address),
    budget: rowBudget(rateLimiter, authenticatedCaller, address),
  }
}
