/** Sorts `rows[from .. from + count)` by score, stably, so equal scores keep the order they came in. Bottom-up
 * merge sort, O(n log n) whatever the scores: the fallback for scores that share too few buckets.
 *
 * @param spare at least `count` long */
export function mergeSort(
  score: Float64Array,
  rows: Int32Array,
  from: number,
  count: number,
  spare: Int32Array,
): void {
  for (let width = 1; width < count; width *= 2) {
    for (let left = 0; left < count; left += 2 * width) {
      const middle = Math.min(left + width, count)
      const right = Math.min(left + 2 * width, count)
      let a = left
      let b = middle
      for (let to = left; to < right; to++) {
        const takeLeft = a < middle && (b >= right || score[rows[from + a]] <= score[rows[from + b]])
        spare[to] = takeLeft ? rows[from + a++] : rows[from + b++]
      }
    }
    for (let i = 0; i < count; i++) rows[from + i] = spare[i]
  }
}
