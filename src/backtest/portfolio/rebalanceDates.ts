/** The dates that become periods: every `step`-th of firstDate .. endDate - 1, from the first. With step > 1 the
 * returns of neighbouring dates overlap, and compounding all of them would count each day several times.
 *
 * @param step from `rebalanceStep`
 * @returns date indices */
export function rebalanceDates(firstDate: number, endDate: number, step: number): Int32Array {
  const dates = new Int32Array(Math.max(0, Math.ceil((endDate - firstDate) / step)))
  for (let t = 0; t < dates.length; t++) dates[t] = firstDate + t * step
  return dates
}

/** Dates from one period to the next: step = max(1, round(returnDays / dateGap)), halves up.
 *
 * @param dateGap business days, from `medianDateGap` */
export function rebalanceStep(returnDays: number, dateGap: number): number {
  return Math.max(1, Math.round(returnDays / dateGap))
}
