import { cagr } from './cagr.ts'
import { equityCurve } from './equityCurve.ts'
import type { FoldWindow } from './foldWindows.ts'
import { maxDrawdown } from './maxDrawdown.ts'
import { sharpe } from './sharpe.ts'

/** One fold's record. */
export interface Fold extends FoldWindow {
  readonly trainSharpe: number | null
  readonly sharpe: number | null
  readonly cagr: number | null
  readonly maxDrawdown: number
}

/** What a configuration earned in one fold. */
export function foldRecord(net: Float64Array, window: FoldWindow, periodsPerYear: number): Fold {
  const test = net.subarray(window.testStart, window.testEnd)
  const { curve } = equityCurve(test)
  return {
    ...window,
    trainSharpe: trainSharpe(net, window, periodsPerYear),
    sharpe: sharpe(test, periodsPerYear),
    cagr: cagr(curve[curve.length - 1], test.length, periodsPerYear),
    maxDrawdown: maxDrawdown(curve),
  }
}

/** Annualised Sharpe ratio of the training periods. */
export function trainSharpe(
  net: Float64Array,
  { trainEnd }: FoldWindow,
  periodsPerYear: number,
): number | null {
  return sharpe(net.subarray(0, trainEnd), periodsPerYear)
}
