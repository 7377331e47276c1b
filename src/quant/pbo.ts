import { blockBounds } from './blockBounds.ts'

const mostBlocks = 16
const leastPeriods = 10

/** Probability of backtest overfitting by combinatorially symmetric cross-validation: the T periods are cut in S blocks;
 * for each of the C(S, S/2) ways to train on half of the blocks, the trial with the best Sharpe ratio there is ranked
 * among all M on the other half. The estimate is the share of ways in which it lands in the lower half:
 * omega = rank / (M + 1) <= 1/2, which is logit <= 0. Equal trials share the mean of their ranks.
 *
 * S is 16, or the largest even number that leaves 10 periods a block. Null for one trial or fewer than 20 periods.
 *
 * Block sums are added once for every choice inside the first and inside the second half of the blocks, so each of the
 * 12,870 ways costs M additions and one comparison of squares. O(2^(S/2) M + C(S, S/2) M).
 *
 * @param series net returns per period, one array a trial
 * @see Bailey, D. H., Borwein, J. M., Lopez de Prado, M. and Zhu, Q. J. (2017), The Probability of Backtest
 *   Overfitting, Journal of Computational Finance 20(4) */
export function pbo(series: readonly Float64Array[]): number | null {
  const trials = series.length
  const periods = series[0]?.length ?? 0
  const blocks = Math.min(mostBlocks, 2 * Math.floor(periods / leastPeriods / 2))
  if (trials < 2 || blocks < 2) return null
  const bounds = blockBounds(periods, blocks)
  const half = blocks / 2
  const low = chosenSums(series, bounds.slice(0, half + 1))
  const high = chosenSums(series, bounds.slice(half))
  const everything = 2 ** half - 1
  const inTrain = new Float64Array(trials)
  const inTest = new Float64Array(trials)
  let ways = 0
  let overfit = 0
  // Train and test change places in the other half of the ways: block 0 always trains here.
  for (let a = 1; a <= everything; a += 2) {
    for (let b = 0; b <= everything; b++) {
      if (popcount(a) + popcount(b) !== half) continue
      const trained = orderBySharpe(low, a, high, b, inTrain)
      const tested = orderBySharpe(low, everything - a, high, everything - b, inTest)
      overfit += landsLow(inTest, inTest[trained]) + landsLow(inTrain, inTrain[tested])
      ways += 2
    }
  }
  return overfit / ways
}

interface ChosenSums {
  /** Of choice m and trial c at m * trials + c. */
  readonly sum: Float64Array
  readonly squares: Float64Array
  /** Periods of choice m. */
  readonly count: Int32Array
}

/** Sums over every choice of blocks; bit i of a choice is block i. */
function chosenSums(series: readonly Float64Array[], bounds: readonly number[]): ChosenSums {
  const blocks = bounds.length - 1
  const choices = 2 ** blocks
  const trials = series.length
  const sum = new Float64Array(choices * trials)
  const squares = new Float64Array(choices * trials)
  const count = new Int32Array(choices)
  for (let choice = 1; choice < choices; choice++) {
    const block = 31 - Math.clz32(choice)
    const rest = choice - 2 ** block
    const from = bounds[block]
    const to = bounds[block + 1]
    count[choice] = count[rest] + to - from
    for (let c = 0; c < trials; c++) {
      if (rest > 0) {
        sum[choice * trials + c] = sum[rest * trials + c] + sum[2 ** block * trials + c]
        squares[choice * trials + c] = squares[rest * trials + c] + squares[2 ** block * trials + c]
        continue
      }
      const values = series[c]
      let total = 0
      let totalSquares = 0
      for (let t = from; t < to; t++) {
        total += values[t]
        totalSquares += values[t] * values[t]
      }
      sum[choice * trials + c] = total
      squares[choice * trials + c] = totalSquares
    }
  }
  return { sum, squares, count }
}

/** To `out`, for each trial, a number that orders trials as their Sharpe ratios over the chosen blocks do:
 * mean |mean| / variance, up to a factor that all share. -Infinity without deviation. Returns the best trial. */
function orderBySharpe(low: ChosenSums, a: number, high: ChosenSums, b: number, out: Float64Array): number {
  const trials = out.length
  const periods = low.count[a] + high.count[b]
  const { sum: lowSum, squares: lowSquares } = low
  const { sum: highSum, squares: highSquares } = high
  const lowAt = a * trials
  const highAt = b * trials
  for (let c = 0; c < trials; c++) {
    const sum = lowSum[lowAt + c] + highSum[highAt + c]
    const squares = lowSquares[lowAt + c] + highSquares[highAt + c]
    const variance = squares - (sum * sum) / periods
    out[c] = variance > 1e-13 * squares ? (sum * Math.abs(sum)) / variance : Number.NEGATIVE_INFINITY
  }
  let best = 0
  for (let c = 1; c < trials; c++) if (out[c] > out[best]) best = c
  return best
}

/** 1 where `found`, one of the trials' numbers, is in their lower half. */
function landsLow(numbers: Float64Array, found: number): number {
  let below = 0
  let notAbove = 0
  for (let c = 0; c < numbers.length; c++) {
    const number = numbers[c]
    if (number > found) continue
    notAbove++
    if (number < found) below++
  }
  const rank = (below + notAbove + 1) / 2
  return rank <= (numbers.length + 1) / 2 ? 1 : 0
}

function popcount(bits: number): number {
  let count = 0
  for (let rest = bits; rest > 0; rest &= rest - 1) count++
  return count
}
