import { type Kernel, Layout, openKernel } from '../portfolio/kernel/open.ts'
import { blockBounds } from '../walkforward/folds.ts'

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
 * 12,870 ways costs M additions and one comparison of squares, in the compiled kernel (kernel/assembly/trials.ts).
 * O(2^(S/2) M + C(S, S/2) M).
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
  const width = trials + (trials % 2)
  const choices = 2 ** half
  const layout = new Layout()
  const halves = [bounds.slice(0, half + 1), bounds.slice(half)].map(own => ({
    bounds: own,
    sums: layout.place(8 * choices * width),
    squares: layout.place(8 * choices * width),
    counts: new Int32Array(choices),
  }))
  const [train, test] = [layout.place(8 * width), layout.place(8 * width)]
  const kernel = openKernel(layout.bytes)
  for (const own of halves) addChoices(kernel, series, width, own)
  const everything = choices - 1
  let ways = 0
  let overfit = 0
  // Train and test change places in the other half of the ways: block 0 always trains here.
  for (let a = 1; a <= everything; a += 2) {
    for (let b = 0; b <= everything; b++) {
      if (popcount(a) + popcount(b) !== half) continue
      order(kernel, halves, a, b, width, train)
      order(kernel, halves, everything - a, everything - b, width, test)
      overfit += landsLow(kernel, train, test, trials, width) + landsLow(kernel, test, train, trials, width)
      ways += 2
    }
  }
  return overfit / ways
}

/** Sums over every choice of a half's blocks; bit i of a choice is its block i. Of choice m and trial c at
 * m * width + c. */
interface Half {
  readonly bounds: readonly number[]
  readonly sums: number
  readonly squares: number
  /** Periods of each choice. */
  readonly counts: Int32Array
}

function addChoices({ doubles }: Kernel, series: readonly Float64Array[], width: number, half: Half): void {
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

function order(
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

/** 1 where the best trial by `train` is in the lower half by `test`. */
function landsLow(
  { calls, doubles }: Kernel,
  train: number,
  test: number,
  trials: number,
  width: number,
): number {
  const found = doubles[test / 8 + calls.bestTrial(train, width)]
  const counted = calls.countBelow(test, width, found)
  // The trial that pads an odd number is worse than all, or equal to one that is at the bottom too.
  const padding = width - trials
  const own = counted - padding * (found > Number.NEGATIVE_INFINITY ? 2 : 1)
  return (own + 1) / 2 <= (trials + 1) / 2 ? 1 : 0
}

function popcount(bits: number): number {
  let count = 0
  for (let rest = bits; rest > 0; rest &= rest - 1) count++
  return count
}
