import { type Fold, type FoldSettings, foldRecord, foldWindows, trainSharpe } from './folds.ts'

/** A configuration's record, as far as a choice between configurations looks at it. */
export interface Candidate {
  readonly label: string
  /** h, in periods. */
  readonly tranches: number
  readonly net: Float64Array
}

/** A fold, and which candidate it traded. */
export interface ChosenFold {
  readonly candidate: number
  readonly fold: Fold
}

/** Walk-forward folds of a sweep. Each fold trades the candidate with the highest training Sharpe ratio, and its record
 * is that candidate's own: fold f of the sweep is, number for number, fold f of the single backtest of the candidate it
 * names. So each candidate trains on its own window, purged by its own h + 1 periods, and no window reaches a return
 * that ends after the first test date.
 *
 * Only training returns decide: a tie, and a fold in which nobody has a training Sharpe ratio, goes to the first label
 * in code-unit order. (Turnover, which settles ties for the winner, would look at the scores of the test block.)
 *
 * O(candidates folds T). */
export function walkForwardChoice(
  candidates: readonly Candidate[],
  days: Int32Array,
  settings: Omit<FoldSettings, 'tranches'>,
): ChosenFold[] {
  const { periodsPerYear } = settings
  const windows = candidates.map(({ tranches }) => foldWindows(days, { ...settings, tranches }))
  return windows[0].map((_, f) => {
    let best = 0
    let highest: number | null = null
    candidates.forEach(({ net, label }, c) => {
      const found = trainSharpe(net, windows[c][f], periodsPerYear)
      const higher = found !== null && (highest === null || found > highest)
      if (higher || (found === highest && label < candidates[best].label)) {
        best = c
        highest = found
      }
    })
    return { candidate: best, fold: foldRecord(candidates[best].net, windows[best][f], periodsPerYear) }
  })
}
