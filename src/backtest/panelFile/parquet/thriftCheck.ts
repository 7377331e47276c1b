import { damage, FileTooLarge } from './faults.ts'

/** Thrift's compact types. Parquet uses no map, set or UUID. */
const [stop, yes, no, byte, int16, int32, int64, double, binary, list, struct] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12,
]
const maxDepth = 16
const maxVarintBytes = 10

/** Walks a Thrift struct without building anything, and fails if it would not end or would expand to far more
 * than its bytes. hyparquet trusts the length of a list, and keeps reading the bytes of an endless number.
 *
 * @param maxValues the limit for the whole struct; each value becomes an object or a list element
 * @returns the offset after the struct */
export function checkThrift(bytes: Uint8Array, from: number, to: number, maxValues: number): number {
  const walk = new ThriftWalk(bytes, from, to, maxValues)
  walk.struct(0)
  return walk.at
}

class ThriftWalk {
  at: number
  readonly #bytes: Uint8Array
  readonly #to: number
  readonly #maxValues: number
  #values = 0

  constructor(bytes: Uint8Array, from: number, to: number, maxValues: number) {
    this.#bytes = bytes
    this.at = from
    this.#to = to
    this.#maxValues = maxValues
  }

  struct(depth: number): void {
    if (depth > maxDepth) throw damage('its description is nested too deeply')
    for (;;) {
      const field = this.#byte()
      if ((field & 0x0f) === stop) return
      if (field >> 4 === 0) this.#varint()
      this.#value(field & 0x0f, depth)
    }
  }

  #value(type: number, depth: number): void {
    if (++this.#values > this.#maxValues)
      throw new FileTooLarge(
        `its description has more than ${this.#maxValues.toLocaleString('en')} entries; write it in fewer and larger row groups`,
      )
    switch (type) {
      case yes:
      case no:
        return
      case byte:
        this.#skip(1)
        return
      case int16:
      case int32:
      case int64:
        this.#varint()
        return
      case double:
        this.#skip(8)
        return
      case binary:
        this.#skip(this.#varint())
        return
      case list:
        this.#list(depth)
        return
      case struct:
        this.struct(depth + 1)
        return
      default:
        throw damage('its description has an unknown type')
    }
  }

  #list(depth: number): void {
    if (depth > maxDepth) throw damage('its description is nested too deeply')
    const head = this.#byte()
    const type = head & 0x0f
    const count = head >> 4 === 15 ? this.#varint() : head >> 4
    // Each element takes at least one byte, and the reader allocates all elements at once.
    if (count > this.#to - this.at) throw damage('its description is longer than the file')
    for (let i = 0; i < count; i++) this.#value(type === yes || type === no ? byte : type, depth + 1)
  }

  #byte(): number {
    if (this.at >= this.#to) throw damage('its description ends early')
    return this.#bytes[this.at++]
  }

  #varint(): number {
    let value = 0
    for (let i = 0; i < maxVarintBytes; i++) {
      const next = this.#byte()
      value += (next & 0x7f) * 2 ** (7 * i)
      if (next < 0x80) return value
    }
    throw damage('its description has a number without an end')
  }

  #skip(count: number): void {
    if (count > this.#to - this.at) throw damage('its description ends early')
    this.at += count
  }
}
