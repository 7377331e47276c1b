import { Failure } from '../../../errors.ts'
import { GrowingCells } from './growing.ts'
import { slack, type TextTable } from './texts.ts'

/** The limit for the values of one column. A value is stored only once as long as it is remembered. */
const maxPoolBytes = 512 * 1_024 * 1_024
/** The maximum number of distinct values that are remembered. A column with more values rarely repeats any. */
const maxRemembered = 65_536
const slots = 4 * maxRemembered

/** The distinct values of a column as bytes in shared memory. Most columns of panels repeat a few values on
 * millions of rows. */
export class ValuePool {
  #bytes = new Uint8Array(new SharedArrayBuffer(4_096))
  readonly #starts = new GrowingCells()
  /** The number of a value by its hash; 0: free slot. */
  #slots: Int32Array | null = null
  #at = 0
  #count = 0
  #last = 0

  /** The number of a value, counted from 1. */
  numberOf(source: Uint8Array, from: number, to: number): number {
    // In rows that are sorted by time, most values repeat the previous row's.
    if (this.#last !== 0 && this.#has(this.#last, source, from, to)) return this.#last
    this.#last = this.#find(source, from, to)
    return this.#last
  }

  #find(source: Uint8Array, from: number, to: number): number {
    this.#slots ??= new Int32Array(slots)
    const table = this.#slots
    let slot = hashOf(source, from, to) & (slots - 1)
    for (; table[slot] !== 0; slot = (slot + 1) & (slots - 1)) {
      if (this.#has(table[slot], source, from, to)) return table[slot]
    }
    const number = this.#add(source, from, to)
    if (number <= maxRemembered) table[slot] = number
    return number
  }

  finish(): TextTable {
    const starts = this.#starts.finish(this.#count + 1)
    starts[this.#count] = this.#at
    return { bytes: this.#bytes.subarray(0, this.#at + slack), starts }
  }

  #has(number: number, source: Uint8Array, from: number, to: number): boolean {
    const starts = this.#starts.upTo(number + 1)
    const start = starts[number - 1]
    const end = number === this.#count ? this.#at : starts[number]
    if (end - start !== to - from) return false
    for (let i = 0; i < to - from; i++) if (this.#bytes[start + i] !== source[from + i]) return false
    return true
  }

  #add(source: Uint8Array, from: number, to: number): number {
    const end = this.#at + to - from
    if (end > maxPoolBytes) {
      throw new Failure(
        'body_too_large',
        `A column of rows has values of more than ${maxPoolBytes / 1_024 / 1_024} MB. Leave it out, or split the rows by date.`,
        { param: 'rows' },
      )
    }
    if (end + slack > this.#bytes.length) {
      const grown = new Uint8Array(new SharedArrayBuffer(Math.max(end + slack, 2 * this.#bytes.length)))
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes.set(source.subarray(from, to), this.#at)
    this.#starts.upTo(this.#count + 1)[this.#count] = this.#at
    this.#at = end
    return ++this.#count
  }
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
