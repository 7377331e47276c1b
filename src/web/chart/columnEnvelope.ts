/** Which points of a line to draw: in each pixel column the first, the lowest, the highest and the last, in their
 * order. A line through them covers the same pixels as a line through all, so no peak or fall is lost.
 *
 * @param x not falling, in pixels
 * @param y in pixels; NaN where there is no value, and then the line breaks
 * @returns indices, rising */
export function columnEnvelope(x: Float64Array, y: Float64Array): number[] {
  const kept: number[] = []
  let from = 0
  while (from < x.length) {
    const column = Math.floor(x[from])
    let to = from
    while (to + 1 < x.length && Math.floor(x[to + 1]) === column) to++
    keepColumn(y, from, to, kept)
    from = to + 1
  }
  return kept
}

function keepColumn(y: Float64Array, from: number, to: number, kept: number[]): void {
  let low = -1
  let high = -1
  let gap = -1
  for (let i = from; i <= to; i++) {
    if (Number.isNaN(y[i])) {
      gap = i
      continue
    }
    if (low < 0 || y[i] < y[low]) low = i
    if (high < 0 || y[i] > y[high]) high = i
  }
  const chosen = [from, low, high, gap, to].filter(i => i >= 0).sort((a, b) => a - b)
  for (const i of chosen) if (kept.at(-1) !== i) kept.push(i)
}
