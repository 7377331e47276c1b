/** Mean of the known returns of rows start .. end - 1, 0 where none is known, to `universe[t]`; how many are known to
 * `known[t]`.
 *
 * Four running sums: one would wait for each addition. A missing return shows as NaN in the sum, and only then are
 * they looked at one by one. */
export function universeReturn(
  forwardReturn: Float64Array,
  start: number,
  end: number,
  universe: Float64Array,
  known: Int32Array,
  t: number,
): void {
  let sumA = 0
  let sumB = 0
  let sumC = 0
  let sumD = 0
  let row = start
  for (; row + 3 < end; row += 4) {
    sumA += forwardReturn[row]
    sumB += forwardReturn[row + 1]
    sumC += forwardReturn[row + 2]
    sumD += forwardReturn[row + 3]
  }
  for (; row < end; row++) sumA += forwardReturn[row]
  let sum = sumA + sumB + (sumC + sumD)
  let count = end - start
  if (Number.isNaN(sum)) {
    sum = 0
    count = 0
    for (row = start; row < end; row++) {
      const r = forwardReturn[row]
      if (Number.isNaN(r)) continue
      sum += r
      count++
    }
  }
  universe[t] = count === 0 ? 0 : sum / count
  known[t] = count
}
