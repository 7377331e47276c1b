import { type Kernel, Layout, openKernel } from '../portfolio/kernel/wasm.ts'
import { sampleMoments } from '../statistics/moments.ts'
import { blockBounds } from '../walkforward/folds.ts'
import { distinctRecords } from './distinctRecords.ts'

const maxBlocks = 16
const minPeriodsPerBlock = 10

/** Probability of backtest overfitting by combinatorially symmetric cross-validation. The T periods are cut
 * into S blocks. There are C(S, S/2) ways to train on half of the blocks. In each, the trial with the best
 * Sharpe ratio on that half is ranked among all M on the other half. The estimate is the fraction of ways in
 * which it lands in the lower half: omega = rank / (M + 1) <= 1/2, which is logit <= 0. Equal trials share
 * the mean of their ranks.
 *
 * S is 16, or the largest even number that leaves 10 periods per block. Null with fewer than 20 periods, or
 * if fewer than two records vary and differ from each other: where there is no choice, none can be
 * overfitted. A trial that does not vary ranks below all others.
 *
 * Block sums are added once for every choice within the first and within the second half of the blocks. So
 * each of the 12,870 ways costs M additions and one comparison of squares. The compiled kernel does this
 * (kernel/assembly/trials.ts). O(2^(S/2) M + C(S, S/2) M).
 *
 * @param series net returns per period, fractions; M arrays of length T
 * @see Bailey, D. H., Borwein, J. M., Lopez de Prado, M. and Zhu, Q. J. (2017), The Probability of Backtest
 *   Overfitting, Journal of Computational Finance 20(4) */
export function pbo(series: readonly Float64Array[]): number | null {
  const trials = series.length
  const periods = series[0]?.length ?? 0
  const blocks = Math.min(maxBlocks, 2 * Math.floor(periods / minPeriodsPerBlock / 2))
  if (blocks < 2 || !isChoice(series)) return null
  const bounds = blockBounds(periods, blocks)
  const half = blocks / 2
  const width = trials + (trials % 2)
  const choices = 2 ** half
  const layout = new Layout()
  const halves = [bounds.slice(0, half + 1), bounds.slice(half)].map(halfBounds => ({
    bounds: halfBounds,
    sums: layout.place(8 * choices * width),
    squares: layout.place(8 * choices * width),
    counts: new Int32Array(choices),
  }))
  const [train, test] = [layout.place(8 * width), layout.place(8 * width)]
  const kernel = openKernel(layout.bytes)
  for (const one of halves) sumChoices(kernel, series, width, one)
  const allBlocks = choices - 1
  let ways = 0
  let overfit = 0
  // The other half of the ways swaps train and test, so block 0 always trains here.
  for (let a = 1; a <= allBlocks; a += 2) {
    for (let b = 0; b <= allBlocks; b++) {
      if (popcount(a) + popcount(b) !== half) continue
      scoreTrials(kernel, halves, a, b, width, train)
      scoreTrials(kernel, halves, allBlocks - a, allBlocks - b, width, test)
      overfit += landsLow(kernel, train, test, trials, width) + landsLow(kernel, test, train, trials, width)
      ways += 2
    }
  }
  return overfit / ways
}

function isChoice(series: readonly Float64Array[]): boolean {
  const varying = series.filter(net => sampleMoments(net).standardDeviation !== null)
  return distinctRecords(varying).length > 1
}

/** Sums over every choice of one half's blocks. Bit i of a choice is the half's block i; the sum of choice m
 * and trial c is element m * width + c. */
interface Half {
  readonly bounds: readonly number[]
  /** Byte addresses. */
  readonly sums: number
  readonly squares: number
  /** Periods of each choice. */
  readonly counts: Int32Array
}

function sumChoices({ doubles }: Kernel, series: readonly Float64Array[], width: number, half: Half): void {
  const { bounds, counts } = half
  const [sums, squares] = [half.sums / 8, half.squares / 8]
  for (let choice = 1; choice < counts.length; choice++) {
    const block = 31 - Math.clz32(choice)
    const alone = 2 ** block
    const rest = choice - alone
    counts[choice] = counts[rest] + bounds[block + 1] - bounds[block]
    const at = choice * width
    for (let c = 0; c < series.length; c++) {
      if (rest === 0) {
        const own = series[c].subarray(bounds[block], bounds[block + 1])
        let sum = 0
        let square = 0
        for (let t = 0; t < own.length; t++) {
          sum += own[t]
          square += own[t] * own[t]
        }
        doubles[sums + at + c] = sum
        doubles[squares + at + c] = square
      } else {
        doubles[sums + at + c] = doubles[sums + rest * width + c] + doubles[sums + alone * width + c]
        doubles[squares + at + c] = doubles[squares + rest * width + c] + doubles[squares + alone * width + c]
      }
    }
  }
}

/** Writes a number per trial to `out`. Over the chosen blocks, these numbers have the same order as the
 * trials' Sharpe ratios. */
function scoreTrials(
  { calls }: Kernel,
  [low, high]: Half[],
  a: number,
  b: number,
  width: number,
  out: number,
): void {
  const [rowA, rowB] = [8 * width * a, 8 * width * b]
  const periods = low.counts[a] + high.counts[b]
  calls.orderBySharpe(
    low.sums + rowA,
    high.sums + rowB,
    low.squares + rowA,
    high.squares + rowB,
    width,
    1 / periods,
    out,
  )
}

/** 1 if the best trial by `train` is in the lower half by `test`, else 0. */
function landsLow(
  { calls, doubles }: Kernel,
  train: number,
  test: number,
  trials: number,
  width: number,
): number {
  const found = doubles[test / 8 + calls.bestTrial(train, width)]
  const counted = calls.countBelow(test, width, found)
  // An odd number of trials is padded with one that ranks below all others, or ties with those at the bottom.
  const padding = width - trials
  const own = counted - padding * (found > Number.NEGATIVE_INFINITY ? 2 : 1)
  return (own + 1) / 2 <= (trials + 1) / 2 ? 1 : 0
}

function popcount(bits: number): number {
  let count = 0
  for (let rest = bits; rest > 0; rest &= rest - 1) count++
  return count
}
