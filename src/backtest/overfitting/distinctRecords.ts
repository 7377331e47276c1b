import { mean } from '../statistics/moments.ts'

/** Returns that differ by less than this are considered equal: they differ only by the order in which their
 * parts were added. */
const rounding = 1e-12

/** The trials without duplicates: of those whose net returns differ in no period by more than 1e-12, only the
 * first is kept. If few names are ranked, quantiles and weightings often hold the same portfolio. In the
 * order of the trials. O(M log M + M T) if means differ.
 *
 * @param series net returns per period, fractions; M arrays of length T */
export function distinctRecords(series: readonly Float64Array[]): Float64Array[] {
  const means = series.map(mean)
  const order = means.map((_, i) => i)
  order.sort((a, b) => means[a] - means[b] || a - b)
  const kept: number[] = []
  for (const trial of order) {
    let repeats = false
    for (let i = kept.length - 1; i >= 0 && means[trial] - means[kept[i]] <= rounding; i--) {
      if (!isSame(series[kept[i]], series[trial])) continue
      kept[i] = Math.min(kept[i], trial)
      repeats = true
      break
    }
    if (!repeats) kept.push(trial)
  }
  return kept.sort((a, b) => a - b).map(trial => series[trial])
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  for (let t = 0; t < a.length; t++) if (!(Math.abs(a[t] - b[t]) <= rounding)) return false
  return true
}
