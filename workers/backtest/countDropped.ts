import type { BacktestDropped } from '../../src/model/backtestResult.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import type { PeriodSeries } from '../../src/quant/periodSeries.ts'
import type { DateView } from '../../src/quant/viewDates.ts'

/** Where the rows went. used + rows_without_score + rows_off_step + rows_over_limit = all rows asked for. */
export function countDropped(
  data: Dataset,
  view: DateView,
  periods: Int32Array,
  series: PeriodSeries,
): { used: number; dropped: BacktestDropped } {
  const { offsets, score, forwardReturn, ranking } = data
  let rows = 0
  let withoutScore = 0
  let withoutReturn = 0
  for (const date of periods) {
    const end = offsets[date + 1]
    const all = end - offsets[date]
    rows += all
    // A date that its ranking knows to be complete need not be looked at.
    if (ranking && ranking.eligible[date] === all && ranking.known[date] === all) continue
    for (let row = offsets[date]; row < end; row++) {
      if (Number.isNaN(score[row])) withoutScore++
      else if (Number.isNaN(forwardReturn[row])) withoutReturn++
    }
  }
  let heldWithoutReturn = 0
  for (const names of series.heldWithoutReturn) heldWithoutReturn += names
  return {
    used: rows - withoutScore,
    dropped: {
      rows_over_limit: view.rowsOverLimit,
      rows_off_step: data.offsets[view.endDate] - data.offsets[view.firstDate] - rows,
      rows_without_score: withoutScore,
      rows_without_return: withoutReturn,
      held_without_return: heldWithoutReturn,
    },
  }
}
