/** Who is charged for thread time. `shared`: datasets that are loaded once for everyone who waits for
 * them. */
export type ComputeTier = 'paid' | 'shared' | 'free' | 'demo'

/** The caller on whose behalf a task runs. Threads are shared between callers, however many requests each of
 * them sends. */
export interface ComputeCaller {
  readonly tier: ComputeTier
  /** Unique within the tier: a key, or an address with the demo key. */
  readonly name: string
  /** The network of an address. All addresses of a network together get the share of one caller, because one
   * person may have all of them. null: the caller's share is its own. */
  readonly network: string | null
}

/** The operator at the terminal. */
export const operator: ComputeCaller = { tier: 'paid', name: 'operator', network: null }

/** Datasets that many requests wait for, whoever asked first: if they were charged to a demo caller, paid
 * callers would wait in its queue. */
export const sharedData: ComputeCaller = { tier: 'shared', name: 'datasets', network: null }

/** A key whose requests are paid for. */
export const paidKey = (keyId: number): ComputeCaller => ({
  tier: 'paid',
  name: `key:${keyId}`,
  network: null,
})

export const isUnpaid = (tier: ComputeTier): boolean => tier === 'free' || tier === 'demo'

/** The relative thread time of each tier while all of them wait. Callers of one tier share equally. */
export const tierWeights: Readonly<Record<ComputeTier, number>> = { paid: 8, shared: 8, free: 2, demo: 1 }
