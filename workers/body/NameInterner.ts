import { extended } from './extended.ts'

/** Numbers distinct names as their bytes come by, without making a string of a name seen before. Open addressing over
 * an FNV-1a hash; bytes decide, so two names are one only if they are equal. */
export class NameInterner {
  readonly names: string[] = []
  #bytes = new Uint8Array(4096)
  #ends = new Int32Array(256)
  #slots = new Int32Array(1024)

  /** The number of `source[from .. to)`, -1 where it is new. */
  find(source: Uint8Array, from: number, to: number): number {
    const mask = this.#slots.length - 1
    for (let slot = hash(source, from, to) & mask; ; slot = (slot + 1) & mask) {
      const index = this.#slots[slot] - 1
      if (index === -1 || this.#equals(index, source, from, to)) return index
    }
  }

  /** Adds a name that `find` did not know. */
  add(name: string, source: Uint8Array, from: number, to: number): number {
    const index = this.names.length
    if (2 * (index + 1) > this.#slots.length) this.#grow()
    const start = index === 0 ? 0 : this.#ends[index - 1]
    const end = start + to - from
    if (end > this.#bytes.length) this.#bytes = extended(this.#bytes, new Uint8Array(2 * end))
    if (index === this.#ends.length) this.#ends = extended(this.#ends, new Int32Array(2 * index))
    this.#bytes.set(source.subarray(from, to), start)
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
