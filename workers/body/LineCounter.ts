const lineFeed = 0x0a

/** Tells the line that a byte stands in, from 1. It counts on from the place that was asked for last, so that a body
 * of which every row has to be named is gone through once and not once a row. */
export class LineCounter {
  readonly #bytes: Uint8Array
  #at = 0
  #line = 1

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  lineAt(at: number): number {
    if (at < this.#at) {
      this.#at = 0
      this.#line = 1
    }
    const next = () => this.#bytes.indexOf(lineFeed, this.#at)
    for (let i = next(); i !== -1 && i < at; i = next()) {
      this.#line++
      this.#at = i + 1
    }
    return this.#line
  }
}
