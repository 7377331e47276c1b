/** Concatenated texts, which are copied into a response as often as they are shown. */
export interface TextTable {
  /** Followed by `slack` unused bytes. */
  readonly bytes: Uint8Array
  /** Text i is bytes[starts[i] .. starts[i + 1]). */
  readonly starts: Int32Array
}

/** Copies move eight bytes at a time. They may read up to seven bytes past the end of a text and write them past the end
 * of its copy, where the next write replaces them. */
export const slack = 8

const encoder = new TextEncoder()

export function textTable(texts: readonly string[]): TextTable {
  const encoded = texts.map(text => encoder.encode(text))
  const starts = new Int32Array(texts.length + 1)
  for (let i = 0; i < texts.length; i++) starts[i + 1] = starts[i] + encoded[i].length
  const bytes = new Uint8Array(starts[texts.length] + slack)
  for (let i = 0; i < texts.length; i++) bytes.set(encoded[i], starts[i])
  return { bytes, starts }
}

export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

/** The length of `2010-01-26`. */
export const dayBytes = 10

/** A response that is written into a buffer of exactly its size. */
export class ByteSink {
  /** Shared memory, so it passes to the sending thread without a copy. */
  readonly bytes: Uint8Array<SharedArrayBuffer>
  readonly view: DataView
  readonly #size: number
  at = 0
  #lastDay = Number.NaN
  #yearText = 0
  #monthText = 0
  #dayText = 0

  constructor(size: number) {
    this.bytes = new Uint8Array(new SharedArrayBuffer(size + slack))
    this.view = viewOf(this.bytes)
    this.#size = size
  }

  /** Returns the whole response. Fails if its size differs from the counted size, because bytes would be missing or
   * unrelated memory would be sent. */
  finish(): Uint8Array {
    if (this.at === this.#size) return this.bytes.subarray(0, this.#size)
    throw new Error(`An answer has ${this.at} bytes where ${this.#size} were counted.`)
  }

  byte(byte: number): void {
    this.bytes[this.at++] = byte
  }

  text(text: string): void {
    const encoded = encoder.encode(text)
    this.bytes.set(encoded, this.at)
    this.at += encoded.length
  }

  /** Copies UTF-8 through a Float64Array: no 8 bytes of UTF-8 form a NaN, which the engine may rewrite.
   *
   * @param from must have `slack` bytes after its last text */
  copy(from: DataView, start: number, end: number): void {
    const { view, at } = this
    for (let i = 0; start + i < end; i += 8) view.setFloat64(at + i, from.getFloat64(start + i))
    this.at = at + end - start
  }

  /** Writes a day as ISO text. Most rows have the same day as the previous row. */
  day(day: number): void {
    if (day !== this.#lastDay) this.#readDay(day)
    const { view, at } = this
    view.setUint32(at, this.#yearText)
    view.setUint32(at + 4, this.#monthText)
    view.setUint16(at + 8, this.#dayText)
    this.at = at + dayBytes
  }

  quotedDay(day: number): void {
    this.byte(quote)
    this.day(day)
    this.byte(quote)
  }

  /** Converts days to a civil date with Howard Hinnant's algorithm, for the years 1 to 9999. */
  #readDay(day: number): void {
    const shifted = day + 719_468
    const era = Math.floor(shifted / 146_097)
    const ofEra = shifted - era * 146_097
    const leaps = ((ofEra / 1_460) | 0) - ((ofEra / 36_524) | 0) + ((ofEra / 146_096) | 0)
    const yearOfEra = ((ofEra - leaps) / 365) | 0
    const ofYear = ofEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0))
    const shiftedMonth = ((5 * ofYear + 2) / 153) | 0
    const dayOfMonth = ofYear - (((153 * shiftedMonth + 2) / 5) | 0) + 1
    const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    this.#lastDay = day
    this.#yearText = twoDigits((year / 100) | 0) * 0x10000 + twoDigits(year % 100)
    this.#monthText = (hyphen << 24) + (twoDigits(month) << 8) + hyphen
    this.#dayText = twoDigits(dayOfMonth)
  }
}

const quote = 0x22
const hyphen = 0x2d

/** The two ASCII digits of a number as a 16-bit value. */
const twoDigits = (number: number) => ((0x30 + ((number / 10) | 0)) << 8) + 0x30 + (number % 10)

export const byteLength = (text: string): number => encoder.encode(text).length
