import { Failure } from '../../errors.ts'
import { type ComputeCaller, isUnpaid } from './caller.ts'
import type { Share } from './shares.ts'

/** Limits how many requests may wait for threads. Each tier has its own limit, so free or demo callers never
 * take a place in the queue from a paid key. */
export class QueueBounds {
  readonly #slots: number
  readonly #maxWaiting: number
  readonly #unpaid: { readonly slots: number; readonly waiting: number; readonly ofCaller: number }

  /** @param slots the number of threads
   * @param unpaidSlots threads that free and demo callers may use
   * @param maxWaiting requests with paid keys that may wait */
  constructor(slots: number, unpaidSlots: number, maxWaiting: number) {
    this.#slots = slots
    this.#maxWaiting = maxWaiting
    this.#unpaid = {
      slots: unpaidSlots,
      waiting: Math.ceil(maxWaiting / 2),
      ofCaller: Math.max(1, Math.ceil(maxWaiting / 16)),
    }
  }

  /** Fails with `compute_busy` if the caller may not have another request here.
   *
   * @param expectedSeconds estimates the time until the given number of requests have run */
  require(
    caller: ComputeCaller,
    { ofCaller, ofTier }: { readonly ofCaller: Share; readonly ofTier: Share },
    expectedSeconds: (ahead: number) => number,
  ): void {
    if (isUnpaid(caller.tier)) this.#requireUnpaid(caller, ofCaller, ofTier, expectedSeconds)
    else this.#requirePaid(ofCaller, ofTier, expectedSeconds)
  }

  /** A caller without other requests here is admitted even to a full queue, up to twice its length: one key
   * that fills the queue must not lock out another. */
  #requirePaid(ofCaller: Share, ofTier: Share, expectedSeconds: (ahead: number) => number): void {
    const waiting = ofTier.interactive - this.#slots
    const limit = ofCaller.interactive === 0 ? 2 * this.#maxWaiting : this.#maxWaiting
    if (waiting < limit) return
    throw busy(
      `All ${this.#slots} workers are busy and ${waiting} backtests wait. Try again later.`,
      expectedSeconds(waiting + 1),
    )
  }

  #requireUnpaid(
    { tier, network }: ComputeCaller,
    ofCaller: Share,
    ofTier: Share,
    expectedSeconds: (ahead: number) => number,
  ): void {
    const { slots, waiting: maxWaiting, ofCaller: most } = this.#unpaid
    if (ofCaller.interactive >= most) {
      const whose = tier === 'demo' ? 'of your address with the demo key' : 'of this free key'
      throw busy(
        `${ofCaller.interactive} requests ${whose} are computed or wait, which is the limit. Wait for one to end.`,
        1,
      )
    }
    const ofNetwork = network === null ? null : ofCaller.parent
    if (ofNetwork !== null && ofNetwork.interactive >= 4 * most) {
      throw busy(
        `${ofNetwork.interactive} requests with the demo key from your network (${network}) are computed or wait, which is the limit. Try again in a moment, or use a key of your own.`,
        expectedSeconds(ofNetwork.interactive),
      )
    }
    const waiting = ofTier.interactive - slots
    if (waiting < maxWaiting) return
    throw busy(
      `${waiting} requests with ${tier === 'demo' ? 'the demo key' : 'free keys'} wait, which is the limit. Try again later.`,
      expectedSeconds(waiting + 1),
    )
  }
}

function busy(message: string, retryAfterSeconds: number): Failure {
  return new Failure('compute_busy', message, { retryAfterSeconds })
}
