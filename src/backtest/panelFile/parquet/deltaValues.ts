import { damage } from './faults.ts'
import type { PageBytes } from './pageBytes.ts'

/** Writers use blocks of 128 values in 4 miniblocks. The header of a block has one byte for each
 * miniblock. */
const maxMiniblocks = 1_024
const maxMiniblockValues = 65_536
const maxVarintBytes = 10
/** Up to this width, a number and the bits before it in its first byte fit in 32 bits. */
const maxNarrowWidth = 24

/** Reads delta-encoded integers, some at a time. Differences of 0 take no bytes, so a page of a few bytes may
 * contain millions of numbers. */
export class DeltaReader {
  readonly #page: PageBytes
  #isOpen = false
  #isFirst = true
  #value = 0n
  #minDelta = 0n
  /** 32-bit versions of the two fields above. */
  #small = 0
  #smallMinDelta = 0
  #miniblockValues = 0
  #widths: Uint8Array = new Uint8Array(0)
  /** The current miniblock, and how many of its values are left. */
  #miniblock = 0
  #left = 0
  #pendingWide = 0n
  #pendingNarrow = 0
  #pendingBits = 0

  constructor(page: PageBytes) {
    this.#page = page
  }

  /** Fills the first `count` elements. */
  async read(output: Int32Array | BigInt64Array, count: number): Promise<void> {
    if (count > 0 && !this.#isOpen) await this.#open()
    const isSmall = output instanceof Int32Array
    for (let i = 0; i < count; i++) {
      if (this.#isFirst) this.#isFirst = false
      else {
        if (this.#left === 0) await this.#nextMiniblock()
        this.#left--
        const width = this.#widths[this.#miniblock]
        const missing = width - this.#pendingBits
        if (missing > 8 * this.#page.available) await this.#page.fill(Math.ceil(missing / 8))
        if (isSmall) this.#small = (this.#small + this.#smallMinDelta + this.#smallPacked(width)) | 0
        else this.#value = BigInt.asIntN(64, this.#value + this.#minDelta + this.#packed(width))
      }
      if (isSmall) output[i] = this.#small
      else output[i] = this.#value
    }
  }

  /** Skips the padding of the last miniblock, because other numbers may follow. */
  async end(): Promise<void> {
    if (this.#left === 0) return
    const width = this.#widths[this.#miniblock]
    const bytes = (this.#left * width - this.#pendingBits) / 8
    await this.#page.fill(bytes)
    this.#page.at += bytes
    this.#left = 0
  }

  async #open(): Promise<void> {
    this.#isOpen = true
    const blockValues = Number(await this.#varint())
    const miniblocks = Number(await this.#varint())
    await this.#varint()
    this.#value = BigInt.asIntN(64, zigzag(await this.#varint()))
    this.#small = Number(BigInt.asIntN(32, this.#value))
    this.#miniblockValues = blockValues / miniblocks
    const isValid =
      miniblocks > 0 &&
      miniblocks <= maxMiniblocks &&
      this.#miniblockValues > 0 &&
      this.#miniblockValues <= maxMiniblockValues &&
      this.#miniblockValues % 8 === 0
    if (!isValid) throw damage('a page has differences in blocks of an unknown size')
    this.#widths = new Uint8Array(miniblocks)
    this.#miniblock = miniblocks
  }

  async #nextMiniblock(): Promise<void> {
    this.#miniblock++
    if (this.#miniblock >= this.#widths.length) {
      this.#minDelta = zigzag(await this.#varint())
      this.#smallMinDelta = Number(BigInt.asIntN(32, this.#minDelta))
      await this.#page.fill(this.#widths.length)
      for (let i = 0; i < this.#widths.length; i++) this.#widths[i] = this.#page.bytes[this.#page.at++]
      this.#miniblock = 0
    }
    if (this.#widths[this.#miniblock] > 64) throw damage('a page has differences of more than 64 bits')
    this.#left = this.#miniblockValues
    this.#pendingWide = 0n
    this.#pendingNarrow = 0
    this.#pendingBits = 0
  }

  /** For 32-bit numbers, the upper bits of wide differences can be dropped: arithmetic wraps around. */
  #smallPacked(width: number): number {
    return width <= maxNarrowWidth ? this.#narrow(width) : Number(BigInt.asIntN(32, this.#wide(width)))
  }

  #packed(width: number): bigint {
    return width <= maxNarrowWidth ? BigInt(this.#narrow(width)) : this.#wide(width)
  }

  #narrow(width: number): number {
    const page = this.#page
    for (; this.#pendingBits < width; this.#pendingBits += 8)
      this.#pendingNarrow |= page.bytes[page.at++] << this.#pendingBits
    const value = this.#pendingNarrow & ((1 << width) - 1)
    this.#pendingNarrow >>>= width
    this.#pendingBits -= width
    return value
  }

  #wide(width: number): bigint {
    const page = this.#page
    for (; this.#pendingBits < width; this.#pendingBits += 8)
      this.#pendingWide |= BigInt(page.bytes[page.at++]) << BigInt(this.#pendingBits)
    const value = BigInt.asUintN(width, this.#pendingWide)
    this.#pendingWide >>= BigInt(width)
    this.#pendingBits -= width
    return value
  }

  async #varint(): Promise<bigint> {
    const page = this.#page
    let value = 0n
    for (let i = 0; i < maxVarintBytes; i++) {
      if (page.available === 0) await page.fill(1)
      const byte = page.bytes[page.at++]
      value |= BigInt(byte & 0x7f) << BigInt(7 * i)
      if (byte < 0x80) return value
    }
    throw damage('a page has a number without an end')
  }
}

const zigzag = (value: bigint): bigint => (value >> 1n) ^ -(value & 1n)
