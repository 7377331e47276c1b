import { type ByteReader, type ByteWriter, decodeText } from './bytes.ts'
import type { Terms } from './terms.ts'

/** Writes texts as numbers: even ones are terms, odd ones are texts that the block itself contains. */
export class TextWriter {
  readonly #terms: Terms
  readonly #own = new Map<string, number>()
  #written: number

  /** @param known own texts of the block that this one is read with */
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

/** Texts that are decoded when they are asked for: a filing has thousands, and most readers want a few of them. */
export class OwnTexts {
  readonly #texts: (string | Uint8Array)[]

  constructor(texts: readonly (string | Uint8Array)[]) {
    this.#texts = [...texts]
  }

  at(index: number): string | undefined {
    const text = this.#texts[index]
    if (text === undefined || typeof text === 'string') return text
    const decoded = decodeText(text)
    this.#texts[index] = decoded
    return decoded
  }

  /** These texts and further ones. */
  concat(more: readonly Uint8Array[]): OwnTexts {
    return new OwnTexts([...this.#texts, ...more])
  }

  all(): readonly string[] {
    return this.#texts.flatMap((_, index) => this.at(index) ?? [])
  }
}

export class TextReader {
  readonly #terms: Terms
  readonly own: OwnTexts

  constructor(terms: Terms, from: ByteReader, known: OwnTexts = new OwnTexts([])) {
    this.#terms = terms
    this.own = known.concat(Array.from({ length: from.number() }, () => from.bytes(from.number())))
  }

  text(reference: number): string {
    if (reference % 2 === 0) return this.#terms.text(reference / 2)
    const text = this.own.at((reference - 1) / 2)
    if (text === undefined) throw new Error(`a block of a filing refers to its unknown text ${reference}`)
    return text
  }
}
