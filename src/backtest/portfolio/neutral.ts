import { type Dataset, maxRowsPerDate, nameCount, type Ranking } from '../dataset/dataset.ts'
import { legSize } from './legs.ts'
import type { BookSettings, Weighting } from './settings.ts'

export interface NeutralTargets {
  /** Of every row. */
  readonly weight: Float64Array
  /** Eligible names of the markets that form legs, of every period. */
  readonly inLegs: Int32Array
}

/** Every row's target weight where legs are formed inside each market: a market's names are ordered, sized and weighted
 * as a cross-section of their own (score weights look at the market's mean), and its legs get the share of the book
 * that its eligible names have among those of all markets that form legs. A market of one name forms none, so legs
 * still sum to the full +-gross / 2.
 *
 * Weights are of a whole book: tranches have not divided them yet. O(rows). */
export function neutralTargets(
  data: Dataset & { ranking: Ranking },
  periods: Int32Array,
  settings: BookSettings,
): NeutralTargets {
  const inLegs = new Int32Array(periods.length)
  const weight = new Float64Array(data.asset.length)
  const { longShort, quantile, weighting } = settings
  const book = longShort ? settings.gross / 2 : settings.gross
  const scratch = {
    order: new Int32Array(maxRowsPerDate(data)),
    grouped: new Int32Array(maxRowsPerDate(data)),
    start: new Int32Array(nameCount(data.markets) + 1),
  }
  for (let t = 0; t < periods.length; t++) {
    groupByMarket(data, periods[t], scratch)
    const { grouped, start } = scratch
    for (let m = 0; m + 1 < start.length; m++) {
      const names = start[m + 1] - start[m]
      if (legSize(names, quantile, longShort) > 0) inLegs[t] += names
    }
    for (let m = 0; m + 1 < start.length; m++) {
      const from = start[m]
      const to = start[m + 1]
      const k = legSize(to - from, quantile, longShort)
      if (k === 0) continue
      const mean = meanScore(data.score, grouped, from, to)
      const share = (book * (to - from)) / inLegs[t]
      if (longShort) writeLeg(data.score, grouped, from, k, false, -share, weighting, mean, weight)
      writeLeg(data.score, grouped, to - k, k, true, share, weighting, mean, weight)
    }
  }
  return { weight, inLegs }
}

/** The date's eligible rows, market by market and inside each by rank. */
function groupByMarket(
  data: Dataset & { ranking: Ranking },
  date: number,
  { order, grouped, start }: { order: Int32Array; grouped: Int32Array; start: Int32Array },
): void {
  const { market, offsets } = data
  const { rank, eligible } = data.ranking
  const names = eligible[date]
  for (let row = offsets[date]; row < offsets[date + 1]; row++) if (rank[row] >= 0) order[rank[row]] = row
  start.fill(0)
  for (let j = 0; j < names; j++) start[market[order[j]] + 1]++
  for (let m = 0; m + 1 < start.length; m++) start[m + 1] += start[m]
  for (let j = 0; j < names; j++) grouped[start[market[order[j]]]++] = order[j]
  // Each start has moved on to the next group's; move them back.
  for (let m = start.length - 1; m > 0; m--) start[m] = start[m - 1]
  start[0] = 0
}

function meanScore(score: Float64Array, rows: Int32Array, from: number, to: number): number {
  let sum = 0
  for (let j = from; j < to; j++) sum += score[rows[j]]
  return sum / (to - from)
}

/** One leg: k rows of `rows`, ascending by (score, asset).
 *
 * equal: 1/k each. rank: 1 .. k, the strongest conviction k, which is the last of a top leg and the first of a bottom
 * leg. score: |s - mean|, equal where all are 0. */
function writeLeg(
  score: Float64Array,
  rows: Int32Array,
  from: number,
  k: number,
  top: boolean,
  legWeight: number,
  weighting: Weighting,
  mean: number,
  weight: Float64Array,
): void {
  let total = 0
  if (weighting === 'score') for (let j = 0; j < k; j++) total += Math.abs(score[rows[from + j]] - mean)
  for (let j = 0; j < k; j++) {
    const row = rows[from + j]
    if (weighting === 'rank') weight[row] = (legWeight / ((k * (k + 1)) / 2)) * (top ? j + 1 : k - j)
    else if (total > 0) weight[row] = legWeight * (Math.abs(score[row] - mean) / total)
    else weight[row] = legWeight / k
  }
}
