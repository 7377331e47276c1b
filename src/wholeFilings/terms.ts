import type { WholeFiling } from './wholeFiling.ts'

/**
 * Texts that many filings share (concepts of standard taxonomies, members, labels), by number. Blocks refer to
 * them, so a term is never changed or removed.
 */
export class Terms {
  readonly #texts: string[] = []
  readonly #numbers = new Map<string, number>()

  constructor(texts: Iterable<string> = []) {
    for (const text of texts) this.#add(text)
  }

  get count(): number {
    return this.#texts.length
  }

  numberOf(text: string): number | undefined {
    return this.#numbers.get(text)
  }

  text(number: number): string {
    const text = this.#texts[number]
    if (text === undefined) throw new Error(`a block of a filing refers to the unknown term ${number}`)
    return text
  }

  /**
   * Adds the texts that at least three of these filings use, the most frequent ones first, because they get
   * the shortest numbers. Returns what was added. A company's own words stay in its blocks: a dictionary of
   * all words would grow without limit.
   */
  learn(filings: readonly WholeFiling[]): readonly string[] {
    const uses = new Map<string, number>()
    for (const filing of filings)
      for (const text of textsOf(filing))
        if (!this.#numbers.has(text)) uses.set(text, (uses.get(text) ?? 0) + 1)
    const added = [...uses]
      .filter(([, filingsUsing]) => filingsUsing >= minFilings)
      .sort(([a, usesOfA], [b, usesOfB]) => usesOfB - usesOfA || (a < b ? -1 : 1))
      .slice(0, maxTerms - this.#texts.length)
      .map(([text]) => text)
    for (const text of added) this.#add(text)
    return added
  }

  #add(text: string): void {
    this.#numbers.set(text, this.#texts.length)
    this.#texts.push(text)
  }
}

const minFilings = 3
/** All terms are in memory, some 60 bytes each. */
const maxTerms = 250_000

/** Every text that a block refers to by number if it can. */
function textsOf({ figures, statements, sums, taxonomies, defaultMembers }: WholeFiling): Set<string> {
  const texts = new Set<string>()
  const contexts = new Set<unknown>()
  for (const { concept, unit, context } of figures) {
    texts.add(concept)
    texts.add(unit)
    if (contexts.has(context)) continue
    contexts.add(context)
    for (const { axis, member } of context.dimensions) texts.add(axis).add(member)
  }
  for (const { title, lines } of statements) {
    if (title !== null) texts.add(title)
    for (const { concept, label, labelRole } of lines) {
      texts.add(concept)
      if (label !== null) texts.add(label)
      if (labelRole !== null) texts.add(labelRole)
    }
  }
  for (const { total, items } of sums) {
    texts.add(total)
    for (const { concept } of items) texts.add(concept)
  }
  for (const [prefix, version] of taxonomies) texts.add(prefix).add(version)
  for (const [axis, member] of defaultMembers) texts.add(axis).add(member)
  return texts
}
