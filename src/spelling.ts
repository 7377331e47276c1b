/** The names closest to `input`, at most `maxNames`. Names that begin with it, or that it begins with, come
 * first, followed by those a few letters away. Names that differ in more than a third of its letters are
 * omitted. */
export function nearNames(input: string, names: Iterable<string>, maxNames: number): string[] {
  const maxDistance = Math.max(1, Math.floor(input.length / 3))
  const ranked: { name: string; distance: number }[] = []
  for (const name of names) {
    const isPrefix =
      input.length > 1 && (name.startsWith(input) || (name.length > 1 && input.startsWith(name)))
    const distance = isPrefix
      ? Math.abs(name.length - input.length) / 100
      : editDistance(input, name, maxDistance)
    if (distance <= maxDistance) ranked.push({ name, distance })
  }
  ranked.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return ranked.slice(0, maxNames).map(entry => entry.name)
}

/** Damerau-Levenshtein distance (two adjacent letters may be swapped). Returns `bound + 1` immediately if the
 * lengths differ by more than `bound`. */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) > bound) return bound + 1
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let distance = Math.min(
        previous[column] + 1,
        current[column - 1] + 1,
        previous[column - 1] + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        distance = Math.min(distance, beforePrevious[column - 2] + 1)
      }
      current.push(distance)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.length]
}
