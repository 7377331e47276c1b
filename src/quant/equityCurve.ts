/** 1, then the running product of 1 + net. At or below 0 the money is gone: the curve ends there, with that
 * value as its last point, and `ruined` is true. Shape: at most T + 1 points. */
export function equityCurve(net: Float64Array): { curve: Float64Array; ruined: boolean } {
  const curve = new Float64Array(net.length + 1)
  curve[0] = 1
  for (let t = 0; t < net.length; t++) {
    curve[t + 1] = curve[t] * (1 + net[t])
    if (curve[t + 1] <= 0) return { curve: curve.slice(0, t + 2), ruined: true }
  }
  return { curve, ruined: false }
}
