import { Layout, openKernel } from '../portfolio/kernel/wasm.ts'
import { sampleMoments } from '../statistics/moments.ts'
import { blocksOf, drawBlocks, placeBlocks, resamplesAtOnce } from './bootstrap.ts'
import { bootstrapVariance } from './bootstrapVariance.ts'

/** The data about the K configurations that every resample of a test needs, computed once. Arrays have K elements and
 * are in shared memory. */
export interface SpaTest {
  /** T. */
  readonly periods: number
  /** L, in periods. */
  readonly meanBlock: number
  /** sqrt(T) / w, where w is the standard deviation of sqrt(T) times the mean; 0 for a configuration that is left out. */
  readonly scale: Float64Array
  /** The amounts added to a resample's demeaned mean for the lower and the consistent p-value. */
  readonly lowerShift: Float64Array
  readonly consistentShift: Float64Array
  /** The studentised statistic of the record, max(0, max sqrt(T) mean / w). */
  readonly statistic: number
  /** White's statistic without sqrt(T): the largest mean. */
  readonly largestMean: number
  readonly tiles: readonly SpaTile[]
}

/** Neighbouring configurations whose running sums fit into the processor's cache together. */
export interface SpaTile {
  /** The first configuration of the tile. */
  readonly from: number
  readonly width: number
  /** The row length of `sums`: the width, rounded up to an even number if it is above 1, because the kernel
   * adds two at a time. */
  readonly columns: number
  /** Element t * columns + k is the sum of configuration from + k's demeaned d over the periods before t. In shared
   * memory. */
  readonly sums: Float64Array
}

/** The statistic of Hansen's test for superior predictive ability and White's reality check, and the recentring of
 * their resamples. d = net - benchmark, per period; H0: no configuration has a mean d above 0.
 *
 * w^2 is the variance that the stationary bootstrap gives sqrt(T) mean(d), with q = 1 / L and c the demeaned d:
 *
 *   w^2 = g_0 + 2 sum_{j=1..T-1} kappa_j g_j,  g_j = 1/T sum_t c_t c_{t+j},
 *   kappa_j = (T - j)/T (1 - q)^j + j/T (1 - q)^(T - j)
 *
 * A configuration with w = 0, such as one that never trades, is left out of the studentised statistic but not of White's.
 * The consistent p-value recentres configurations with mean >= -w / sqrt(T) sqrt(2 ln ln T), the lower p-value those with
 * a mean above 0, and the upper p-value all of them.
 *
 * Null with fewer than three periods, for which ln ln T is negative, or if a return overflowed. O(K T).
 *
 * @param series net returns per period, as fractions; K arrays of length T without NaN
 * @param benchmark likewise, one array; zeroes for cash
 * @param meanBlock L >= 1, in periods
 * @see Hansen, P. R. (2005), A Test for Superior Predictive Ability, Journal of Business and Economic Statistics 23(4)
 * @see White, H. (2000), A Reality Check for Data Snooping, Econometrica 68(5) */
export function prepareSpa(
  series: readonly Float64Array[],
  benchmark: Float64Array,
  meanBlock: number,
): SpaTest | null {
  const periods = benchmark.length
  if (periods < 3 || series.length === 0) return null
  const scale = sharedDoubles(series.length)
  const lowerShift = sharedDoubles(series.length)
  const consistentShift = sharedDoubles(series.length)
  const root = Math.sqrt(periods)
  const threshold = Math.sqrt(2 * Math.log(Math.log(periods)))
  const tiles = allocateTiles(series.length, periods)
  const excess = new Float64Array(periods)
  let statistic = 0
  let largestMean = Number.NEGATIVE_INFINITY
  series.forEach((net, k) => {
    const mean = demean(net, benchmark, excess)
    addRunningSums(excess, tiles[Math.floor(k / tiles[0].width)], k)
    const variance = bootstrapVariance(excess, meanBlock)
    const deviation = Math.sqrt(Math.max(variance, 1e-300))
    largestMean = Math.max(largestMean, mean)
    lowerShift[k] = Math.min(mean, 0)
    consistentShift[k] = mean >= (-deviation / root) * threshold ? 0 : mean
    if (!(variance > 0)) return
    scale[k] = root / deviation
    statistic = Math.max(statistic, (root * mean) / deviation)
  })
  if (!Number.isFinite(statistic + largestMean)) return null
  return { periods, meanBlock, scale, lowerShift, consistentShift, statistic, largestMean, tiles }
}

const sharedDoubles = (count: number) => new Float64Array(new SharedArrayBuffer(8 * count))

/** A tile of a few hundred configurations stays in the processor's cache. */
const maxTileBytes = 8 * 1_024 * 1_024
const maxTileWidth = 256

function allocateTiles(configurations: number, periods: number): SpaTile[] {
  const fits = Math.floor(maxTileBytes / 8 / (periods + 1))
  const widest = Math.min(configurations, maxTileWidth, Math.max(1, fits))
  const tiles: SpaTile[] = []
  for (let from = 0; from < configurations; from += widest) {
    const width = Math.min(widest, configurations - from)
    const columns = width === 1 ? 1 : width + (width % 2)
    tiles.push({ from, width, columns, sums: sharedDoubles((periods + 1) * columns) })
  }
  return tiles
}

/** @param k the index of the configuration across all tiles */
function addRunningSums(demeaned: Float64Array, { from, columns, sums }: SpaTile, k: number): void {
  let sum = 0
  for (let t = 0, at = columns + k - from; t < demeaned.length; t++, at += columns) {
    sum += demeaned[t]
    sums[at] = sum
  }
}

/** Writes net - benchmark minus its mean to `out`, and returns the mean. Differences that vary only by
 * rounding become 0: their deviation would be noise, and so would a statistic divided by it. */
function demean(net: Float64Array, benchmark: Float64Array, out: Float64Array): number {
  for (let t = 0; t < out.length; t++) out[t] = net[t] - benchmark[t]
  const { mean, standardDeviation } = sampleMoments(out)
  if (standardDeviation === null) out.fill(0)
  else for (let t = 0; t < out.length; t++) out[t] -= mean
  return mean
}

/** The number of values that `resampleMaxima` writes per resample: the lower, consistent, upper and White's
 * maximum. */
export const maximaPerResample = 4

/** Computes the largest statistics among a set of configurations in each of a range of resamples, for p-values.
 *
 * Blocks are contiguous, so the sum over one is the difference of two running sums: a resample costs O(K blocks)
 * instead of gathering K T numbers. Returns are demeaned before they are summed, so that the difference loses no
 * digits. The results do not depend on which resamples share a call. The compiled kernel draws and adds
 * (kernel/assembly/resamples.ts).
 *
 * @param resamples the first and the one after the last
 * @param out `maximaPerResample` numbers for each resample
 * @param stop another thread sets it to 1 to cancel the work; `out` is then incomplete */
export function resampleMaxima(
  test: Omit<SpaTest, 'tiles'>,
  { from, width, columns, sums }: SpaTile,
  seed: number,
  resamples: readonly [first: number, end: number],
  out: Float64Array,
  stop?: Int32Array,
): void {
  const { periods, meanBlock } = test
  const layout = new Layout()
  const addresses = placeBlocks(layout, periods)
  const [table, total] = [layout.place(sums.byteLength), layout.place(8 * columns)]
  const kernel = openKernel(layout.bytes)
  kernel.doubles.set(sums, table / 8)
  const totals = kernel.doubles.subarray(total / 8, total / 8 + width)
  const [first, end] = resamples
  for (let drawn = first; drawn < end; drawn += resamplesAtOnce) {
    if (stop && Atomics.load(stop, 0) === 1) return
    drawBlocks(kernel, addresses, seed, drawn, periods, meanBlock)
    for (let s = drawn; s < Math.min(end, drawn + resamplesAtOnce); s++) {
      const { starts, ends, count } = blocksOf(kernel, addresses, periods, s - drawn)
      kernel.calls.addBlocks(table, columns, starts, ends, count, total)
      writeMaxima(totals, test, from, out, (s - first) * maximaPerResample)
    }
  }
}

function writeMaxima(
  total: Float64Array,
  { periods, scale, lowerShift, consistentShift }: Omit<SpaTest, 'tiles'>,
  from: number,
  out: Float64Array,
  at: number,
): void {
  let lower = 0
  let consistent = 0
  let upper = 0
  let white = Number.NEGATIVE_INFINITY
  for (let k = 0; k < total.length; k++) {
    const mean = total[k] / periods
    const one = scale[from + k]
    lower = Math.max(lower, (mean + lowerShift[from + k]) * one)
    consistent = Math.max(consistent, (mean + consistentShift[from + k]) * one)
    upper = Math.max(upper, mean * one)
    white = Math.max(white, mean)
  }
  out[at] = lower
  out[at + 1] = consistent
  out[at + 2] = upper
  out[at + 3] = white
}

/** A p-value is the fraction of resamples whose statistic exceeds the record's. If no configuration has a mean above
 * the benchmark's, the statistic is 0, no resample can be below it, and Hansen's three p-values are 1. Counting
 * only resamples above 0 would give the worst records the best p-values: a hopeless configuration is not recentred, so
 * its resamples are 0 as well. White's p-value is 1 if every configuration equals the benchmark (as a portfolio that
 * never trades equals cash), because no resample differs from the record. */
export interface SpaResult {
  readonly lower: number
  readonly consistent: number
  readonly upper: number
  readonly realityCheck: number
  /** max(0, max sqrt(T) mean / w). */
  readonly statistic: number
}

/** Computes the p-values of both tests from the maxima of every tile.
 *
 * @param tiles the maxima of all resamples for each tile, in the order of the resamples */
export function spaResult(
  test: Pick<SpaTest, 'statistic' | 'largestMean'>,
  tiles: readonly Float64Array[],
  resamples: number,
): SpaResult {
  const hits = [0, 0, 0, 0]
  const { statistic, largestMean } = test
  const bounds = [statistic, statistic, statistic, largestMean]
  for (let s = 0; s < resamples; s++) {
    for (let i = 0; i < maximaPerResample; i++) {
      let largest = Number.NEGATIVE_INFINITY
      for (const maxima of tiles) largest = Math.max(largest, maxima[s * maximaPerResample + i])
      if (largest > bounds[i]) hits[i]++
    }
  }
  const [lower, consistent, upper, white] = hits.map(count => count / resamples)
  const realityCheck = largestMean === 0 && white === 0 ? 1 : white
  if (statistic === 0) return { lower: 1, consistent: 1, upper: 1, realityCheck, statistic }
  return { lower, consistent, upper, realityCheck, statistic }
}
