import { damage, FileFault } from './faults.ts'

/** Every known writer compresses blocks of 64 KB, so copies never refer further back. */
const windowBytes = 65_536
const chunkBytes = 262_144

/** Decompresses a Snappy page piece by piece, with only a window of it in memory. hyparquet decompresses it
 * as a whole.
 *
 * @param length the length that the page's header states */
export function* unpackSnappy(input: Uint8Array, length: number): Generator<Uint8Array> {
  const preamble = readPreamble(input)
  if (preamble.length !== length) throw damage('a page has another size than its header states')
  let at = preamble.end
  let output = new Uint8Array(windowBytes + chunkBytes)
  let from = 0
  let to = 0
  while (at < input.length) {
    const element = readElement(input, at)
    at = element.next
    if (element.offset > to)
      throw new FileFault('it is compressed with an unusual kind of Snappy; write it with zstd')
    let left = element.length
    while (left > 0) {
      if (to === output.length) {
        yield output.subarray(from, to)
        // Chunks that were handed over must not change.
        const next = new Uint8Array(output.length)
        next.set(output.subarray(to - windowBytes))
        output = next
        from = windowBytes
        to = windowBytes
      }
      const part = Math.min(left, output.length - to)
      if (element.offset === 0) {
        if (at + part > input.length) throw damage('a page ends early')
        output.set(input.subarray(at, at + part), to)
        at += part
      } else for (let i = 0; i < part; i++) output[to + i] = output[to + i - element.offset]
      to += part
      left -= part
    }
  }
  yield output.subarray(from, to)
}

/** Decompresses a Snappy page at once. Numbers hardly compress, so most of a page are literals, which are
 * copied unchanged. */
export function snappyWhole(input: Uint8Array, length: number): Uint8Array {
  const preamble = readPreamble(input)
  if (preamble.length !== length) throw damage('a page has another size than its header states')
  const output = new Uint8Array(length)
  let at = preamble.end
  let to = 0
  while (at < input.length) {
    const tag = input[at]
    // A short copy, the most frequent element, is handled here without creating an object for it.
    if ((tag & 3) === 1 && at + 2 <= input.length) {
      const offset = ((tag >> 5) << 8) | input[at + 1]
      const copied = ((tag >> 2) & 7) + 4
      if (offset === 0 || offset > to || to + copied > length) throw damage('a page refers to no byte of it')
      for (let i = 0; i < copied; i++, to++) output[to] = output[to - offset]
      at += 2
      continue
    }
    const element = readElement(input, at)
    at = element.next
    const end = to + element.length
    if (element.offset > to || end > length) throw damage('a page refers to no byte of it')
    if (element.offset === 0) {
      if (at + element.length > input.length) throw damage('a page ends early')
      output.set(input.subarray(at, at + element.length), to)
      at += element.length
    } else if (element.offset >= element.length) {
      output.copyWithin(to, to - element.offset, end - element.offset)
    } else for (let i = to; i < end; i++) output[i] = output[i - element.offset]
    to = end
  }
  if (to !== length) throw damage('a page has another size than its header states')
  return output
}

function readPreamble(input: Uint8Array): { length: number; end: number } {
  let length = 0
  for (let at = 0; at < 5; at++) {
    length += (input[at] & 0x7f) * 2 ** (7 * at)
    if (input[at] < 0x80) return { length, end: at + 1 }
  }
  throw damage('a page has no length')
}

/** A literal (offset 0) whose bytes begin at `next`, or a copy of what came `offset` bytes earlier. */
function readElement(input: Uint8Array, at: number): { length: number; offset: number; next: number } {
  const tag = input[at]
  const bytes = [0, 1, 2, 4][tag & 3]
  if ((tag & 3) === 0) {
    const short = tag >> 2
    if (short < 60) return { length: short + 1, offset: 0, next: at + 1 }
    return { length: littleEndian(input, at + 1, short - 59) + 1, offset: 0, next: at + 1 + short - 59 }
  }
  const low = littleEndian(input, at + 1, bytes)
  const isShort = bytes === 1
  const offset = isShort ? ((tag >> 5) << 8) | low : low
  if (offset === 0) throw damage('a page refers to itself')
  return { length: isShort ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1, offset, next: at + 1 + bytes }
}

function littleEndian(input: Uint8Array, at: number, bytes: number): number {
  if (at + bytes > input.length) throw damage('a page ends early')
  let value = 0
  for (let i = 0; i < bytes; i++) value += input[at + i] * 2 ** (8 * i)
  return value
}
