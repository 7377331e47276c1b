import { type Dataset, type GroupColumn, maxRowsPerDate } from '../dataset/dataset.ts'
import { allocateBuckets, orderDate, scoreRange } from '../dataset/order.ts'
import { averageRanks, rankCorrelation } from './scores.ts'

/** What the names of one group show about a score. */
export interface GroupScores {
  /** Index into the groups; 0: names without one. */
  readonly group: number
  /** Eligible rows of the periods. */
  readonly rows: number
  /** The rank IC of each period in which it exists. */
  readonly ics: Float64Array
  /** For each bucket the return of each period in which it is known. */
  readonly buckets: readonly Float64Array[]
}

/** The rank IC and the returns of score buckets of each group, in the order of the groups' names.
 *
 * - IC: in each period Spearman's correlation of score and forward return over the names of the group that have both,
 *   ranked within the group.
 * - Buckets: the names of the whole date are cut into buckets, as `bucketReturns` does. The return of a group's bucket is
 *   the equal-weight mean of its names' known returns.
 *
 * A group without an eligible row is left out. O(periods n log n), n names per period.
 *
 * @param periods date indices */
export function groupScores(
  data: Dataset,
  labels: GroupColumn,
  periods: Int32Array,
  buckets: number,
): GroupScores[] {
  const found = Array.from({ length: labels.count }, () => ({
    rows: 0,
    ics: [] as number[],
    buckets: Array.from({ length: buckets }, (): number[] => []),
  }))
  const maxRows = maxRowsPerDate(data)
  const scratch = allocateBuckets(maxRows)
  const ranks = { scores: new Float64Array(maxRows), returns: new Float64Array(maxRows) }
  const values = { scores: new Float64Array(maxRows), returns: new Float64Array(maxRows) }
  const order = new Int32Array(maxRows)
  const range = { eligible: 0, min: 0, max: 0, sum: 0 }
  for (const date of periods) {
    const [start, end] = [data.offsets[date], data.offsets[date + 1]]
    scoreRange(data.score, start, end, range)
    orderDate(data.score, start, end, range, scratch, scratch.rows)
    const members = new Map<number, number[]>()
    for (let j = 0; j < range.eligible; j++) {
      const group = labels.of[scratch.rows[j]]
      const own = members.get(group)
      if (own === undefined) members.set(group, [j])
      else own.push(j)
    }
    for (const [group, ranked] of members) {
      const sums = new Float64Array(buckets)
      const known = new Int32Array(buckets)
      let count = 0
      for (const j of ranked) {
        const row = scratch.rows[j]
        const r = data.forwardReturn[row]
        if (Number.isNaN(r)) continue
        const bucket = Math.floor((j * buckets) / range.eligible)
        sums[bucket] += r
        known[bucket]++
        values.scores[count] = data.score[row]
        values.returns[count++] = r
      }
      averageRanks(values.scores, count, order, ranks.scores)
      averageRanks(values.returns, count, order, ranks.returns)
      const ic = rankCorrelation(ranks.scores, ranks.returns, count)
      const own = found[group]
      own.rows += ranked.length
      if (ic !== null) own.ics.push(ic)
      for (let b = 0; b < buckets; b++) if (known[b] > 0) own.buckets[b].push(sums[b] / known[b])
    }
  }
  return found.flatMap(({ rows, ics, buckets: returns }, group) =>
    rows === 0
      ? []
      : [{ group, rows, ics: Float64Array.from(ics), buckets: returns.map(list => Float64Array.from(list)) }],
  )
}
