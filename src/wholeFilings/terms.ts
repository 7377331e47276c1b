import type { WholeFiling } from './wholeFiling.ts'

/**
 * Texts that many filings share (concepts of standard taxonomies, members, labels), by number. Blocks refer to
 * them, so a term is never changed or removed.
 */
export class Terms {
  readonly #texts: string[] = []
  readonly #numbers = new Map<string, number>()

  constructor(texts: Iterable<string> = []) {
    this.append(texts)
  }

  get count(): number {
    return this.#texts.length
  }

  numberOf(text: string): number | undefined {
    return this.#numbers.get(text)
  }

  text(number: number): string {
    const text = this.#texts[number]
    if (text === undefined) throw new UnknownTerm(number)
    return text
  }

  /**
   * Proposes the texts that filings of at least three of these companies use and that are not terms yet. The most
   * frequent texts come first, because they get the shortest numbers. A company's own words stay in its blocks,
   * because a dictionary of all words would grow without limit.
   */
  propose(filingsOfCompanies: Iterable<readonly WholeFiling[]>): readonly string[] {
    const uses = new Map<string, number>()
    for (const filings of filingsOfCompanies) {
      const texts = new Set<string>()
      for (const filing of filings) addTexts(texts, filing)
      for (const text of texts) if (!this.#numbers.has(text)) uses.set(text, (uses.get(text) ?? 0) + 1)
    }
    return [...uses]
      .filter(([text, companies]) => companies >= minCompanies && text.length <= maxTermLength)
      .sort(([a, usesOfA], [b, usesOfB]) => usesOfB - usesOfA || (a < b ? -1 : 1))
      .slice(0, Math.max(0, maxTerms - this.#texts.length))
      .map(([text]) => text)
  }

  append(texts: Iterable<string>): void {
    for (const text of texts) this.#add(text)
  }

  #add(text: string): void {
    this.#numbers.set(text, this.#texts.length)
    this.#texts.push(text)
  }
}

/** A term that was stored after these terms were loaded. */
export class UnknownTerm extends Error {
  constructor(number: number) {
    super(`a block of a filing refers to the unknown term ${number}`)
  }
}

const minCompanies = 3
/** Longer texts are hardly ever shared. */
const maxTermLength = 500
/** All terms are in memory, some 60 bytes each. */
const maxTerms = 250_000

/** Adds every text of a filing that its blocks could refer to as a term. */
function addTexts(
  texts: Set<string>,
  { figures, statements, sums, taxonomies, defaultMembers }: WholeFiling,
): void {
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
}
