import type { SweepSlice } from '../../compute/sweepPlan.ts'

/** A share costs a few statements: enough of them that workers end together and progress is seen, no more. */
const mostShares = 64

/** Consecutive slices together, as what one task of the queue takes. */
export function cutShares(slices: readonly SweepSlice[]): SweepSlice[][] {
  const each = Math.ceil(slices.length / mostShares)
  const shares: SweepSlice[][] = []
  for (let at = 0; at < slices.length; at += each) shares.push(slices.slice(at, at + each))
  return shares
}
