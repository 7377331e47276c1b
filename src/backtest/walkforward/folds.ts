import { addBusinessDays } from '../dataset/calendar.ts'
import { cagr, equityCurve } from '../statistics/returns.ts'
import { maxDrawdown } from '../statistics/risk.ts'
import { sharpe } from '../statistics/sharpe.ts'

/** One fold's record. */
export interface Fold extends FoldWindow {
  readonly trainSharpe: number | null
  readonly judgedTrainSharpe: number | null
  readonly sharpe: number | null
  readonly judgedSharpe: number | null
  readonly cagr: number | null
  readonly maxDrawdown: number
}

/** The returns of a configuration, per period, fractions. */
export interface FoldReturns {
  readonly net: Float64Array
  /** Net return minus the return of the benchmark; against cash, the array of net returns itself. */
  readonly judged: Float64Array
}

/** Walk-forward folds of one configuration. Nothing is fitted, so they are its record on out-of-sample
 * blocks. The portfolio and its costs carry over from fold to fold.
 *
 * @param days day of each period, ascending */
export function walkForward(returns: FoldReturns, days: Int32Array, settings: FoldSettings): Fold[] {
  return foldWindows(days, settings).map(window => foldRecord(returns, window, settings.periodsPerYear))
}

/** The record of a configuration in one fold. */
export function foldRecord({ net, judged }: FoldReturns, window: FoldWindow, periodsPerYear: number): Fold {
  const test = net.subarray(window.testStart, window.testEnd)
  const { curve } = equityCurve(test)
  const trained = trainSharpe(net, window, periodsPerYear)
  const tested = sharpe(test, periodsPerYear)
  const isCash = judged === net
  return {
    ...window,
    trainSharpe: trained,
    judgedTrainSharpe: isCash ? trained : trainSharpe(judged, window, periodsPerYear),
    sharpe: tested,
    judgedSharpe: isCash ? tested : sharpe(judged.subarray(window.testStart, window.testEnd), periodsPerYear),
    cagr: cagr(curve[curve.length - 1], test.length, periodsPerYear),
    maxDrawdown: maxDrawdown(curve),
  }
}

/** Annualised Sharpe ratio of the training periods. */
export function trainSharpe(
  returns: Float64Array,
  { trainEnd }: FoldWindow,
  periodsPerYear: number,
): number | null {
  return sharpe(returns.subarray(0, trainEnd), periodsPerYear)
}

/** One fold's periods: trained on 0 .. trainEnd - 1, tested on testStart .. testEnd - 1. */
interface FoldWindow {
  readonly fold: number
  readonly trainEnd: number
  readonly testStart: number
  readonly testEnd: number
}

export interface FoldSettings {
  readonly folds: number
  /** h, in periods. */
  readonly tranches: number
  readonly returnDays: number
  /** The day on which the return of each period ends, or is known if that is later; undefined: `returnDays` weekdays after the day of the period. */
  readonly ends?: Int32Array | undefined
  readonly periodsPerYear: number
}

/** Cuts T periods into folds + 1 equal blocks. Block 0 is only for training. Fold f tests block f and trains
 * on all periods before it, minus a purge of the last h + 1. The purge is longer if the dates are so
 * irregular that a training return would still end after the first test date. So the last training return
 * always ends on or before the first test date.
 *
 * With fewer than folds + 1 periods there are T - 1 folds of one period.
 *
 * @param days day of each period, ascending
 * @see Lopez de Prado, M. (2018), Advances in Financial Machine Learning, chapter 7 (purging) */
export function foldWindows(days: Int32Array, settings: FoldSettings): FoldWindow[] {
  const folds = Math.min(settings.folds, days.length - 1)
  if (folds < 1) return []
  const bounds = blockBounds(days.length, folds + 1)
  return Array.from({ length: folds }, (_, i) => ({
    fold: i + 1,
    trainEnd: purgedEnd(days, bounds[i + 1], settings),
    testStart: bounds[i + 1],
    testEnd: bounds[i + 2],
  }))
}

type PurgeSettings = Pick<FoldSettings, 'tranches' | 'returnDays' | 'ends'>

const endOf = (days: Int32Array, period: number, { ends, returnDays }: PurgeSettings): number =>
  ends === undefined ? addBusinessDays(days[period], returnDays) : ends[period]

/** The end of the training periods before a test: h + 1 periods earlier, or more if dates are irregular. */
export function purgedEnd(days: Int32Array, testStart: number, settings: PurgeSettings): number {
  let end = Math.max(0, testStart - (settings.tranches + 1))
  while (end > 0 && endOf(days, end - 1, settings) > days[testStart]) end--
  return end
}

/** The start of the training periods after a test, found the same way: the last test return ends on or before
 * it.
 *
 * @param testEnd the period after the last one of the test */
export function purgedStart(days: Int32Array, testEnd: number, settings: PurgeSettings): number {
  const lastReturnEnds = endOf(days, testEnd - 1, settings)
  let start = Math.min(days.length, testEnd + settings.tranches + 1)
  while (start < days.length && days[start] < lastReturnEnds) start++
  return start
}

/** Cuts 0 .. count into `blocks` equal parts: part i is bounds[i] .. bounds[i + 1], bounds[i] = floor(i count /
 * blocks). */
export function blockBounds(count: number, blocks: number): number[] {
  return Array.from({ length: blocks + 1 }, (_, i) => Math.floor((i * count) / blocks))
}
