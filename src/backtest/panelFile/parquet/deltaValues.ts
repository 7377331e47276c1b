import { damage } from './faults.ts'
import type { PageBytes } from './pageBytes.ts'

/** Writers use blocks of 128 in 4 parts. A block's head has a byte for each part. */
const maxMiniblocks = 1_024
const maxMiniblockValues = 65_536
const maxVarintBytes = 10

/** Reads whole numbers that are written as differences, some at a time. Differences of 0 take no bytes: a page of a few bytes may be
 * millions of numbers. */
export class DeltaReader {
  readonly #page: PageBytes
  readonly #bits: 32 | 64
  #isOpen = false
  #isFirst = true
  #value = 0n
  #minDelta = 0n
  #miniblockValues = 0
  #widths: Uint8Array = new Uint8Array(0)
  /** The miniblock being read, and how many of its values are left. */
  #miniblock = 0
  #left = 0
  #pending = 0n
  #pendingBits = 0

  /** @param bits of a number: sums wrap around */
  constructor(page: PageBytes, bits: 32 | 64) {
    this.#page = page
    this.#bits = bits
  }

  /** Hands `count` numbers to `take`. */
  async read(count: number, take: (value: bigint, index: number) => void): Promise<void> {
    if (count > 0 && !this.#isOpen) await this.#open()
    for (let i = 0; i < count; i++) {
      if (this.#isFirst) this.#isFirst = false
      else {
        if (this.#left === 0) await this.#nextMiniblock()
        this.#left--
        const width = this.#widths[this.#miniblock]
        const difference = width === 0 ? this.#minDelta : this.#minDelta + (await this.#packed(width))
        this.#value = BigInt.asIntN(this.#bits, this.#value + difference)
      }
      take(this.#value, i)
    }
  }

  /** Skips what pads the last miniblock: other numbers may follow. */
  async end(): Promise<void> {
    if (this.#left === 0) return
    const width = this.#widths[this.#miniblock]
    const bytes = Math.floor((this.#left * width + this.#pendingBits) / 8)
    await this.#page.fill(bytes)
    this.#page.at += bytes
    this.#left = 0
  }

  async #open(): Promise<void> {
    this.#isOpen = true
    const blockValues = Number(await this.#varint())
    const miniblocks = Number(await this.#varint())
    await this.#varint()
    this.#value = BigInt.asIntN(this.#bits, zigzag(await this.#varint()))
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
      await this.#page.fill(this.#widths.length)
      for (let i = 0; i < this.#widths.length; i++) this.#widths[i] = this.#page.bytes[this.#page.at++]
      this.#miniblock = 0
    }
    if (this.#widths[this.#miniblock] > 64)
      throw damage('a page has differences of more than 64 bits')
    this.#left = this.#miniblockValues
    this.#pending = 0n
    this.#pendingBits = 0
  }

  async #packed(width: number): Promise<bigint> {
    const page = this.#page
    while (this.#pendingBits < width) {
      if (page.available === 0) await page.fill(1)
      this.#pending |= BigInt(page.bytes[page.at++]) << BigInt(this.#pendingBits)
      this.#pendingBits += 8
    }
    const value = BigInt.asUintN(width, this.#pending)
    this.#pending >>= BigInt(width)
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
