/** Ranks 1 .. n of `values[0 .. count)`, ties sharing the mean of their places, to `ranks`.
 *
 * @param order scratch, at least `count` long */
export function averageRanks(
  values: Float64Array,
  count: number,
  order: Int32Array,
  ranks: Float64Array,
): void {
  const places = order.subarray(0, count)
  for (let i = 0; i < count; i++) places[i] = i
  places.sort((a, b) => values[a] - values[b] || a - b)
  for (let i = 0; i < count; ) {
    let j = i + 1
    while (j < count && values[places[j]] === values[places[i]]) j++
    for (let m = i; m < j; m++) ranks[places[m]] = (i + 1 + j) / 2
    i = j
  }
}
