import { FileFault } from '../parquet/faults.ts'
import { arrowDamage } from './faults.ts'

/** Copies refer at most this far back. */
const windowBytes = 65_536
/** No writer makes smaller blocks than this, except for the last one. Each takes a copy of the window. */
const minBlockBytes = 16_384
/** A byte of a block stands for at most this many bytes. */
const maxExpansion = 255

/**
 * Decompresses a frame of LZ4 block by block, with only a block and the window before it in memory. Its checksums are not
 * compared, for the readers of Arrow do not either.
 *
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 *
 * @param length the decompressed length, as stated before the frame
 */
export function* unpackLz4(input: Uint8Array, length: number): Generator<Uint8Array> {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength)
  if (input.length < 7 || view.getUint32(0, true) !== 0x184d2204) throw arrowDamage('a buffer is not LZ4')
  const flags = input[4]
  if (flags >> 6 !== 1 || (flags & 1) === 1)
    throw new FileFault('it is compressed with an unusual kind of LZ4; write it with zstd')
  const size = (input[5] >> 4) & 7
  if (size < 4) throw arrowDamage('a buffer is not LZ4')
  const blockBytes = 4 ** size * 256
  const trailer = (flags & 0x10) === 0 ? 0 : 4
  let at = 6 + ((flags & 8) === 0 ? 0 : 8) + 1
  let window = 0
  let output = new Uint8Array(0)
  for (let blocks = 0; blocks < 16 + length / minBlockBytes; blocks++) {
    const header = view.getUint32(at, true)
    at += 4
    if (header === 0) return
    const packed = header & 0x7fffffff
    const end = at + packed
    if (packed > blockBytes || end > input.length) throw arrowDamage('a buffer ends early')
    // Chunks that were handed over must not change.
    const next = new Uint8Array(window + Math.min(blockBytes, maxExpansion * packed + 32))
    next.set(output.subarray(output.length - window))
    let to = window + packed
    if (header >>> 31 === 1) next.set(input.subarray(at, end), window)
    else to = unpackBlock(input, at, end, next, window)
    yield next.subarray(window, to)
    output = next.subarray(0, to)
    window = Math.min(windowBytes, to)
    at = end + trailer
  }
  throw new FileFault('it is compressed in blocks that are too small; write it with zstd')
}

/** Returns the end of the block in `output`, where it begins at `start`. */
function unpackBlock(
  input: Uint8Array,
  from: number,
  end: number,
  output: Uint8Array,
  start: number,
): number {
  let at = from
  let to = start
  const more = (first: number): number => {
    let length = first
    if (first < 15) return length
    for (let byte = 255; byte === 255; ) {
      if (at >= end) throw arrowDamage('a buffer ends early')
      byte = input[at++]
      length += byte
    }
    return length
  }
  while (at < end) {
    const token = input[at++]
    const literals = more(token >> 4)
    if (at + literals > end || to + literals > output.length) throw arrowDamage('a buffer ends early')
    if (literals > 32) output.set(input.subarray(at, at + literals), to)
    else for (let i = 0; i < literals; i++) output[to + i] = input[at + i]
    at += literals
    to += literals
    // The last sequence of a block has only literals.
    if (at === end) return to
    const offset = input[at] | (input[at + 1] << 8)
    at += 2
    const length = more(token & 15) + 4
    if (at > end || offset === 0 || offset > to || to + length > output.length)
      throw arrowDamage('a buffer refers to no byte of it')
    if (offset >= length && length > 32) output.copyWithin(to, to - offset, to - offset + length)
    else for (let i = 0; i < length; i++) output[to + i] = output[to + i - offset]
    to += length
  }
  return to
}
