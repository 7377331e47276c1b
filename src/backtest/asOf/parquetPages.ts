import { none } from './positions.ts'
import { encodeThrift, i32, struct, type Thrift } from './thrift.ts'

/** A place among the values of a group fits 17 bits. */
export const rowsPerGroup = 131_072

/** Numbers of the format: parquet.thrift. */
export const encodings = { PLAIN: 0, RLE: 3, RLE_DICTIONARY: 8 } as const
const pages = { data: 0, dictionary: 2 } as const

/** For each row a key, and the values of keys. */
export interface KeyedColumn {
  /** Keys are 0 to `keys - 1`; `none` is null. */
  readonly keyOf: Int32Array
  readonly keys: number
  /** The values of some keys, PLAIN. */
  readonly encode: (keys: readonly number[]) => Uint8Array
}

/** The pages of some rows of a column: the values that they show, each once, and for each row its place among them.
 *
 * @param places for these rows; one memory for all groups, which would otherwise wait for the collector
 * @param placeOf for each key; `none` before and after */
export function encodeChunk(
  { keyOf, encode }: KeyedColumn,
  from: number,
  to: number,
  places: Int32Array,
  placeOf: Int32Array,
): { dictionary: Uint8Array; data: Uint8Array } {
  const shown: number[] = []
  const levels = new Uint8Array((to - from + 7) >> 3)
  let present = 0
  for (let row = from; row < to; row++) {
    const key = keyOf[row]
    if (key === none) continue
    let place = placeOf[key]
    if (place === none) {
      place = shown.push(key) - 1
      placeOf[key] = place
    }
    places[present++] = place
    levels[(row - from) >> 3] |= 1 << ((row - from) & 7)
  }
  for (const key of shown) placeOf[key] = none
  const values = encode(shown)
  const width = Math.max(1, 32 - Math.clz32(Math.max(0, shown.length - 1)))
  const dictionary = struct(...pageFields(pages.dictionary, values.length), [
    7,
    struct([1, i32(shown.length)], [2, i32(encodings.PLAIN)]),
  ])
  return {
    dictionary: joinBytes([encodeThrift(dictionary), values]),
    data: dataPage(levels, places, present, width, to - from),
  }
}

const pageFields = (type: number, size: number): [number, Thrift][] => [
  [1, i32(type)],
  [2, i32(size)],
  [3, i32(size)],
]

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** A page of places: definition levels with their length before them, then the width of a place, then the places, both as one bit-packed
 * run. It is written in place, because a page is the larger part of what an answer takes. */
function dataPage(
  levels: Uint8Array,
  places: Int32Array,
  present: number,
  width: number,
  rows: number,
): Uint8Array {
  const levelRun = runHeader(levels.length)
  const groups = (present + 7) >> 3
  const run = groups === 0 ? new Uint8Array(0) : runHeader(groups)
  const size = 4 + levelRun.length + levels.length + 1 + run.length + groups * width
  const header = encodeThrift(
    struct(...pageFields(pages.data, size), [
      5,
      struct(
        [1, i32(rows)],
        [2, i32(encodings.RLE_DICTIONARY)],
        [3, i32(encodings.RLE)],
        [4, i32(encodings.RLE)],
      ),
    ]),
  )
  const levelBytes = new Uint8Array(4)
  new DataView(levelBytes.buffer).setUint32(0, levelRun.length + levels.length, true)
  const bytes = new Uint8Array(header.length + size)
  let at = 0
  for (const part of [header, levelBytes, levelRun, levels, Uint8Array.of(width), run]) {
    bytes.set(part, at)
    at += part.length
  }
  packBits(places, present, width, bytes, at)
  return bytes
}

/** @param groups of eight values */
function runHeader(groups: number): Uint8Array {
  const bytes: number[] = []
  let rest = groups * 2 + 1
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

/** `width` bits of each, least significant first, in whole groups of eight. */
function packBits(values: Int32Array, count: number, width: number, bytes: Uint8Array, start: number): void {
  let at = start
  let buffer = 0
  let bits = 0
  for (let i = 0; i < count; i++) {
    // At most 7 bits wait, and a place has at most 17: a group has no more rows.
    buffer |= values[i] << bits
    bits += width
    while (bits >= 8) {
      bytes[at++] = buffer & 0xff
      buffer >>>= 8
      bits -= 8
    }
  }
  if (bits > 0) bytes[at] = buffer & 0xff
}
