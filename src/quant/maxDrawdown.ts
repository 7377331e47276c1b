/** Largest fall from a running peak: min of equity / peak - 1, a fraction <= 0. The curve's first point, 1, is
 * a peak too. Below -1 only where a leveraged book lost more than everything. */
export function maxDrawdown(curve: Float64Array): number {
  let peak = curve[0]
  let worst = 0
  for (let i = 0; i < curve.length; i++) {
    if (curve[i] > peak) peak = curve[i]
    worst = Math.min(worst, curve[i] / peak - 1)
  }
  return worst
}
