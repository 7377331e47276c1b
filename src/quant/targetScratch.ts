import { allocateBuckets, type BucketScratch } from './bucketScratch.ts'
import type { Dataset } from './dataset.ts'
import { maxRowsPerDate } from './maxRowsPerDate.ts'
import { nameCount } from './nameTable.ts'
import type { ScoreRange } from './scoreRange.ts'

/** Room for forming one date's legs. */
export interface TargetScratch {
  readonly buckets: BucketScratch
  readonly tails: Int32Array
  readonly grouped: Int32Array
  readonly groupStart: Int32Array
  readonly range: ScoreRange
}

export function allocateTargets(data: Dataset): TargetScratch {
  const rows = maxRowsPerDate(data)
  return {
    buckets: allocateBuckets(rows),
    tails: new Int32Array(2 * rows),
    grouped: new Int32Array(rows),
    groupStart: new Int32Array(nameCount(data.markets) + 1),
    range: { eligible: 0, min: 0, max: 0, sum: 0 },
  }
}
