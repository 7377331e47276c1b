import type { SearchHit } from '../../../src/features/search/schema.ts'

export interface NamedEntity extends SearchHit {
  readonly otherNames?: readonly string[]
}

/** The rules of the specification (4.4) and of decisions.md (8), read aloud over a list: no index, no shortcut. A company
 * stands where the best of its names puts it. For names without letters that Unicode does not decompose. */
export function searchByTheRules(all: readonly NamedEntity[], q: string): SearchHit[] {
  const text = fold(q)
  const ranked = all
    .map(row => ({ row, place: placeOf(row, text) }))
    .filter(entry => entry.place !== null)
    .sort((a, b) => {
      for (const [i, rank] of a.place!.entries()) if (rank !== b.place![i]) return rank - b.place![i]
      return a.row.ticker < b.row.ticker ? -1 : 1
    })
  return ranked.slice(0, 8).map(({ row: { ticker, name, market } }) => ({ ticker, name, market }))
}

const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()

/** Level, whether the entity has no name where an ID decides, and the length of the name that decides. */
function placeOf(row: NamedEntity, text: string): number[] | null {
  const id = fold(row.ticker)
  if (id.startsWith(text)) return [id === text ? 1 : 2, Number(row.name === null), row.name?.length ?? 0]
  const places = [row.name, ...(row.otherNames ?? [])].flatMap(name => {
    const level = name === null ? null : levelOf(fold(name), row.market, text)
    return level === null || name === null ? [] : [[level, 0, name.length]]
  })
  return places.sort((a, b) => a[0] - b[0] || a[2] - b[2])[0] ?? null
}

function levelOf(name: string, market: string, text: string): number | null {
  if (['FR', 'BE', 'DK'].includes(market)) {
    if (!matchesByWord(name, text)) return null
    return name.startsWith(text) ? 3 : 4
  }
  if (name.startsWith(text)) return 3
  return name.includes(text) ? 4 : null
}

const wordsOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter(word => word !== '')

function matchesByWord(name: string, text: string): boolean {
  const typed = wordsOf(text)
  const has = (word: string) =>
    wordsOf(name).some(known => (word.length < 4 ? known === word : known.startsWith(word)))
  return typed.length > 0 && typed.every(has)
}
