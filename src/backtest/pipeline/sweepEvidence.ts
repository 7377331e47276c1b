import { universeReturns } from '../dataset/rank.ts'
import { prepareSpa, resampleMaxima, type SpaTest, type SpaTile } from '../evidence/spa.ts'
import { rebalanceDates } from '../portfolio/rebalance.ts'
import type { BacktestWarning } from '../result.ts'
import { type EvidenceRecords, spaInput } from './evidence.ts'
import type { SliceSeries, SweepPlan } from './sweepPlan.ts'
import { readTrials, type Trial } from './sweepTrials.ts'

/** The records of a sweep's trials, for its evidence.
 *
 * @param pbo of the sweep; null where the records serve only to resample them */
export function sweepRecords(
  plan: SweepPlan,
  trials: readonly Trial[],
  winner: number,
  warnings: readonly BacktestWarning[],
  pbo: number | null,
): EvidenceRecords {
  const { data, view, configs, tradingCosts } = plan
  const { step, returnDays, periodsPerYear } = configs[0]
  const periods = rebalanceDates(view.firstDate, view.endDate, step)
  return {
    trials: trials.map(({ net, avgTurnover }, c) => ({
      net,
      avgTurnover,
      tranches: configs[c].portfolio.tranches,
    })),
    winner,
    universe: universeReturns(data, periods).universe,
    days: Int32Array.from(periods, date => data.days[date]),
    returnDays,
    periodsPerYear,
    hasCosts: tradingCosts.roundTripOfMarket.some(cost => cost > 0),
    pbo,
    warnings: warnings.map(({ code }) => code),
  }
}

/** A sweep's test for superior predictive ability, ready for its resamples. Null: not included, or not computed. */
export function prepareSweepSpa(plan: SweepPlan, series: readonly SliceSeries[]): SpaTest | null {
  const { evidence, view, configs } = plan
  if (!evidence?.sections.includes('spa')) return null
  const periods = rebalanceDates(view.firstDate, view.endDate, configs[0].step).length
  const records = sweepRecords(plan, readTrials(plan, series, periods), 0, [], null)
  const { series: trials, benchmark, meanBlock } = spaInput(evidence, records)
  return prepareSpa(trials, benchmark, meanBlock)
}

/** Some resamples of one tile. */
export interface SpaSlice {
  readonly tile: number
  readonly first: number
  readonly end: number
}

/** A slice takes a thread for about this long: short enough for the lanes to end together, as those of the configurations do. */
const sliceMs = 10
/** Roughly, per period to draw a resample, and per configuration and block to add one. */
const drawMs = 4e-6
const blockMs = 0.9e-6

/** Cuts the resamples of all tiles into slices. */
export function cutSpaSlices({ periods, meanBlock, tiles }: SpaTest, resamples: number): SpaSlice[] {
  const blocks = Math.ceil(periods / meanBlock) + 1
  return tiles.flatMap(({ width }, tile) => {
    const size = Math.max(1, Math.floor(sliceMs / (periods * drawMs + blocks * width * blockMs)))
    return Array.from({ length: Math.ceil(resamples / size) }, (_, i) => ({
      tile,
      first: i * size,
      end: Math.min(resamples, (i + 1) * size),
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
  /** Putting 1 here stops the slice within a resample's work. */
  readonly stop: Int32Array
}

/** Some resamples of a sweep's test, into shared memory. */
export function runSpaSlice({ test, tile, seed, first, end, maxima, stop }: SpaSliceInput): null {
  resampleMaxima(test, tile, seed, [first, end], maxima, stop)
  return null
}
