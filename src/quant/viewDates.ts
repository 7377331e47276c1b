import type { Dataset } from './dataset.ts'

/** Dates first .. end - 1 of a dataset: a view, nothing is copied. */
export interface DateView {
  readonly firstDate: number
  readonly endDate: number
  /** Rows of the dates from .. to that `maxRows` left out. */
  readonly rowsOverLimit: number
}

/** The dates from `fromDay` to `toDay`, both included; with `maxRows`, the most recent whole dates whose rows fit
 * together (none where the most recent alone is larger). */
export function viewDates(data: Dataset, fromDay: number, toDay: number, maxRows: number): DateView {
  const { days, offsets } = data
  let firstDate = 0
  let endDate = days.length
  while (firstDate < endDate && days[firstDate] < fromDay) firstDate++
  while (endDate > firstDate && days[endDate - 1] > toDay) endDate--
  const firstRow = offsets[firstDate]
  while (firstDate < endDate && offsets[endDate] - offsets[firstDate] > maxRows) firstDate++
  return { firstDate, endDate, rowsOverLimit: offsets[firstDate] - firstRow }
}
