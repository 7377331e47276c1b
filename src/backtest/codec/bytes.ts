import { dayNumber, isIsoDate } from '../../dates.ts'

/** A place in a body that is being read. */
export interface ByteCursor {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly text: Buffer
  readonly view: DataView
  at: number
}

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

export const noDay = -0x8000_0000
const length = 10

/** Turns dates into days, each distinct date once. */
export class DayMemo {
  readonly #days = new Map<string, number>()
  // The last date as its bytes: most rows have the date of the row before.
  #year = 0
  #month = 0
  #dayOfMonth = 0
  #day = noDay

  /** The day that the ten bytes from `from` spell, `noDay` where that is none. The cursor does not move. */
  read({ view, text }: ByteCursor, from: number): number {
    if (from + length > view.byteLength) return noDay
    const year = view.getInt32(from)
    const month = view.getInt32(from + 4) // with its hyphens
    const dayOfMonth = view.getInt16(from + 8)
    if (year === this.#year && month === this.#month && dayOfMonth === this.#dayOfMonth) return this.#day
    this.#year = year
    this.#month = month
    this.#dayOfMonth = dayOfMonth
    this.#day = this.#lookUp(text.toString('latin1', from, from + length))
    return this.#day
  }

  #lookUp(date: string): number {
    const known = this.#days.get(date)
    if (known !== undefined) return known
    if (!isIsoDate(date)) return noDay
    const day = dayNumber(date)
    this.#days.set(date, day)
    return day
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Numbers distinct names as their bytes come by, without making a string of a name seen before. Open addressing over
 * an FNV-1a hash; bytes decide, so two names are one only if they are equal. */
export class NameInterner {
  readonly names: string[] = []
  readonly #maxLength: number
  #bytes = new Uint8Array(4096)
  #ends = new Int32Array(256)
  #slots = new Int32Array(1024)
  // Rows come in some order, mostly the same on every date: the name that followed the last one before is tried first.
  #follower = new Int32Array(256)
  #last = 0

  /** @param maxLength of a name, in UTF-16 code units */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** The number of the name `source[from .. to)`; -1 where it is too long or no UTF-8. */
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

/** `to`, a longer array, with the content of `from`. */
export function extended<A extends Uint8Array | Uint16Array | Int32Array | Float64Array>(from: A, to: A): A {
  to.set(from)
  return to
}
