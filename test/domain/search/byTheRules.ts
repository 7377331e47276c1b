import type { SearchHit } from '../../../src/model/search.ts'

/** The rules of the specification (4.4) and of decisions.md (8), read aloud over a list: no index, no shortcut.
 * For names without letters that Unicode does not decompose. */
export function searchByTheRules(all: readonly SearchHit[], q: string): SearchHit[] {
  const text = fold(q)
  const ranked = all
    .map(row => ({ row, level: levelOf(row, text) }))
    .filter(entry => entry.level !== null)
    .sort(
      (a, b) =>
        a.level! - b.level! ||
        Number(a.row.name === null) - Number(b.row.name === null) ||
        (a.row.name?.length ?? 0) - (b.row.name?.length ?? 0) ||
        (a.row.ticker < b.row.ticker ? -1 : 1),
    )
  return ranked.slice(0, 8).map(({ row: { ticker, name, market } }) => ({ ticker, name, market }))
}

const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()

function levelOf(row: SearchHit, text: string): number | null {
  const id = fold(row.ticker)
  if (id === text) return 1
  if (id.startsWith(text)) return 2
  if (row.name === null) return null
  const name = fold(row.name)
  if (['FR', 'BE', 'DK'].includes(row.market)) {
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
