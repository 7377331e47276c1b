import { periodEnds } from '../dataset/returnEnds.ts'
import { prepareSpa, resampleMaxima, type SpaTest, type SpaTile } from '../evidence/spa.ts'
import { rebalanceDates } from '../portfolio/rebalanceDates.ts'
import type { BacktestWarning } from '../result.ts'
import { canTest, type EvidenceRecords, isDecisionEnough, spaInput } from './evidence.ts'
import type { SliceSeries, SweepPlan } from './sweepPlan.ts'
import { readTrials, type Trial } from './sweepTrials.ts'

/** The records of a sweep's trials, for its evidence.
 *
 * @param pbo of the sweep; null if the records are only needed for resampling */
export function sweepRecords(
  plan: SweepPlan,
  trials: readonly Trial[],
  winner: number,
  warnings: readonly BacktestWarning[],
  pbo: number | null,
): EvidenceRecords {
  const { data, view, configs, tradingCosts, prices } = plan
  const { step, returnDays, periodsPerYear } = configs[0]
  const periods = rebalanceDates(view.firstDate, view.endDate, step)
  return {
    trials,
    winner,
    days: Int32Array.from(periods, date => data.days[date]),
    returnDays: returnDays + (prices?.entry_lag ?? 0),
    ends: periodEnds(data, periods),
    periodsPerYear,
    hasCosts: tradingCosts.roundTripOfMarket.some(cost => cost > 0),
    pbo,
    warnings: warnings.map(({ code }) => code),
  }
}

/** A sweep's test for superior predictive ability, ready for its resamples. Null if it cannot be computed, or
 * if the request does not include it and it would take too long. */
export function prepareSweepSpa(plan: SweepPlan, series: readonly SliceSeries[]): SpaTest | null {
  const { evidence } = plan
  const trials = readTrials(plan, series)
  if (isDecisionEnough(evidence) && !canTest(evidence, trials.length, trials[0].net.length)) return null
  const { series: judged, benchmark, meanBlock } = spaInput(evidence, trials)
  return prepareSpa(judged, benchmark, meanBlock)
}

/** Some resamples of one tile. */
export interface SpaSlice {
  readonly tile: number
  readonly first: number
  readonly end: number
}

/** The thread time of a slice: short enough that all lanes end together, like the slices of
 * configurations. */
const sliceMs = 10
/** Approximate times: per period to draw a resample, and per configuration and block to add one. */
const drawMs = 3e-6
const blockMs = 0.4e-6

/** Cuts the resamples of all tiles into slices.
 *
 * @param resamples the first and the one after the last */
export function cutSpaSlices(
  { periods, meanBlock, tiles }: SpaTest,
  [from, to]: readonly [number, number],
): SpaSlice[] {
  const blocks = Math.ceil(periods / meanBlock) + 1
  return tiles.flatMap(({ width }, tile) => {
    const size = Math.max(1, Math.floor(sliceMs / (periods * drawMs + blocks * width * blockMs)))
    return Array.from({ length: Math.ceil((to - from) / size) }, (_, i) => ({
      tile,
      first: from + i * size,
      end: Math.min(to, from + (i + 1) * size),
    }))
  })
}

export interface SpaSliceInput {
  readonly test: Omit<SpaTest, 'tiles'>
  readonly tile: SpaTile
  readonly seed: number
  readonly first: number
  readonly end: number
  /** Filled by the slice. */
  readonly maxima: Float64Array
  /** Set to 1 to stop the slice within one resample. */
  readonly stop: Int32Array
}

/** Computes some resamples of a sweep's test into shared memory. */
export function runSpaSlice({ test, tile, seed, first, end, maxima, stop }: SpaSliceInput): null {
  resampleMaxima(test, tile, seed, [first, end], maxima, stop)
  return null
}
