import { damage } from './faults.ts'
import type { PageBytes } from './pageBytes.ts'

/** A packed number is assembled in 32 bits, up to 7 of which may belong to the previous number. */
const maxPackedWidth = 24
const maxHeaderBytes = 5

/** Reads Parquet's hybrid of repeated and bit-packed numbers, some at a time. A repetition of a million
 * numbers takes 2 bytes, so it is kept as a count and not expanded to an array. */
export class RunReader {
  readonly #page: PageBytes
  readonly #width: number
  #left = 0
  #value = 0
  #isPacked = false
  #bits = 0
  #bitCount = 0

  /** @param width the size of a number in bits */
  constructor(page: PageBytes, width: number) {
    if (width > 32) throw damage('a page has indexes of more than 32 bits')
    this.#page = page
    this.#width = width
  }

  /** Fills the first `count` elements. */
  async read(output: Uint8Array | Int32Array, count: number): Promise<void> {
    let filled = 0
    while (filled < count) {
      if (this.#left === 0) await this.#nextRun()
      const to = filled + Math.min(this.#left, count - filled)
      this.#left -= to - filled
      if (this.#isPacked && this.#width > 0) await this.#unpack(output, filled, to)
      else output.fill(this.#isPacked ? 0 : this.#value, filled, to)
      filled = to
    }
  }

  async #nextRun(): Promise<void> {
    const page = this.#page
    if (page.available < maxHeaderBytes) await page.tryFill(maxHeaderBytes)
    let header = 0
    for (let i = 0; ; i++) {
      if (i === maxHeaderBytes || page.available === 0) throw damage('a page ends before its last value')
      const byte = page.bytes[page.at++]
      header += (byte & 0x7f) * 2 ** (7 * i)
      if (byte < 0x80) break
    }
    this.#isPacked = header % 2 === 1
    this.#left = Math.floor(header / 2) * (this.#isPacked ? 8 : 1)
    this.#bits = 0
    this.#bitCount = 0
    if (this.#isPacked) {
      if (this.#width > maxPackedWidth) throw damage('a page has packed indexes of more than 24 bits')
      return
    }
    const bytes = Math.ceil(this.#width / 8)
    if (page.available < bytes) await page.fill(bytes)
    this.#value = 0
    for (let i = 0; i < bytes; i++) this.#value += page.bytes[page.at++] * 2 ** (8 * i)
  }

  async #unpack(output: Uint8Array | Int32Array, from: number, to: number): Promise<void> {
    const page = this.#page
    const width = this.#width
    const mask = (1 << width) - 1
    for (let filled = from; filled < to; ) {
      if (page.available === 0) await page.fill(1)
      const { bytes } = page
      let { at } = page
      while (filled < to) {
        for (; this.#bitCount < width && at < bytes.length; this.#bitCount += 8)
          this.#bits |= bytes[at++] << this.#bitCount
        if (this.#bitCount < width) break
        output[filled++] = this.#bits & mask
        this.#bits >>>= width
        this.#bitCount -= width
      }
      page.at = at
    }
  }
}
