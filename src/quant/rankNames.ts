/** rank[i] is the place of keys[i] among all keys in code-unit order; `sorted` are the names in that order. */
export function rankNames(
  names: readonly string[],
  keys: readonly string[] = names,
): { rank: Int32Array; sorted: string[] } {
  const places = names.map((_, i) => i)
  places.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0))
  const rank = new Int32Array(names.length)
  places.forEach((original, place) => {
    rank[original] = place
  })
  return { rank, sorted: places.map(place => names[place]) }
}
