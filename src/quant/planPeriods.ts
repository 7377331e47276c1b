/** The dates that become periods: every `step`-th of firstDate .. endDate - 1, from the first. With step > 1 the
 * returns of neighbouring dates overlap, and compounding them would count each day several times. */
export function planPeriods(firstDate: number, endDate: number, step: number): Int32Array {
  const dates = new Int32Array(Math.max(0, Math.ceil((endDate - firstDate) / step)))
  for (let t = 0; t < dates.length; t++) dates[t] = firstDate + t * step
  return dates
}
