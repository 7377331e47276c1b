import type { SearchHit } from '../../../src/features/search/schema.ts'

export interface NamedEntity extends SearchHit {
  readonly otherNames?: readonly string[]
}

/** The rules of the specification (4.4) and of decisions.md (8), applied one by one to a list: no index, no shortcut. The best of a
 * company's names decides its rank. For names without letters that Unicode does not decompose. */
export function searchByTheRules(all: readonly NamedEntity[], q: string): SearchHit[] {
  const text = fold(q)
  const ranked = all
    .map(row => ({ row, rank: rankOf(row, text) }))
    .flatMap(({ row, rank }) => (rank === null ? [] : [{ row, rank }]))
    .sort((a, b) => {
      for (const [i, part] of a.rank.entries()) if (part !== b.rank[i]) return part - b.rank[i]
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

const squeeze = (folded: string) => folded.replace(/[^\p{L}\p{N}]/gu, '')

/** Level, whether the entity has no name where an ID decides, and the length of the name that decides. */
function rankOf(row: NamedEntity, text: string): number[] | null {
  if (squeeze(text) === '') return null
  const idLevel = levelOfId(fold(row.ticker), text)
  if (idLevel !== null) return [idLevel, Number(row.name === null), row.name?.length ?? 0]
  const ranks = [row.name, ...(row.otherNames ?? [])].flatMap(name => {
    const level = name === null ? null : levelOf(fold(name), row.market, text)
    return level === null || name === null ? [] : [[level, 0, name.length]]
  })
  return ranks.sort((a, b) => a[0] - b[0] || a[2] - b[2])[0] ?? null
}

function levelOfId(id: string, text: string): number | null {
  if (id === text) return 1
  if (squeeze(id) === squeeze(text)) return 1.1
  if (/^\.[a-z]{2}$/.test(id.slice(text.length)) && id.startsWith(text)) return 1.2
  return id.startsWith(text) ? 2 : null
}

function levelOf(name: string, market: string, text: string): number | null {
  const begins = squeeze(name).startsWith(squeeze(text))
  if (['FR', 'BE', 'DK'].includes(market)) {
    if (!matchesByWord(name, text)) return null
    return begins ? 3 : 4
  }
  if (begins) return 3
  return squeeze(name).includes(squeeze(text)) ? 4 : null
}

const notEmpty = (words: readonly string[]) => words.filter(word => word !== '')
const wordsOf = (text: string) => notEmpty(text.split(/[^\p{L}\p{N}]+/u))
const joinedWordsOf = (text: string) => notEmpty(text.split(' ').map(squeeze))

function matchesByWord(name: string, text: string): boolean {
  const known = [...wordsOf(name), ...joinedWordsOf(name), squeeze(name)]
  const has = (word: string) =>
    known.some(other => (word.length < 4 ? other === word : other.startsWith(word)))
  const all = (typed: readonly string[]) => typed.length > 0 && typed.every(has)
  const typed = squeeze(text)
  return all(wordsOf(text)) || all(joinedWordsOf(text)) || (has(typed) && beginsAsOneWord(name, text, typed))
}

/** Whether a name begins with all letters of a query as one word. If its last word has fewer than four characters, a word of the name
 * has to end there, too. */
function beginsAsOneWord(name: string, text: string, typed: string): boolean {
  if (!squeeze(name).startsWith(typed)) return false
  const words = wordsOf(name)
  const ends = words.map((_, count) => words.slice(0, count + 1).join('').length)
  return (wordsOf(text).at(-1)?.length ?? 0) >= 4 || ends.includes(typed.length)
}
