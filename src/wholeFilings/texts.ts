import type { ByteReader, ByteWriter, WrittenTexts } from './bytes.ts'
import type { Terms } from './terms.ts'

/** Writes texts as numbers: even ones are terms, odd ones are texts that the block itself contains. */
export class TextWriter {
  readonly #terms: Terms
  readonly #own = new Map<string, number>()
  #written: number

  /** @param known the own texts of another block, which is always read together with this one */
  constructor(terms: Terms, known: readonly string[] = []) {
    this.#terms = terms
    for (const text of known) this.#own.set(text, this.#own.size)
    this.#written = this.#own.size
  }

  get own(): readonly string[] {
    return [...this.#own.keys()]
  }

  reference(text: string): number {
    const term = this.#terms.numberOf(text)
    if (term !== undefined) return term * 2
    const known = this.#own.get(text)
    if (known !== undefined) return known * 2 + 1
    const added = this.#own.size
    this.#own.set(text, added)
    return added * 2 + 1
  }

  /** Writes the texts that were added since the last call. */
  writeOwn(to: ByteWriter): void {
    const added = this.own.slice(this.#written)
    to.number(added.length)
    for (const text of added) to.text(text)
    this.#written = this.#own.size
  }
}

/** The own texts of a filing's figures, and after them those that only its presentation has. */
export class OwnTexts {
  readonly #lists: readonly (WrittenTexts | readonly string[])[]

  constructor(...lists: readonly (WrittenTexts | readonly string[])[]) {
    this.#lists = lists
  }

  at(index: number): string | undefined {
    let left = index
    for (const list of this.#lists) {
      const count = 'count' in list ? list.count : list.length
      if (left < count) return list.at(left)
      left -= count
    }
    return undefined
  }

  /** These texts and further ones. */
  concat(more: WrittenTexts): OwnTexts {
    return new OwnTexts(...this.#lists, more)
  }

  all(): readonly string[] {
    const texts: string[] = []
    for (let text = this.at(0); text !== undefined; text = this.at(texts.length)) texts.push(text)
    return texts
  }
}

export class TextReader {
  readonly #terms: Terms
  readonly own: OwnTexts

  constructor(terms: Terms, from: ByteReader, known: OwnTexts = new OwnTexts()) {
    this.#terms = terms
    this.own = known.concat(from.texts(from.number()))
  }

  text(reference: number): string {
    if (reference % 2 === 0) return this.#terms.text(reference / 2)
    const text = this.own.at((reference - 1) / 2)
    if (text === undefined) throw new Error(`a block of a filing refers to its unknown text ${reference}`)
    return text
  }
}
