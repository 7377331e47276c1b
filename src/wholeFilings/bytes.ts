/** Appends numbers and texts to a buffer that grows. */
export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  constructor(expectedBytes = 1_024) {
    this.#bytes = new Uint8Array(expectedBytes)
  }

  /** The bytes written so far, as a view that the next write may invalidate. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Writes an integer from 0 to 2^53 - 1 in seven bits a byte, low bits first. */
  number(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#grow(8)
    const bytes = this.#bytes
    let at = this.#length
    let rest = value
    while (rest >= 0x8000_0000) {
      bytes[at++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    while (rest >= 128) {
      bytes[at++] = (rest & 127) | 128
      rest >>>= 7
    }
    bytes[at++] = rest
    this.#length = at
  }

  /** Writes the numbers at some positions, each as `number` does, with one check of the space for all. */
  numbersAt(values: Uint32Array | readonly number[], positions: Uint32Array): void {
    const most = values.length * 8
    if (this.#length + most > this.#bytes.length) this.#grow(most)
    const bytes = this.#bytes
    let at = this.#length
    for (let index = 0; index < positions.length; index++) {
      let rest = values[positions[index]]
      while (rest >= 0x8000_0000) {
        const higher = Math.floor(rest / 128)
        bytes[at++] = (rest - higher * 128) | 128
        rest = higher
      }
      let low = rest | 0
      while (low >= 128) {
        bytes[at++] = (low & 127) | 128
        low >>>= 7
      }
      bytes[at++] = low
    }
    this.#length = at
  }

  /** Writes a signed 32-bit integer; small absolute values take few bytes. */
  signed(value: number): void {
    this.number(value < 0 ? -value * 2 - 1 : value * 2)
  }

  text(text: string): void {
    const encoded = encoder.encode(text)
    this.number(encoded.length)
    this.bytes(encoded)
  }

  bytes(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #grow(more: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    larger.set(this.view())
    this.#bytes = larger
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeText(bytes: Buffer, start: number, end: number): string {
  // Three times as fast as the decoder, but it replaces what is not UTF-8.
  const text = bytes.toString('utf8', start, end)
  return text.includes('\ufffd') ? decoder.decode(bytes.subarray(start, end)) : text
}

/** Texts that a `ByteWriter` wrote, decoded when they are asked for: a filing has thousands, and most readers want a few. */
export class WrittenTexts {
  readonly #bytes: Buffer
  /** The first byte of each text and the one after its last. */
  readonly #bounds: Uint32Array
  readonly #decoded: (string | undefined)[] = []

  constructor(bytes: Buffer, bounds: Uint32Array) {
    this.#bytes = bytes
    this.#bounds = bounds
  }

  get count(): number {
    return this.#bounds.length / 2
  }

  at(index: number): string | undefined {
    if (index >= this.count) return undefined
    const known = this.#decoded[index]
    if (known !== undefined) return known
    const text = decodeText(this.#bytes, this.#bounds[2 * index], this.#bounds[2 * index + 1])
    this.#decoded[index] = text
    return text
  }
}

/** Reads what a `ByteWriter` wrote. Throws if the bytes end early: a block is damaged then. */
export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** The offset of the next byte. */
  get at(): number {
    return this.#at
  }

  moveTo(at: number): void {
    this.#at = at
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  number(): number {
    let value = 0
    let factor = 1
    for (;;) {
      if (this.#at >= this.#bytes.length) throw new Error('a stored block ends early')
      const byte = this.#bytes[this.#at++]
      value += (byte & 127) * factor
      if (byte < 128) return value
      factor *= 128
      if (factor > Number.MAX_SAFE_INTEGER) throw new Error('a stored block has a number beyond 2^53')
    }
  }

  /** The next `count` numbers. */
  numbers(count: number): Float64Array {
    // Each takes at least a byte, so a damaged count cannot claim memory.
    if (count > this.#bytes.length - this.#at) throw new Error('a stored block ends early')
    const values = new Float64Array(count)
    const bytes = this.#bytes
    let at = this.#at
    for (let index = 0; index < count; index++) {
      const byte = bytes[at]
      if (byte < 128) {
        values[index] = byte
        at++
      } else {
        this.#at = at
        values[index] = this.number()
        at = this.#at
      }
    }
    this.#at = at
    return values
  }

  byte(): number {
    if (this.#at >= this.#bytes.length) throw new Error('a stored block ends early')
    return this.#bytes[this.#at++]
  }

  signed(): number {
    const coded = this.number()
    return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2
  }

  /** Skips numbers without decoding them. */
  skipNumbers(count: number): void {
    const bytes = this.#bytes
    let at = this.#at
    for (let left = count; left > 0; ) {
      if (at >= bytes.length) throw new Error('a stored block ends early')
      if (bytes[at++] < 128) left--
    }
    this.#at = at
  }

  text(): string {
    const length = this.number()
    this.skipBytes(length)
    return decodeText(this.#bytes, this.#at - length, this.#at)
  }

  /** The next texts, not yet decoded. */
  texts(count: number): WrittenTexts {
    if (count > this.#bytes.length - this.#at) throw new Error('a stored block ends early')
    const bounds = new Uint32Array(2 * count)
    for (let at = 0; at < bounds.length; at += 2) {
      const length = this.number()
      bounds[at] = this.#at
      this.skipBytes(length)
      bounds[at + 1] = this.#at
    }
    return new WrittenTexts(this.#bytes, bounds)
  }

  skipBytes(count: number): void {
    if (count > this.#bytes.length - this.#at) throw new Error('a stored block ends early')
    this.#at += count
  }

  /** Skips a text. Returns whether its bytes are these. */
  skipText(sought: Uint8Array): boolean {
    const length = this.number()
    const start = this.#at
    this.skipBytes(length)
    if (length !== sought.length) return false
    for (let at = 0; at < length; at++) if (this.#bytes[start + at] !== sought[at]) return false
    return true
  }

  /** A reader of the same bytes that begins where this one is. */
  fork(): ByteReader {
    const reader = new ByteReader(this.#bytes)
    reader.#at = this.#at
    return reader
  }
}
