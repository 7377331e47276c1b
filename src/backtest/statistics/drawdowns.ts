/** A fall from a peak until the curve is back at it. Places are points of the curve. */
export interface Drawdown {
  readonly peak: number
  readonly trough: number
  /** Null: not recovered by the end. */
  readonly recovered: number | null
  /** Value at the trough over that at the peak, less 1: a fraction < 0. */
  readonly depth: number
}

/** The deepest drawdowns of an equity curve, deepest first; of equal ones the earlier. Each starts at a running maximum and ends at the
 * first point that is not below it. The deepest has the depth of `maxDrawdown`. O(T).
 *
 * @param curve from `equityCurve`: at least one point
 * @param max how many */
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
