import { blockBounds } from './blockBounds.ts'
import { addBusinessDays } from './businessDays.ts'

/** One fold's periods: trained on 0 .. trainEnd - 1, tested on testStart .. testEnd - 1. */
export interface FoldWindow {
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
  readonly periodsPerYear: number
}

/** Cuts T periods in folds + 1 equal blocks. Block 0 only trains; fold f tests block f and trains on all before it,
 * less a purge of the last h + 1 periods, and of more where the dates are so irregular that a training return would
 * still end after the first test date. So the end of the last training return <= the first test date, always.
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

function purgedEnd(days: Int32Array, testStart: number, { tranches, returnDays }: FoldSettings): number {
  let end = Math.max(0, testStart - (tranches + 1))
  while (end > 0 && addBusinessDays(days[end - 1], returnDays) > days[testStart]) end--
  return end
}
