/** Fall of each point from the highest before it, a fraction <= 0; null where the curve has no value. The first point
 * is a peak. */
export function drawdowns(curve: readonly (number | null)[]): (number | null)[] {
  let peak = 0
  return curve.map(value => {
    if (value === null) return null
    if (value > peak) peak = value
    return value / peak - 1
  })
}
