import { blockBounds } from './blockBounds.ts'
import { addBusinessDays } from './businessDays.ts'
import { cagr } from './cagr.ts'
import { equityCurve } from './equityCurve.ts'
import { maxDrawdown } from './maxDrawdown.ts'
import { sharpe } from './sharpe.ts'

/** One fold: trained on periods 0 .. trainEnd - 1, tested on testStart .. testEnd - 1. */
export interface Fold {
  readonly fold: number
  readonly trainEnd: number
  readonly testStart: number
  readonly testEnd: number
  readonly trainSharpe: number | null
  readonly sharpe: number | null
  readonly cagr: number | null
  readonly maxDrawdown: number
}

export interface FoldSettings {
  readonly folds: number
  /** h, in periods. */
  readonly tranches: number
  readonly returnDays: number
  readonly periodsPerYear: number
}

/** Walk-forward folds of one configuration's record. The T periods are cut in folds + 1 equal blocks; block 0 only
 * trains; fold f tests block f and trains on all before it, less a purge of the last h + 1 periods, and of more
 * where the dates are so irregular that a training return would still end after the first test date. So the end
 * of the last training return <= the first test date, always.
 *
 * With fewer than folds + 1 periods there are T - 1 folds of one period.
 *
 * @param net per period
 * @param days day of each period, ascending
 * @see Lopez de Prado, M. (2018), Advances in Financial Machine Learning, chapter 7 (purging) */
export function walkForward(net: Float64Array, days: Int32Array, settings: FoldSettings): Fold[] {
  const folds = Math.min(settings.folds, net.length - 1)
  if (folds < 1) return []
  const bounds = blockBounds(net.length, folds + 1)
  const { periodsPerYear } = settings
  return Array.from({ length: folds }, (_, i) => {
    const testStart = bounds[i + 1]
    const testEnd = bounds[i + 2]
    const trainEnd = purgedEnd(days, testStart, settings)
    const test = net.subarray(testStart, testEnd)
    const { curve } = equityCurve(test)
    return {
      fold: i + 1,
      trainEnd,
      testStart,
      testEnd,
      trainSharpe: sharpe(net.subarray(0, trainEnd), periodsPerYear),
      sharpe: sharpe(test, periodsPerYear),
      cagr: cagr(curve[curve.length - 1], test.length, periodsPerYear),
      maxDrawdown: maxDrawdown(curve),
    }
  })
}

function purgedEnd(days: Int32Array, testStart: number, { tranches, returnDays }: FoldSettings): number {
  let end = Math.max(0, testStart - (tranches + 1))
  while (end > 0 && addBusinessDays(days[end - 1], returnDays) > days[testStart]) end--
  return end
}
