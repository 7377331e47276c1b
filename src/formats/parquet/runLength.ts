/** Shorter runs are smaller as packed bits. */
const minRun = 8

/** A growing byte buffer. `ByteWriter` of the Parquet library checks and writes one byte at a time through a
 * view, which takes most of the time for hundreds of millions of values. */
export class Bytes {
  buffer = new Uint8Array(64 * 1_024)
  at = 0

  /** Makes room for this many more bytes. */
  reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return
    const grown = new Uint8Array(Math.max(this.buffer.length * 2, this.at + bytes))
    grown.set(this.buffer.subarray(0, this.at))
    this.buffer = grown
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.buffer.set(bytes, this.at)
    this.at += bytes.length
  }

  /** The bytes so far. They are overwritten after the next `reset`. */
  written(): Uint8Array {
    return this.buffer.subarray(0, this.at)
  }

  reset(): void {
    this.at = 0
  }

  varint(value: number): void {
    let rest = value
    while (rest > 127) {
      this.buffer[this.at++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.buffer[this.at++] = rest
  }
}

/** Appends `count` values of `bits` bits each in Parquet's hybrid of runs and packed bits ("RLE / Bit-Packing
 * Hybrid", encoding 3). */
export function writeHybrid(out: Bytes, values: Int32Array | Uint8Array, count: number, bits: number): void {
  // Room for the packed bits of all values and the header of each run.
  out.reserve(Math.ceil((count * Math.max(bits, 1)) / 8) + count + 64)
  let packedFrom = 0
  let at = 0
  while (at < count) {
    const value = values[at]
    let end = at + 1
    while (end < count && values[end] === value) end++
    // Packed groups have eight values, so a run must begin where a group ends.
    const start = at + ((8 - ((at - packedFrom) & 7)) & 7)
    if (end - start >= minRun) {
      writePacked(out, values, packedFrom, start, bits)
      out.varint((end - start) << 1)
      for (let shift = 0; shift < bits; shift += 8) out.buffer[out.at++] = (value >>> shift) & 255
      packedFrom = end
    }
    at = end
  }
  writePacked(out, values, packedFrom, count, bits)
}

function writePacked(
  out: Bytes,
  values: Int32Array | Uint8Array,
  from: number,
  end: number,
  bits: number,
): void {
  if (end <= from) return
  const groups = Math.ceil((end - from) / 8)
  out.varint((groups << 1) | 1)
  const { buffer } = out
  let { at } = out
  let held = 0
  let heldBits = 0
  const padded = from + groups * 8
  for (let index = from; index < padded; index++) {
    if (index < end) held |= values[index] << heldBits
    heldBits += bits
    while (heldBits >= 8) {
      buffer[at++] = held & 255
      held >>>= 8
      heldBits -= 8
    }
  }
  out.at = at
}
