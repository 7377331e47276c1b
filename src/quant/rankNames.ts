/** rank[i] is the place of names[i] among all names in code-unit order; `sorted` are the names in that order. */
export function rankNames(names: readonly string[]): { rank: Int32Array; sorted: string[] } {
  const places = names.map((_, i) => i)
  places.sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : 0))
  const rank = new Int32Array(names.length)
  places.forEach((original, place) => {
    rank[original] = place
  })
  return { rank, sorted: places.map(place => names[place]) }
}
