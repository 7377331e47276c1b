import { sampleMoments } from '../statistics/moments.ts'
import { purgedEnd, purgedStart } from '../walkforward/folds.ts'

/** A group of test periods, `start .. end - 1`, and the periods that testing it removes from training, `from
 * .. to - 1`. */
export interface CpcvGroup {
  readonly start: number
  readonly end: number
  readonly from: number
  readonly to: number
}

/** A configuration: its net return per period, and the groups with the periods that this configuration purges. */
export interface CpcvCandidate {
  readonly net: Float64Array
  readonly groups: readonly CpcvGroup[]
}

/** Cuts T periods into N groups of floor(T / N), the last with the rest. A test of a group purges h + 1
 * periods on both sides, and more where irregular dates would let a training return overlap a test return.
 *
 * @param days day of each period, ascending
 * @param tranches h, in periods */
export function cpcvGroups(
  days: Int32Array,
  groups: number,
  settings: {
    readonly tranches: number
    readonly returnDays: number
    readonly ends?: Int32Array | undefined
  },
): CpcvGroup[] {
  const size = Math.floor(days.length / groups)
  return Array.from({ length: groups }, (_, g) => {
    const start = g * size
    const end = g === groups - 1 ? days.length : start + size
    return { start, end, from: purgedEnd(days, start, settings), to: purgedStart(days, end, settings) }
  })
}

/** Lists every choice of k out of N groups, in the order of the groups. */
export function chooseGroups(groups: number, testGroups: number): number[][] {
  const choices: number[][] = []
  const choice: number[] = []
  const extend = (next: number) => {
    if (choice.length === testGroups) {
      choices.push([...choice])
      return
    }
    for (let g = next; g <= groups - (testGroups - choice.length); g++) {
      choice.push(g)
      extend(g + 1)
      choice.pop()
    }
  }
  extend(0)
  return choices
}

/** Combinatorial purged cross-validation. Each choice of k out of N groups is the test set once. The
 * configuration with the best Sharpe ratio on the training periods is chosen (the first one on a tie);
 * training excludes the periods that the test groups purge. Each group is tested C(N-1, k-1) times. Path j
 * joins, group by group, the returns of the configuration chosen when that group was tested for the j-th
 * time.
 *
 * Returns the Sharpe ratios (per period, ddof 1) of the C(N, k) k / N paths; null for a path that does not
 * vary. Training periods lie after the test as well as before it, so nobody could have earned the returns of
 * a path. The paths show how much the result depends on which periods were held out.
 *
 * Training Sharpe ratios come from running sums, O(K T + K C(N, k) k); those that rounding could put in the
 * wrong order are recomputed from the returns. Returns null with fewer than two periods per group.
 *
 * @param candidates K, all with N groups of the same bounds
 * @param testGroups k
 * @see Lopez de Prado, M. (2018), Advances in Financial Machine Learning, chapter 12 */
export function cpcv(candidates: readonly CpcvCandidate[], testGroups: number): (number | null)[] | null {
  const { groups, net } = candidates[0]
  if (net.length < 2 * groups.length) return null
  const choices = chooseGroups(groups.length, testGroups)
  const distinct = withoutDoubles(candidates)
  const trained = trainAll(distinct, choices)
  const takenOf: number[][] = groups.map(() => [])
  choices.forEach((choice, i) => {
    const best = bestTrained(distinct, choice, trained, i * distinct.length)
    for (const g of choice) takenOf[g].push(best)
  })
  const path = new Float64Array(net.length)
  return takenOf[0].map((_, j) => {
    groups.forEach(({ start, end }, g) => {
      path.set(distinct[takenOf[g][j]].net.subarray(start, end), start)
    })
    const { mean, standardDeviation } = sampleMoments(path)
    return standardDeviation === null ? null : mean / standardDeviation
  })
}

/** Drops candidates whose returns and purge equal those of an earlier one, because they would never be
 * chosen. With few names, many quantiles have the same legs. Since equal training Sharpe ratios are
 * recomputed from the returns, a thousand duplicates would take a minute. O(K T). */
function withoutDoubles(candidates: readonly CpcvCandidate[]): CpcvCandidate[] {
  const keptOf = new Map<number | bigint, CpcvCandidate[]>()
  return candidates.filter(one => {
    const hash = Bun.hash(bytesOf(one.net))
    const kept = keptOf.get(hash) ?? []
    if (kept.some(other => isDouble(one, other))) return false
    keptOf.set(hash, [...kept, one])
    return true
  })
}

const isDouble = (one: CpcvCandidate, other: CpcvCandidate): boolean =>
  one.groups === other.groups && bytesOf(one.net).equals(bytesOf(other.net))

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array) =>
  Buffer.from(buffer, byteOffset, byteLength)

/** The training periods while the chosen groups are tested, as pairs of a first period and the one after the
 * last. */
function trainingPeriods({ net, groups }: CpcvCandidate, choice: readonly number[]): number[] {
  const bounds: number[] = []
  let at = 0
  for (const g of choice) {
    if (groups[g].from > at) bounds.push(at, groups[g].from)
    at = Math.max(at, groups[g].to)
  }
  if (at < net.length) bounds.push(at, net.length)
  return bounds
}

/** Training Sharpe ratio of each candidate for each choice, up to rounding: element i * K + c. */
function trainAll(candidates: readonly CpcvCandidate[], choices: readonly number[][]): Float64Array {
  const trained = new Float64Array(choices.length * candidates.length)
  const sums = new Float64Array(candidates[0].net.length + 1)
  const squares = new Float64Array(sums.length)
  const boundsOf = new Map<readonly CpcvGroup[], number[][]>()
  candidates.forEach((candidate, c) => {
    const { net, groups } = candidate
    const bounds = boundsOf.get(groups) ?? choices.map(choice => trainingPeriods(candidate, choice))
    boundsOf.set(groups, bounds)
    const { mean } = sampleMoments(net)
    for (let t = 0; t < net.length; t++) {
      const deviation = net[t] - mean
      sums[t + 1] = sums[t] + deviation
      squares[t + 1] = squares[t] + deviation * deviation
    }
    bounds.forEach((periods, i) => {
      trained[i * candidates.length + c] = fastSharpe(net, mean, sums, squares, periods)
    })
  })
  return trained
}

/** If the variance of part of a record is below this share of the record's sum of squares, it is summed
 * directly: the difference of running sums would have too few digits left. */
const minSquaresShare = 1e-4

function fastSharpe(
  net: Float64Array,
  mean: number,
  sums: Float64Array,
  squares: Float64Array,
  periods: readonly number[],
): number {
  let count = 0
  let sum = 0
  let square = 0
  for (let i = 0; i < periods.length; i += 2) {
    count += periods[i + 1] - periods[i]
    sum += sums[periods[i + 1]] - sums[periods[i]]
    square += squares[periods[i + 1]] - squares[periods[i]]
  }
  const deviations = square - (sum * sum) / count
  if (count < 2 || !(deviations > minSquaresShare * squares[squares.length - 1]))
    return exactSharpe(net, periods)
  return (mean + sum / count) / Math.sqrt(deviations / (count - 1))
}

/** -Infinity with fewer than two periods or without deviation. */
function exactSharpe(net: Float64Array, periods: readonly number[]): number {
  const parts: Float64Array[] = []
  for (let i = 0; i < periods.length; i += 2) parts.push(net.subarray(periods[i], periods[i + 1]))
  const joined = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  const { mean, standardDeviation } = sampleMoments(joined)
  return standardDeviation === null ? Number.NEGATIVE_INFINITY : mean / standardDeviation
}

/** Training Sharpe ratios that differ by less than this may be in the wrong order. */
const rounding = 1e-9

/** The first candidate with the highest training Sharpe ratio. */
function bestTrained(
  candidates: readonly CpcvCandidate[],
  choice: readonly number[],
  trained: Float64Array,
  at: number,
): number {
  let highest = Number.NEGATIVE_INFINITY
  for (let c = 0; c < candidates.length; c++) highest = Math.max(highest, trained[at + c])
  if (highest === Number.NEGATIVE_INFINITY) return 0
  const bound = highest - rounding * (1 + Math.abs(highest))
  const close: number[] = []
  for (let c = 0; c < candidates.length; c++) if (trained[at + c] >= bound) close.push(c)
  if (close.length === 1) return close[0]
  let best = close[0]
  let bestSharpe = Number.NEGATIVE_INFINITY
  for (const c of close) {
    const own = exactSharpe(candidates[c].net, trainingPeriods(candidates[c], choice))
    if (own > bestSharpe) {
      best = c
      bestSharpe = own
    }
  }
  return best
}
