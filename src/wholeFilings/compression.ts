import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/**
 * Words of accounts, so that the short labels of one filing compress well: those that the standard labels of
 * US-GAAP use most, the most frequent ones last. Blocks cannot be read with other words, so the file must never
 * change; other words need another file and another version of the blocks.
 */
const dictionary = readFileSync(join(import.meta.dir, 'words.txt'))

/** Level 7 takes two fifths longer and saves a hundredth; level 3 saves a sixth of the time and takes 3% more space. */
const level = 4

/**
 * Shorter blocks, which belong to filings with few figures, are stored uncompressed: compressing them takes
 * longer than everything else and saves nothing. An uncompressed block begins with the version of its format,
 * which never equals the magic number of zstd.
 */
const minCompressedBytes = 192
const zstdMagic = 0xfd2fb528
const zstdMagicBytes = 4

/** The largest filings have some 5 MB of columns. */
const maxBlockBytes = 256 * 1024 * 1024

export function compress(bytes: Uint8Array): Uint8Array {
  if (bytes.length < minCompressedBytes && !isCompressed(bytes)) return bytes.slice()
  return zstdCompressSync(bytes, { dictionary, params: { [constants.ZSTD_c_compressionLevel]: level } })
}

/** Throws if the block is damaged. */
export function decompress(bytes: Uint8Array): Uint8Array {
  if (bytes.length < minCompressedBytes && !isCompressed(bytes)) return bytes
  return (
    decompressAfterWords(bytes) ?? zstdDecompressSync(bytes, { dictionary, maxOutputLength: maxBlockBytes })
  )
}

/** The header of a frame that states nothing but its size (RFC 8878, 3.1.1.1), by the bytes of the size. */
const plainFrames: ReadonlyMap<number, number> = new Map([
  [0x20, 1],
  [0x60, 2],
  [0xa0, 4],
])
const sizeAt = zstdMagicBytes + 1
const longHeader = sizeAt + 4

/** The words as a block of a frame that is not compressed. */
const wordsBlock = Buffer.concat([
  new Uint8Array(new Uint32Array([dictionary.length << 3]).buffer, 0, 3),
  dictionary,
])

/**
 * Bun's own function takes no dictionary, but half the time. What the blocks of a frame repeat from a dictionary they
 * repeat from what comes before them just as well, so the words are made the first block of the frame, and cut off
 * again. Null for frames with other headers.
 */
function decompressAfterWords(bytes: Uint8Array): Uint8Array | null {
  const sizeBytes = isCompressed(bytes) ? plainFrames.get(bytes[zstdMagicBytes]) : undefined
  if (sizeBytes === undefined || bytes.length < longHeader) return null
  const block = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // Two bytes begin where one cannot count any further.
  const size = block.readUIntLE(sizeAt, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
  if (size > maxBlockBytes) return null
  const header = sizeAt + sizeBytes
  const frame = Buffer.allocUnsafe(longHeader + wordsBlock.length + bytes.length - header)
  frame.writeUInt32LE(zstdMagic, 0)
  frame[zstdMagicBytes] = 0xa0
  frame.writeUInt32LE(size + dictionary.length, sizeAt)
  frame.set(wordsBlock, longHeader)
  frame.set(block.subarray(header), longHeader + wordsBlock.length)
  return Bun.zstdDecompressSync(frame).subarray(dictionary.length)
}

const isCompressed = (bytes: Uint8Array) =>
  bytes.length >= zstdMagicBytes &&
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === zstdMagic
