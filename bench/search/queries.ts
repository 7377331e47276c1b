import type { Lists } from './realNames.ts'

/** A company of the searched database. */
export interface Sampled {
  readonly name: string
  readonly ticker: string
}

const common = 'sarl sas sci de la the trust holding aps a e association sa bv'.split(' ')
const twoCommon =
  'the trust,sarl de,holding aps,trust sarl,de la,sci sarl,sas sci holding,association de la,the association,bv holding'

/** Search queries by kind, without repeats: typical queries from real names, and names and IDs of this database.
 *
 * @param count maximum of each kind */
export function searchQueries(
  lists: Lists,
  sampled: readonly Sampled[],
  count: number,
  random: () => number,
): Record<string, string[]> {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]
  const size = (min: number, max: number) => min + Math.floor(random() * (max - min + 1))
  const many = (make: () => string) => {
    const made = new Set<string>()
    for (let attempts = 0; attempts < 10 * count && made.size < count; attempts++) {
      const query = make().trim()
      if (query !== '') made.add(query)
    }
    return [...made]
  }
  const beginning = (text: string, min: number, max: number) =>
    Array.from(text).slice(0, size(min, max)).join('')
  const some = sampled.slice(0, count)
  const characters = [...lists.tw, ...lists.jp, ...lists.kr]
  const occurrences = new Map<string, number>()
  for (const word of lists.words) occurrences.set(word, (occurrences.get(word) ?? 0) + 1)
  const rare = [...occurrences]
    .filter(([word, times]) => times === 1 && word.length > 4)
    .map(([word]) => word)
  const kinds = {
    common_word: common,
    two_common_words: twoCommon.split(','),
    word_of_a_name: many(() => pick(lists.words)),
    rare_word: many(() => pick(rare)),
    whole_name: [...some.map(row => row.name), ...many(() => pick([...lists.us, ...lists.nz]))],
    beginning_of_a_name: many(() => beginning(pick([pick(sampled).name, pick(lists.us)]), 3, 7)),
    id: some.map(row => row.ticker),
    registration_number: some.map(row => row.ticker.replace(/\..*/, '')),
    beginning_of_an_id: [
      '1',
      '10',
      '012',
      'c',
      'cc1',
      'u',
      '100000',
      'e1',
      '9',
      '99',
      '09',
      ...many(() => beginning(pick(sampled).ticker, 1, 7)),
    ],
    two_letters: many(() => beginning(pick(lists.words), 2, 2)),
    chinese: many(() => beginning(pick(lists.tw), 2, 2)),
    two_characters: many(() => beginning(pick(characters), 2, 2)),
    typo: many(() => mistyped(pick([...lists.us, ...lists.nz]).split(/\s+/), random)),
    no_hit: many(() => Array.from({ length: 9 }, () => String.fromCharCode(97 + random() * 26)).join('')),
  }
  const seen = new Set<string>()
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, queries]) => {
      const fresh = queries.filter(query => !seen.has(query) && seen.add(query))
      return [kind, fresh.slice(0, count)]
    }),
  )
}

/** One or two words with two letters swapped, one missing, or one doubled. */
function mistyped(words: readonly string[], random: () => number): string {
  const text = words.slice(0, 1 + Math.floor(random() * 2)).join(' ')
  const at = Math.floor(random() * Math.max(1, text.length - 1))
  const [before, here, next, after] = [
    text.slice(0, at),
    text[at] ?? '',
    text[at + 1] ?? '',
    text.slice(at + 2),
  ]
  const kind = Math.floor(random() * 3)
  if (kind === 0) return before + next + here + after
  return kind === 1 ? before + next + after : before + here + here + next + after
}
