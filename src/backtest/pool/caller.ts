/** Who pays for thread time. `shared`: datasets that are loaded once for all who wait for them. */
export type ComputeTier = 'paid' | 'shared' | 'free' | 'demo'

/** For whom a task runs. Threads are shared out between callers, however many requests each of them sends. */
export interface ComputeCaller {
  readonly tier: ComputeTier
  /** Names the caller among all of its tier: a key, or an address with the demo key. */
  readonly name: string
  /** The network of an address: together its addresses get the share of one caller, because one person may have all of them. null: the
   * caller shares with nobody. */
  readonly network: string | null
}

/** The operator at the terminal. */
export const operator: ComputeCaller = { tier: 'paid', name: 'operator', network: null }

/** Datasets that many requests wait for, whoever asked first: if they were charged to a demo caller, paid ones would wait in its queue. */
export const sharedData: ComputeCaller = { tier: 'shared', name: 'datasets', network: null }

/** A key whose requests are paid for. */
export const paidKey = (keyId: number): ComputeCaller => ({
  tier: 'paid',
  name: `key:${keyId}`,
  network: null,
})

export const isUnpaid = (tier: ComputeTier): boolean => tier === 'free' || tier === 'demo'

/** The thread time of each tier while all of them wait. Callers of one tier share equally. */
export const tierWeights: Readonly<Record<ComputeTier, number>> = { paid: 8, shared: 8, free: 2, demo: 1 }
