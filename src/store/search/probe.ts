import type { Statements } from '../database.ts'

export interface FoundEntity {
  entityId: number
  ticker: string
  name: string | null
  market: string
}

/** A query as the search functions of the database see it: folded like every stored name, and the terms to
 * look for. */
export interface SearchProbe {
  folded: string
  /** Characters of `folded`. */
  length: number
  prefix: string
  /** Terms of its words, and what each word has to look like; null where it has no word. */
  words: string[] | null
  patterns: string[] | null
  grams: string[]
}

export async function makeProbe(sql: Statements, text: string): Promise<SearchProbe> {
  const [probe] = await sql<SearchProbe[]>`
    select folded, char_length(folded) as length, p.prefix, p.words, p.patterns, p.grams
    from search_text(${text}) as folded, search_probe(folded) as p`
  return probe
}
