import type { Network } from './network.ts'

/** Waits until the next request may go: requests are at least 1 / `perSecond` apart, whatever came of those before. */
export function makePace(perSecond: number, { now, sleep }: Pick<Network, 'now' | 'sleep'>) {
  let next = Number.NEGATIVE_INFINITY
  return async (signal: AbortSignal): Promise<void> => {
    const at = Math.max(now(), next)
    next = at + 1_000 / perSecond
    const wait = at - now()
    if (wait > 0) await sleep(wait, signal)
  }
}
