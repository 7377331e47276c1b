import { allocateBuckets } from './bucketScratch.ts'
import type { Dataset } from './dataset.ts'
import { maxRowsPerDate } from './maxRowsPerDate.ts'
import { orderDate } from './orderDate.ts'
import { scoreRange } from './scoreRange.ts'

export interface BucketReturn {
  /** 1 holds the weakest scores. */
  readonly bucket: number
  /** Mean over periods of the bucket's equal-weight return; null where it never held a known return. */
  readonly meanReturn: number | null
  /** Periods in which the bucket held a known return. */
  readonly periods: number
}

/** Mean return of each of `buckets` score buckets. A period's eligible names, ordered by (score, asset id), are cut
 * in equal parts (name j of n goes to bucket floor(j buckets / n)); missing returns are left out. */
export function bucketReturns(data: Dataset, periods: Int32Array, buckets: number): BucketReturn[] {
  const scratch = allocateBuckets(maxRowsPerDate(data))
  const range = { eligible: 0, min: 0, max: 0, sum: 0 }
  const totals = new Float64Array(buckets)
  const seen = new Int32Array(buckets)
  const sums = new Float64Array(buckets)
  const known = new Int32Array(buckets)
  for (const date of periods) {
    scoreRange(data.score, data.offsets[date], data.offsets[date + 1], range)
    orderDate(data.score, data.offsets[date], data.offsets[date + 1], range, scratch, scratch.rows, 0)
    sums.fill(0)
    known.fill(0)
    for (let j = 0; j < range.eligible; j++) {
      const r = data.forwardReturn[scratch.rows[j]]
      if (Number.isNaN(r)) continue
      const bucket = Math.floor((j * buckets) / range.eligible)
      sums[bucket] += r
      known[bucket]++
    }
    for (let b = 0; b < buckets; b++) {
      if (known[b] === 0) continue
      totals[b] += sums[b] / known[b]
      seen[b]++
    }
  }
  return Array.from({ length: buckets }, (_, b) => ({
    bucket: b + 1,
    meanReturn: seen[b] === 0 ? null : totals[b] / seen[b],
    periods: seen[b],
  }))
}
