import { type Dataset, maxRowsPerDate, nameCount, type Ranking } from '../dataset/dataset.ts'
import type { PortfolioSettings, Weighting } from './settings.ts'

/** The number of names in one leg. k = max(1, floor(quantile * n + 1e-9)); with fewer than two names, or if
 * two legs would overlap, half of the names. The 1e-9 makes .29 * 100, which is less than 29 in doubles,
 * count as 29.
 *
 * @param eligible n, names with a score on that date (and in that market, if legs are formed per market) */
export function legSize(eligible: number, quantile: number, longShort: boolean): number {
  if (eligible < 2) return Math.floor(eligible / 2)
  const k = Math.max(1, Math.floor(quantile * eligible + 1e-9))
  return longShort && 2 * k > eligible ? Math.floor(eligible / 2) : k
}

/** The legs of one date, as ranks. The top leg starts at `topFrom`. The bottom leg is below `bottomTo`, which
 * is 0 for a long-only portfolio. Totals are for a whole portfolio: they are not divided by the number of
 * tranches. */
export interface LegRule {
  topFrom: number
  bottomTo: number
  /** The sum of the leg's weights: gross / 2 and -gross / 2, or gross and 0. 0 if no leg forms. */
  topTotal: number
  bottomTotal: number
  /** The number of names in a leg. */
  names: number
}

/** Top k long, bottom k short; no leg if k is 0. Fills a given object, because the loop over dates allocates
 * nothing.
 *
 * @param eligible n of the date */
export function setLegRule(rule: LegRule, eligible: number, settings: PortfolioSettings): void {
  const { longShort, quantile, gross } = settings
  const k = legSize(eligible, quantile, longShort)
  rule.names = k
  rule.topFrom = k === 0 ? 0x7fffffff : eligible - k
  rule.bottomTo = longShort ? k : 0
  rule.topTotal = k === 0 ? 0 : longShort ? gross / 2 : gross
  rule.bottomTotal = k > 0 && longShort ? -gross / 2 : 0
}

/** Every row's target weight in a whole portfolio, not divided by the number of tranches. 0 for rows outside
 * the legs or outside the periods. O(rows). */
export function targetWeights(
  data: Dataset & { ranking: Ranking },
  periods: Int32Array,
  settings: PortfolioSettings,
): Float64Array {
  if (settings.neutralMarket) return neutralTargets(data, periods, settings).weight
  const { offsets, score, asset } = data
  const { rank, eligible, meanScore } = data.ranking
  const { longShort, quantile, weighting } = settings
  const legTotal = longShort ? settings.gross / 2 : settings.gross
  const weight = new Float64Array(asset.length)
  const order = new Int32Array(maxRowsPerDate(data))
  for (const date of periods) {
    const k = legSize(eligible[date], quantile, longShort)
    if (k === 0) continue
    for (let row = offsets[date]; row < offsets[date + 1]; row++) if (rank[row] >= 0) order[rank[row]] = row
    const mean = meanScore[date]
    const leg = { rows: order, k, mean }
    if (longShort) writeLeg(score, weighting, { ...leg, from: 0, isTop: false, total: -legTotal }, weight)
    writeLeg(score, weighting, { ...leg, from: eligible[date] - k, isTop: true, total: legTotal }, weight)
  }
  return weight
}

interface NeutralTargets {
  /** Target weight of every row. */
  readonly weight: Float64Array
  /** The number of eligible names of the markets that form legs, per period. */
  readonly inLegs: Int32Array
}

/** Every row's target weight if legs are formed inside each market, or inside each group of a dataset that has
 * groups. The names of a market are ordered, sized
 * and weighted as a cross-section of their own (score weights are relative to the market's mean). The share
 * of a market's legs in the portfolio is its share of the eligible names of all markets that form legs. A
 * market with one name forms no leg, so legs still sum to the full +-gross / 2.
 *
 * Weights are for a whole portfolio: they are not divided by the number of tranches. O(rows). */
export function neutralTargets(
  data: Dataset & { ranking: Ranking },
  periods: Int32Array,
  settings: PortfolioSettings,
): NeutralTargets {
  const inLegs = new Int32Array(periods.length)
  const weight = new Float64Array(data.asset.length)
  const { longShort, quantile, weighting } = settings
  const legTotal = longShort ? settings.gross / 2 : settings.gross
  const scratch = {
    order: new Int32Array(maxRowsPerDate(data)),
    grouped: new Int32Array(maxRowsPerDate(data)),
    start: new Int32Array((data.group?.count ?? nameCount(data.markets)) + 1),
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
      const share = (legTotal * (to - from)) / inLegs[t]
      const leg = { rows: grouped, k, mean }
      if (longShort) writeLeg(data.score, weighting, { ...leg, from, isTop: false, total: -share }, weight)
      writeLeg(data.score, weighting, { ...leg, from: to - k, isTop: true, total: share }, weight)
    }
  }
  return { weight, inLegs }
}

/** The date's eligible rows, grouped by market or group and ordered by rank within each. */
function groupByMarket(
  data: Dataset & { ranking: Ranking },
  date: number,
  { order, grouped, start }: { order: Int32Array; grouped: Int32Array; start: Int32Array },
): void {
  const { offsets } = data
  const market = data.group?.of ?? data.market
  const { rank, eligible } = data.ranking
  const names = eligible[date]
  for (let row = offsets[date]; row < offsets[date + 1]; row++) if (rank[row] >= 0) order[rank[row]] = row
  start.fill(0)
  for (let j = 0; j < names; j++) start[market[order[j]] + 1]++
  for (let m = 0; m + 1 < start.length; m++) start[m + 1] += start[m]
  for (let j = 0; j < names; j++) grouped[start[market[order[j]]]++] = order[j]
  // The loop above moved each start to that of the next group; move them back.
  for (let m = start.length - 1; m > 0; m--) start[m] = start[m - 1]
  start[0] = 0
}

function meanScore(score: Float64Array, rows: Int32Array, from: number, to: number): number {
  let sum = 0
  for (let j = from; j < to; j++) sum += score[rows[j]]
  return sum / (to - from)
}

/** k rows of `rows`, ascending by (score, asset). */
interface Leg {
  readonly rows: Int32Array
  readonly from: number
  readonly k: number
  readonly isTop: boolean
  /** The sum of its weights. */
  readonly total: number
  /** The mean score, from which score weights are measured. */
  readonly mean: number
}

/** Writes the weights of a leg.
 *
 * equal: 1/k each. rank: 1 .. k, with k for the strongest conviction: the last row of a top leg, the first
 * row of a bottom leg. score: |s - mean|; equal weights if all of these are 0. */
function writeLeg(
  score: Float64Array,
  weighting: Weighting,
  { rows, from, k, isTop, total, mean }: Leg,
  weight: Float64Array,
): void {
  let conviction = 0
  if (weighting === 'score') for (let j = 0; j < k; j++) conviction += Math.abs(score[rows[from + j]] - mean)
  for (let j = 0; j < k; j++) {
    const row = rows[from + j]
    if (weighting === 'rank') weight[row] = (total / ((k * (k + 1)) / 2)) * (isTop ? j + 1 : k - j)
    else if (conviction > 0) weight[row] = total * (Math.abs(score[row] - mean) / conviction)
    else weight[row] = total / k
  }
}
