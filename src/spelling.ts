/** The names closest to `sent`, at most `most`: names that begin with it or that it begins with first, then
 * those a few letters away. Names that share nothing with it are left out. */
export function nearNames(sent: string, names: Iterable<string>, most: number): string[] {
  const allowed = Math.max(1, Math.floor(sent.length / 3))
  const ranked: { name: string; distance: number }[] = []
  for (const name of names) {
    const kin = sent.length > 1 && (name.startsWith(sent) || (name.length > 1 && sent.startsWith(name)))
    const distance = kin ? Math.abs(name.length - sent.length) / 100 : editDistance(sent, name, allowed)
    if (distance <= allowed) ranked.push({ name, distance })
  }
  ranked.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return ranked.slice(0, most).map(entry => entry.name)
}

/** Damerau-Levenshtein distance (adjacent letters may change places), `bound + 1` when it is greater. */
function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) > bound) return bound + 1
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let least = Math.min(
        previous[column] + 1,
        current[column - 1] + 1,
        previous[column - 1] + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, beforePrevious[column - 2] + 1)
      }
      current.push(least)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.length]
}
