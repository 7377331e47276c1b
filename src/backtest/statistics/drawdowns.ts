/** A fall from a peak until the curve has recovered to it. The fields are indices of points on the curve. */
export interface Drawdown {
  readonly peak: number
  readonly trough: number
  /** null: not recovered by the end. */
  readonly recovered: number | null
  /** The value at the trough divided by the value at the peak, minus 1: a fraction < 0. */
  readonly depth: number
}

/** The deepest drawdowns of an equity curve, deepest first; of equal ones the earlier comes first. Each
 * starts at a running maximum and ends at the first point that is not below it. The deepest one has the
 * depth of `maxDrawdown`. O(T).
 *
 * @param curve from `equityCurve`: at least one point
 * @param max the number of drawdowns to return */
export function worstDrawdowns(curve: Float64Array, max: number): Drawdown[] {
  const all: Drawdown[] = []
  let peak = 0
  let trough = 0
  for (let i = 1; i <= curve.length; i++) {
    const ended = i === curve.length
    if (!ended && curve[i] < curve[peak]) {
      if (curve[i] < curve[trough] || trough === peak) trough = i
      continue
    }
    if (trough !== peak)
      all.push({ peak, trough, recovered: ended ? null : i, depth: curve[trough] / curve[peak] - 1 })
    peak = i
    trough = i
  }
  return all.sort((a, b) => a.depth - b.depth || a.peak - b.peak).slice(0, max)
}
