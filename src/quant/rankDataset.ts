import { allocateBuckets } from './bucketScratch.ts'
import type { Dataset, Ranking } from './dataset.ts'
import { maxRowsPerDate } from './maxRowsPerDate.ts'
import { orderDate } from './orderDate.ts'
import { type ScoreRange, scoreRange } from './scoreRange.ts'
import { universeReturn } from './universeReturn.ts'

/** The same dataset with its ranking beside it, in shared memory: paid once where many backtests follow. */
export function rankDataset(data: Dataset): Dataset & { ranking: Ranking } {
  const dates = data.days.length
  const ranking = {
    rank: new Int32Array(new SharedArrayBuffer(4 * data.asset.length)),
    eligible: new Int32Array(new SharedArrayBuffer(4 * dates)),
    meanScore: new Float64Array(new SharedArrayBuffer(8 * dates)),
    universe: new Float64Array(new SharedArrayBuffer(8 * dates)),
    known: new Int32Array(new SharedArrayBuffer(4 * dates)),
  }
  const scratch = allocateBuckets(maxRowsPerDate(data))
  const range: ScoreRange = { eligible: 0, min: 0, max: 0, sum: 0 }
  for (let date = 0; date < dates; date++) {
    const start = data.offsets[date]
    const end = data.offsets[date + 1]
    scoreRange(data.score, start, end, range)
    orderDate(data.score, start, end, range, scratch, scratch.rows, 0)
    if (range.eligible < end - start) ranking.rank.fill(-1, start, end)
    for (let j = 0; j < range.eligible; j++) ranking.rank[scratch.rows[j]] = j
    ranking.eligible[date] = range.eligible
    ranking.meanScore[date] = range.eligible === 0 ? 0 : range.sum / range.eligible
    universeReturn(data.forwardReturn, start, end, ranking.universe, ranking.known, date)
  }
  return { ...data, ranking }
}
