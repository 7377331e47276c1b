/** Texts one after the other, to be copied into an answer as often as they are shown. */
export interface TextTable {
  readonly bytes: Uint8Array
  /** Text i is bytes[starts[i] .. starts[i + 1]). */
  readonly starts: Int32Array
}

const encoder = new TextEncoder()

export function textTable(texts: readonly string[]): TextTable {
  const encoded = texts.map(text => encoder.encode(text))
  const starts = new Int32Array(texts.length + 1)
  for (let i = 0; i < texts.length; i++) starts[i + 1] = starts[i] + encoded[i].length
  const bytes = new Uint8Array(starts[texts.length])
  for (let i = 0; i < texts.length; i++) bytes.set(encoded[i], starts[i])
  return { bytes, starts }
}

/** Bytes of `2010-01-26`. */
export const dayBytes = 10

/** An answer that is written into memory of its exact size. */
export class ByteSink {
  /** Shared memory: it crosses to the thread that sends it without a copy. */
  readonly bytes: Uint8Array<SharedArrayBuffer>
  at = 0

  constructor(size: number) {
    this.bytes = new Uint8Array(new SharedArrayBuffer(size))
  }

  text(text: string): void {
    const encoded = encoder.encode(text)
    this.bytes.set(encoded, this.at)
    this.at += encoded.length
  }

  copy(from: Uint8Array, start: number, end: number): void {
    const { bytes } = this
    let at = this.at
    // Numbers and tickers have a few bytes each: a call of `set` takes longer than to copy them.
    for (let i = start; i < end; i++) bytes[at++] = from[i]
    this.at = at
  }

  /** A day as ISO text: civil from days, Howard Hinnant's algorithm for years from 1 on. */
  day(day: number): void {
    const shifted = day + 719_468
    const era = Math.floor(shifted / 146_097)
    const ofEra = shifted - era * 146_097
    const yearOfEra =
      ((ofEra - ((ofEra / 1_460) | 0) + ((ofEra / 36_524) | 0) - ((ofEra / 146_096) | 0)) / 365) | 0
    const ofYear = ofEra - (365 * yearOfEra + (yearOfEra >> 2) - ((yearOfEra / 100) | 0))
    const shiftedMonth = ((5 * ofYear + 2) / 153) | 0
    const dayOfMonth = ofYear - (((153 * shiftedMonth + 2) / 5) | 0) + 1
    const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    const { bytes } = this
    let at = this.at
    bytes[at++] = 0x30 + ((year / 1_000) | 0)
    bytes[at++] = 0x30 + (((year / 100) | 0) % 10)
    bytes[at++] = 0x30 + (((year / 10) | 0) % 10)
    bytes[at++] = 0x30 + (year % 10)
    bytes[at++] = 0x2d
    bytes[at++] = 0x30 + ((month / 10) | 0)
    bytes[at++] = 0x30 + (month % 10)
    bytes[at++] = 0x2d
    bytes[at++] = 0x30 + ((dayOfMonth / 10) | 0)
    bytes[at++] = 0x30 + (dayOfMonth % 10)
    this.at = at
  }
}

export const byteLength = (text: string): number => encoder.encode(text).length
