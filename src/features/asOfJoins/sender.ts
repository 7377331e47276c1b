import type { ComputeCaller } from '../../backtest/pool/caller.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import type { RequestContext } from '../../http/context.ts'
import { type RowBudget, rowBudget } from '../../http/rowBudget.ts'
import type { RateLimiter } from '../../limits/rateLimiter.ts'
import type { Rights } from '../../rights/rights.ts'

/** The sender of a join. */
export interface JoinSender {
  readonly rights: Rights
  /** The caller to whom the threads' work is charged. */
  readonly caller: ComputeCaller
  /** Null if the rows are unlimited or already counted. */
  readonly budget: RowBudget | null
}

/** The sender of a request's join. */
export function joinSender(rateLimiter: RateLimiter, context: RequestContext): JoinSender {
  const { address, authenticatedCaller } = context
  const { rights } = authenticatedCaller
  return {
    rights,
    caller: computeCaller(rights, address),
    budget: rowBudget(rateLimiter, authenticatedCaller, address),
  }
}
