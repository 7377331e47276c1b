import { type Dataset, nameCount } from '../dataset/dataset.ts'
import { icDecay } from './icDecay.ts'
import { averageRanks, rankCorrelation } from './scores.ts'

/** How closely a score follows the returns that it is tested on. */
export interface Foresight {
  /** The mean rank IC with the return of the same row, as in `rankIc`; null if no period has one. */
  readonly own: number | null
  /** The mean rank IC with the return of the next period. */
  readonly next: number | null
  /** The number of periods behind `own`. */
  readonly periods: number
  /** The number of names that the score ranks in a typical period: the upper median. */
  readonly names: number
  /** Sum of names - 1 over the periods: a mean IC of noise deviates from 0 by about 1 / sqrt(degrees). */
  readonly degrees: number
}

/** Ordering rows twice takes as long as several backtests of them, so for most panels only 5,000 rows and at
 * least 40 periods are checked first. The mean IC of noise is then within about .014 of 0. If the first
 * check finds values below these bounds, a full check cannot reach the thresholds of the warnings, .2 and
 * .98. */
const firstRows = 5_000
const firstPeriods = 40
const clearOwn = 0.1
const clearNext = 0.5
/** A full check of more rows than this is sampled as well: the mean IC of noise is then off by .002. */
const fullRows = 200_000
const maxRuns = 8

/** The mean rank IC of the score with its own and with the next period's return. It is computed first over 8
 * evenly spaced runs of consecutive periods with at least 5,000 rows and 40 periods. If the results are not
 * clearly small, it is computed over all periods of up to 200,000 rows, or over runs with about as many.
 * O(rows), at most 200,000.
 *
 * @param periods date indices */
export function foresight(data: Dataset, periods: Int32Array): Foresight {
  const first = lookAt(data, sampleRuns(data, periods, firstRows))
  if (Math.abs(first.own ?? 0) < clearOwn && Math.abs(first.next ?? 0) < clearNext) return first
  return lookAt(data, sampleRuns(data, periods, fullRows))
}

function lookAt(data: Dataset, runs: readonly Int32Array[]): Foresight {
  let own = 0
  let next = 0
  let ownPeriods = 0
  let nextPeriods = 0
  let degrees = 0
  const names: number[] = []
  for (const run of runs) {
    const [first, second] = icDecay(data, run, [1, 2])
    own += (first.mean ?? 0) * first.periods
    next += (second.mean ?? 0) * second.periods
    ownPeriods += first.periods
    nextPeriods += second.periods
    for (const date of run) {
      const ranked = countBoth(data, date)
      if (ranked < 2) continue
      names.push(ranked)
      degrees += ranked - 1
    }
  }
  names.sort((a, b) => a - b)
  return {
    own: ownPeriods === 0 ? null : own / ownPeriods,
    next: nextPeriods === 0 ? null : next / nextPeriods,
    periods: ownPeriods,
    names: names[names.length >> 1] ?? 0,
    degrees,
  }
}

/** Consecutive periods with about `maxRows` rows, or all periods if they have no more. */
function sampleRuns({ offsets }: Dataset, periods: Int32Array, maxRows: number): Int32Array[] {
  let rows = 0
  for (const date of periods) rows += offsets[date + 1] - offsets[date]
  if (rows <= maxRows) return [periods]
  const wanted = Math.max(firstPeriods, Math.floor((periods.length * maxRows) / rows))
  if (wanted >= periods.length) return [periods]
  const length = Math.floor(wanted / maxRuns)
  const room = periods.length - length
  return Array.from({ length: maxRuns }, (_, i) => {
    const from = Math.floor((i * room) / (maxRuns - 1))
    return periods.subarray(from, from + length)
  })
}

/** The number of rows of a date with both a score and a return. */
function countBoth({ offsets, score, forwardReturn }: Dataset, date: number): number {
  let count = 0
  for (let row = offsets[date]; row < offsets[date + 1]; row++)
    if (!Number.isNaN(score[row]) && !Number.isNaN(forwardReturn[row])) count++
  return count
}

/** A score hardly changes if its order of the names halfway through and at the end has at least this rank
 * correlation with the order at the beginning. */
const keptOrder = 0.75

/** For a score that hardly changes: Spearman's correlation, over the names, of the first score and the name's
 * mean return in the periods that have both. Near 1 or -1, the score was computed from these returns. Null
 * for a score that does change, or with fewer than two names.
 *
 * It uses the first score, because a score that follows its name's past returns legitimately approaches
 * their mean, but only towards the end. O(rows) for a score that hardly changes, O(names log names) for
 * others.
 *
 * @param periods date indices */
export function constantScoreCorrelation(
  data: Dataset,
  periods: Int32Array,
): { readonly correlation: number | null; readonly names: number } | null {
  const scored = periods.filter(date => countBoth(data, date) >= 2)
  if (scored.length < 2) return null
  const first = scoresOf(data, scored[0])
  const later = [scored[scored.length >> 1], scored[scored.length - 1]]
  if (!later.every(date => keepsOrder(first, scoresOf(data, date)))) return null
  return firstScoreCorrelation(data, periods)
}

/** Indexed by name; NaN: none. */
function scoresOf({ offsets, asset, assets, score }: Dataset, date: number): Float64Array {
  const scores = new Float64Array(nameCount(assets)).fill(Number.NaN)
  for (let row = offsets[date]; row < offsets[date + 1]; row++) scores[asset[row]] = score[row]
  return scores
}

function keepsOrder(before: Float64Array, after: Float64Array): boolean {
  const a: number[] = []
  const b: number[] = []
  for (let name = 0; name < before.length; name++) {
    if (Number.isNaN(before[name]) || Number.isNaN(after[name])) continue
    a.push(before[name])
    b.push(after[name])
  }
  // With fewer than two names on both dates, their order is meaningless. The rows of all dates decide.
  if (a.length < 2) return true
  return (correlate(a, b) ?? 0) >= keptOrder
}

function firstScoreCorrelation(
  { offsets, asset, assets, score, forwardReturn }: Dataset,
  periods: Int32Array,
): { readonly correlation: number | null; readonly names: number } {
  const total = nameCount(assets)
  const firstScore = new Float64Array(total).fill(Number.NaN)
  const sum = new Float64Array(total)
  const known = new Int32Array(total)
  for (const date of periods) {
    for (let row = offsets[date]; row < offsets[date + 1]; row++) {
      if (Number.isNaN(score[row])) continue
      const name = asset[row]
      if (Number.isNaN(firstScore[name])) firstScore[name] = score[row]
      if (Number.isNaN(forwardReturn[row])) continue
      sum[name] += forwardReturn[row]
      known[name]++
    }
  }
  const scores: number[] = []
  const means: number[] = []
  for (let name = 0; name < total; name++) {
    if (known[name] === 0) continue
    scores.push(firstScore[name])
    means.push(sum[name] / known[name])
  }
  return { correlation: correlate(scores, means), names: scores.length }
}

function correlate(a: readonly number[], b: readonly number[]): number | null {
  const order = new Int32Array(a.length)
  const ranksA = new Float64Array(a.length)
  const ranksB = new Float64Array(a.length)
  averageRanks(Float64Array.from(a), a.length, order, ranksA)
  averageRanks(Float64Array.from(b), b.length, order, ranksB)
  return rankCorrelation(ranksA, ranksB, a.length)
}
