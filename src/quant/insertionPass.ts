/** Finishes a bucket sort: `keys[from .. from + count)` are nearly in order; `rows` moves along. Strict
 * comparison keeps equal keys in the order they came. Cost: one comparison per name plus the inversions inside
 * buckets. */
export function insertionPass(
  keys: Float64Array,
  rows: Int32Array,
  keysFrom: number,
  rowsFrom: number,
  count: number,
): void {
  for (let i = 1; i < count; i++) {
    const key = keys[keysFrom + i]
    if (keys[keysFrom + i - 1] <= key) continue
    const row = rows[rowsFrom + i]
    let j = i - 1
    while (j >= 0 && keys[keysFrom + j] > key) {
      keys[keysFrom + j + 1] = keys[keysFrom + j]
      rows[rowsFrom + j + 1] = rows[rowsFrom + j]
      j--
    }
    keys[keysFrom + j + 1] = key
    rows[rowsFrom + j + 1] = row
  }
}
