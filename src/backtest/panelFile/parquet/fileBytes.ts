import { readSync } from 'node:fs'
import type { BodySource } from '../../codec/bodyBytes.ts'

/** A file that is read in parts, in any order. */
export interface FileBytes {
  readonly length: number
  /** Whether it is in memory, so that a slice of any size takes none. */
  readonly isMemory: boolean
  /** The bytes from one offset to another, both within the file. For a file in memory they are a view. */
  slice(from: number, to: number): Uint8Array
  /** Frees the memory of a slice immediately: slices of a large file would be collected too late. */
  release(slice: Uint8Array): void
}

const releaseOwned = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

export function openFileBytes(source: BodySource): FileBytes {
  if (source instanceof Uint8Array)
    return {
      length: source.length,
      isMemory: true,
      slice: (from, to) => source.subarray(from, to),
      release: () => {},
    }
  const { descriptor, bytes } = source
  return {
    length: bytes,
    isMemory: false,
    slice: (from, to) => {
      const part = new Uint8Array(Math.max(0, Math.min(to, bytes) - from))
      for (let filled = 0; filled < part.length; ) {
        const length = readSync(descriptor, part, filled, part.length - filled, from + filled)
        if (length === 0) throw new Error('The file of a body became shorter.')
        filled += length
      }
      return part
    },
    release: releaseOwned,
  }
}
