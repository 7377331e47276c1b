import type { Weighting } from './bookSettings.ts'
import type { TrancheRing } from './trancheRing.ts'

/** One leg into the ring at place `at`: k rows of `rows`, ascending by (score, asset).
 *
 * equal: 1/k each. rank: 1 .. k, the strongest conviction k, which is the last of a top leg and the first of a
 * bottom leg. score: |s - mean|, equal where all are 0. A leg sums to `legWeight`.
 *
 * @param legWeight signed, in shares of the book (already divided by h) */
export function writeLeg(
  asset: Int32Array,
  score: Float64Array,
  rows: Int32Array,
  rowsFrom: number,
  k: number,
  top: boolean,
  legWeight: number,
  weighting: Weighting,
  mean: number,
  ring: TrancheRing,
  at: number,
): void {
  for (let j = 0; j < k; j++) ring.asset[at + j] = asset[rows[rowsFrom + j]]
  if (weighting === 'rank') {
    const unit = legWeight / ((k * (k + 1)) / 2)
    for (let j = 0; j < k; j++) ring.weight[at + j] = unit * (top ? j + 1 : k - j)
    return
  }
  if (weighting === 'score') {
    let total = 0
    for (let j = 0; j < k; j++) {
      const conviction = Math.abs(score[rows[rowsFrom + j]] - mean)
      ring.weight[at + j] = conviction
      total += conviction
    }
    if (total > 0) {
      for (let j = 0; j < k; j++) ring.weight[at + j] = legWeight * (ring.weight[at + j] / total)
      return
    }
  }
  ring.weight.fill(legWeight / k, at, at + k)
}
