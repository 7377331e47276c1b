import { allocateBuckets } from './bucketScratch.ts'
import type { Dataset, Ranking } from './dataset.ts'
import { maxRowsPerDate } from './maxRowsPerDate.ts'
import { orderDate } from './orderDate.ts'
import { type ScoreRange, scoreRange } from './scoreRange.ts'

/** The same dataset with every date's order by (score, asset id) beside it, in shared memory: paid once where
 * many backtests follow. */
export function rankDataset(data: Dataset): Dataset & { ranking: Ranking } {
  const dates = data.days.length
  const order = new Int32Array(new SharedArrayBuffer(4 * data.asset.length))
  const eligible = new Int32Array(new SharedArrayBuffer(4 * dates))
  const scratch = allocateBuckets(maxRowsPerDate(data))
  const range: ScoreRange = { eligible: 0, min: 0, max: 0, sum: 0 }
  for (let date = 0; date < dates; date++) {
    const start = data.offsets[date]
    const end = data.offsets[date + 1]
    scoreRange(data.score, start, end, range)
    eligible[date] = range.eligible
    orderDate(data.score, start, end, range, scratch, order, start)
  }
  return { ...data, ranking: { order, eligible } }
}
