/** Mean and standard deviation (ddof 1) of a series, by two passes.
 *
 * `deviation` is null with fewer than two values, and where the values do not differ by more than rounding
 * (1e-13 of the largest): a ratio to such a deviation would be noise. */
export function sampleMoments(values: Float64Array): { mean: number; deviation: number | null } {
  const count = values.length
  let sum = 0
  let largest = 0
  for (let i = 0; i < count; i++) {
    sum += values[i]
    largest = Math.max(largest, Math.abs(values[i]))
  }
  const mean = count === 0 ? 0 : sum / count
  if (count < 2) return { mean, deviation: null }
  let squares = 0
  for (let i = 0; i < count; i++) squares += (values[i] - mean) ** 2
  const deviation = Math.sqrt(squares / (count - 1))
  return { mean, deviation: deviation > 1e-13 * largest ? deviation : null }
}
