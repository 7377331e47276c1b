import { availableParallelism } from 'node:os'
import { FairScheduler } from '../backtest/pool/scheduler.ts'
import { demoPrincipal, isUnpaid } from '../rights/licences.ts'
import { computeCaller } from './computeCaller.ts'
import type { RequestContext } from './context.ts'

/** Requests that wait or are answered at the same time. The scheduler derives from it the most of one address, of one network and of
 * all together. */
const maxWaiting = 2_048
/** A request that takes longer gives its turn to the next one, so that visitors do not wait for a slow query of somebody else. */
const maxTurnMs = 500

/**
 * Visitors, the demo key and free keys read in turns, and leave a processor to requests that are paid for. Without turns, a paid request
 * would wait for every page that others have asked for. The callers share the turns as they share the threads for backtests: whoever has
 * used little time is next, and the addresses of a network count as one caller.
 *
 * Requests that send a body have no turn: it may arrive slowly, and what is computed from it waits for a thread anyway.
 */
export class UnpaidTurns {
  readonly #scheduler: FairScheduler

  constructor(processors = availableParallelism()) {
    this.#scheduler = new FairScheduler(processors, maxWaiting)
  }

  isDue({ request, caller }: RequestContext): boolean {
    const { method } = request
    return (method === 'GET' || method === 'HEAD') && (caller === null || isUnpaid(caller.rights))
  }

  /** Waits until the request may be answered, and notes in its context how its turn ends. Fails with `compute_busy` if too many wait, and
   * with the signal's reason if the client is gone. */
  async take(context: RequestContext): Promise<void> {
    const { request, caller, address } = context
    const scheduler = this.#scheduler
    const ticket = scheduler.admit(computeCaller(caller?.rights ?? demoPrincipal, address))
    try {
      const slot = await scheduler.acquire(ticket, request.signal)
      const release = () => {
        scheduler.release(ticket, slot)
        scheduler.leave(ticket)
      }
      const endTurn = () => {
        clearTimeout(timer)
        context.endTurn = null
        // In the next turn of the event loop: many answers from memory, one after the other, would keep it from what else has arrived.
        setImmediate(release)
      }
      const timer = setTimeout(endTurn, maxTurnMs)
      context.endTurn = endTurn
    } catch (error) {
      scheduler.leave(ticket)
      throw error
    }
  }
}
