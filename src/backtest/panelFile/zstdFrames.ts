/** Describes what is wrong with compressed bytes, for the sender. */
export class ZstdFault extends Error {}

/** RFC 9659 allows no larger window in HTTP bodies, because a decoder must keep all of it in memory. */
const maxWindowBytes = 8 * 1_024 * 1_024

const frameMagic = 0xfd2fb528
const skippableMagic = 0x184d2a50
const blockHeaderBytes = 3

/** The kind of the next bytes of a frame. */
type Part = 'magic' | 'descriptor' | 'frame' | 'skippable' | 'block'

/** Follows the frames of zstd as they arrive. Bun's decoder ends silently when a frame is cut off, so half of
 * a body would pass for the whole. */
export class ZstdFrames {
  /** Bytes of content before the next header. */
  #skip = 0
  readonly #header = new Uint8Array(18)
  #filled = 0
  #wanted = 4
  #part: Part = 'magic'
  #hasChecksum = false
  #frames = 0

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, bytes.length - at)
        this.#skip -= skipped
        at += skipped
        continue
      }
      this.#header[this.#filled++] = bytes[at++]
      if (this.#filled === this.#wanted) this.#read()
    }
  }

  /** Must be called after the last bytes. */
  end(): void {
    const isBetweenFrames = this.#part === 'magic' && this.#filled === 0 && this.#skip === 0
    if (!isBetweenFrames || this.#frames === 0) throw new ZstdFault('it ends in the middle of a frame')
  }

  #read(): void {
    switch (this.#part) {
      case 'magic':
        this.#readMagic()
        return
      case 'descriptor':
        this.#expect('frame', 1 + headerRest(this.#header[0]), 1)
        return
      case 'frame':
        this.#readFrame()
        return
      case 'skippable':
        this.#skip = this.#number(0, 4)
        this.#frames++
        this.#expect('magic', 4)
        return
      case 'block':
        this.#readBlock()
        return
      default:
        this.#part satisfies never
    }
  }

  #readMagic(): void {
    const magic = this.#number(0, 4)
    if (magic === frameMagic) this.#expect('descriptor', 1)
    else if (magic - (magic % 16) === skippableMagic) this.#expect('skippable', 4)
    else throw new ZstdFault('it is not zstd')
  }

  #readFrame(): void {
    const descriptor = this.#header[0]
    const isSingle = (descriptor & 0x20) !== 0
    this.#hasChecksum = (descriptor & 0x04) !== 0
    if (isSingle) {
      const sizeBytes = contentSizeBytes(descriptor)
      const at = headerRest(descriptor) + 1 - sizeBytes
      this.#checkWindow(this.#number(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0))
    } else {
      const window = this.#header[1]
      const base = 2 ** (10 + (window >> 3))
      this.#checkWindow(base + (base / 8) * (window & 7))
    }
    this.#expect('block', blockHeaderBytes)
  }

  #checkWindow(bytes: number): void {
    if (bytes > maxWindowBytes)
      throw new ZstdFault(
        'its window is larger than 8 MB, which is the limit for bodies (RFC 9659); use level 19 or lower, without --long',
      )
  }

  #readBlock(): void {
    const block = this.#number(0, 3)
    const isLast = block % 2 === 1
    const type = (block >> 1) & 3
    if (type === 3) throw new ZstdFault('it is damaged')
    this.#skip = type === 1 ? 1 : block >> 3
    if (!isLast) {
      this.#expect('block', blockHeaderBytes)
      return
    }
    if (this.#hasChecksum) this.#skip += 4
    this.#frames++
    this.#expect('magic', 4)
  }

  /** @param kept bytes of this header that also belong to the next one */
  #expect(part: Part, bytes: number, kept = 0): void {
    this.#part = part
    this.#wanted = bytes
    this.#filled = kept
    if (kept === bytes) this.#read()
  }

  #number(at: number, bytes: number): number {
    let value = 0
    for (let i = 0; i < bytes; i++) value += this.#header[at + i] * 2 ** (8 * i)
    return value
  }
}

/** The number of bytes in a frame's header after its descriptor. */
function headerRest(descriptor: number): number {
  const window = (descriptor & 0x20) === 0 ? 1 : 0
  const dictionary = [0, 1, 2, 4][descriptor & 3]
  return window + dictionary + contentSizeBytes(descriptor)
}

function contentSizeBytes(descriptor: number): number {
  const isSingle = (descriptor & 0x20) !== 0
  return [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]
}
