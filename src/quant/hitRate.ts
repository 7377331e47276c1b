/** Share of periods with a return above 0. Null without a period. */
export function hitRate(returns: Float64Array): number | null {
  if (returns.length === 0) return null
  let won = 0
  for (let t = 0; t < returns.length; t++) if (returns[t] > 0) won++
  return won / returns.length
}
