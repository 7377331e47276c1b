import { type Fold, foldRecord } from './foldRecord.ts'
import { type FoldSettings, foldWindows } from './foldWindows.ts'

/** Walk-forward folds of one configuration: nothing is fitted, so they are its record on unseen blocks. The book and its
 * costs carry across folds.
 *
 * @param net per period
 * @param days day of each period, ascending */
export function walkForward(net: Float64Array, days: Int32Array, settings: FoldSettings): Fold[] {
  return foldWindows(days, settings).map(window => foldRecord(net, window, settings.periodsPerYear))
}
