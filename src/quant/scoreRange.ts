/** What one look over a date's scores yields. `min` and `max` are +-Infinity where nothing is eligible. */
export interface ScoreRange {
  eligible: number
  min: number
  max: number
  /** Of the eligible scores. */
  sum: number
}

/** Fills `range` from rows start .. end. A NaN score is not eligible.
 *
 * Unrolled by four: one running sum would wait for each addition. A NaN shows in the sum; only then are the
 * scores looked at one by one. */
export function scoreRange(score: Float64Array, start: number, end: number, range: ScoreRange): void {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  let sumA = 0
  let sumB = 0
  let sumC = 0
  let sumD = 0
  let row = start
  for (; row + 3 < end; row += 4) {
    const a = score[row]
    const b = score[row + 1]
    const c = score[row + 2]
    const d = score[row + 3]
    sumA += a
    sumB += b
    sumC += c
    sumD += d
    if (a < min) min = a
    if (a > max) max = a
    if (b < min) min = b
    if (b > max) max = b
    if (c < min) min = c
    if (c > max) max = c
    if (d < min) min = d
    if (d > max) max = d
  }
  for (; row < end; row++) {
    const a = score[row]
    sumA += a
    if (a < min) min = a
    if (a > max) max = a
  }
  range.sum = sumA + sumB + (sumC + sumD)
  range.eligible = end - start
  range.min = min
  range.max = max
  if (Number.isNaN(range.sum)) skipMissing(score, start, end, range)
}

function skipMissing(score: Float64Array, start: number, end: number, range: ScoreRange): void {
  let eligible = 0
  let sum = 0
  for (let row = start; row < end; row++) {
    const s = score[row]
    if (Number.isNaN(s)) continue
    eligible++
    sum += s
  }
  range.eligible = eligible
  range.sum = sum
}
