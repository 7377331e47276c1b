import {
  type Fold,
  type FoldReturns,
  type FoldSettings,
  foldRecord,
  foldWindows,
  trainSharpe,
} from './folds.ts'

/** What is known about each configuration when one is chosen. */
export interface Candidate extends FoldReturns {
  readonly label: string
  /** h, in periods. */
  readonly tranches: number
}

/** A fold and the index of the candidate that it traded. */
interface ChosenFold {
  readonly candidate: number
  readonly fold: Fold
}

/** Walk-forward folds of a sweep. Each fold trades the candidate with the highest training Sharpe ratio of
 * its judged returns. Its record is that candidate's own: fold f of the sweep equals fold f of that
 * candidate's single backtest, number for number. So each candidate trains on its own window, purged by its
 * own h + 1 periods. No window contains a return that ends after the first test date.
 *
 * Only training returns decide. A tie goes to the first label in code-unit order, and so does a fold in
 * which no candidate has a training Sharpe ratio. (Turnover, which breaks ties for the winner of the sweep,
 * would depend on the scores of the test block.)
 *
 * O(candidates folds T).
 *
 * @param days day of each period, ascending */
export function walkForwardSweep(
  candidates: readonly Candidate[],
  days: Int32Array,
  settings: Omit<FoldSettings, 'tranches'>,
): ChosenFold[] {
  const { periodsPerYear } = settings
  const windows = candidates.map(({ tranches }) => foldWindows(days, { ...settings, tranches }))
  return windows[0].map((_, f) => {
    let best = 0
    let highest: number | null = null
    candidates.forEach(({ judged, label }, c) => {
      const trained = trainSharpe(judged, windows[c][f], periodsPerYear)
      const higher = trained !== null && (highest === null || trained > highest)
      if (higher || (trained === highest && label < candidates[best].label)) {
        best = c
        highest = trained
      }
    })
    return { candidate: best, fold: foldRecord(candidates[best], windows[best][f], periodsPerYear) }
  })
}
