const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Numbers distinct names by their bytes, without creating a string for a name seen before. Uses open
 * addressing with an FNV-1a hash. The bytes are compared, so two names share a number only if they are
 * equal. */
export class NameInterner {
  readonly names: string[] = []
  readonly #maxLength: number
  #bytes = new Uint8Array(4096)
  #ends = new Int32Array(256)
  #slots = new Int32Array(1024)
  // Rows mostly come in the same order on every date, so the name that last followed the previous name is
  // tried first.
  #follower = new Int32Array(256)
  #last = 0

  /** @param maxLength the longest name in UTF-16 code units */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** The number of the name `source[from .. to)`; -1 if it is too long or not UTF-8. */
  number(source: Uint8Array, from: number, to: number): number {
    const guess = this.#follower[this.#last]
    if (guess < this.names.length && this.#equals(guess, source, from, to)) {
      this.#last = guess
      return guess
    }
    const found = this.#find(source, from, to)
    if (found !== -1) {
      this.#follower[this.#last] = found
      this.#last = found
    }
    return found
  }

  #find(source: Uint8Array, from: number, to: number): number {
    const mask = this.#slots.length - 1
    for (let slot = hash(source, from, to) & mask; ; slot = (slot + 1) & mask) {
      const index = this.#slots[slot] - 1
      if (index === -1) return this.#addBytes(source, from, to)
      if (this.#equals(index, source, from, to)) return index
    }
  }

  /** The number of a name of any length. */
  numberOf(name: string): number {
    const bytes = encoder.encode(name)
    const mask = this.#slots.length - 1
    for (let slot = hash(bytes, 0, bytes.length) & mask; ; slot = (slot + 1) & mask) {
      const index = this.#slots[slot] - 1
      if (index === -1) return this.#add(name, bytes)
      if (this.#equals(index, bytes, 0, bytes.length)) return index
    }
  }

  #addBytes(source: Uint8Array, from: number, to: number): number {
    if (to - from > 3 * this.#maxLength) return -1
    try {
      const bytes = source.slice(from, to)
      const name = utf8.decode(bytes)
      return name.length > this.#maxLength ? -1 : this.#add(name, bytes)
    } catch {
      return -1
    }
  }

  #add(name: string, bytes: Uint8Array): number {
    const index = this.names.length
    if (2 * (index + 1) > this.#slots.length) this.#grow()
    const start = index === 0 ? 0 : this.#ends[index - 1]
    const end = start + bytes.length
    if (end > this.#bytes.length) this.#bytes = extended(this.#bytes, new Uint8Array(2 * end))
    if (index === this.#ends.length) {
      this.#ends = extended(this.#ends, new Int32Array(2 * index))
      this.#follower = extended(this.#follower, new Int32Array(2 * index))
    }
    this.#bytes.set(bytes, start)
    this.#ends[index] = end
    this.names.push(name)
    this.#place(index)
    return index
  }

  #equals(index: number, source: Uint8Array, from: number, to: number): boolean {
    const start = index === 0 ? 0 : this.#ends[index - 1]
    if (this.#ends[index] - start !== to - from) return false
    for (let i = 0; i < to - from; i++) if (this.#bytes[start + i] !== source[from + i]) return false
    return true
  }

  #place(index: number): void {
    const start = index === 0 ? 0 : this.#ends[index - 1]
    const mask = this.#slots.length - 1
    let slot = hash(this.#bytes, start, this.#ends[index]) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = index + 1
  }

  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length)
    for (let index = 0; index < this.names.length; index++) this.#place(index)
  }
}

function hash(bytes: Uint8Array, from: number, to: number): number {
  let h = 0x811c9dc5
  for (let i = from; i < to; i++) h = Math.imul(h ^ bytes[i], 0x01000193)
  return (h ^ (h >>> 15)) >>> 0
}

/** Returns a longer array with the contents of `from`. */
function extended<A extends Uint8Array | Int32Array>(from: A, to: A): A {
  to.set(from)
  return to
}
