import { closeSync, openSync, readSync } from 'node:fs'

/** An open file with a body that is too large for memory. */
export interface BodyFile {
  readonly descriptor: number
  readonly bytes: number
  /** Defaults to `windowBytes` and `maxRowBytes`; tests use smaller values. */
  readonly window?: { readonly bytes: number; readonly maxRowBytes: number }
}

/** The bytes of a body, in memory or in a file. */
export type BodySource = Uint8Array | BodyFile

/** A body in the form that crosses to another thread: a file by its path. The sender keeps the file until it
 * gets the response. */
export type SentBody = Uint8Array | { readonly path: string; readonly bytes: number }

/** Opens a body for `work`. */
export async function withBody<T>(sent: SentBody, work: (source: BodySource) => T | Promise<T>): Promise<T> {
  if (sent instanceof Uint8Array) return work(sent)
  const descriptor = openSync(sent.path, 'r')
  try {
    return await work({ descriptor, bytes: sent.bytes })
  } finally {
    closeSync(descriptor)
  }
}

export const sizeOf = (source: BodySource | SentBody): number =>
  source instanceof Uint8Array ? source.length : source.bytes

/** How much of a file is in memory at a time. */
const windowBytes = 4 * 1_024 * 1_024
/** A row that begins in the window is entirely in memory if it is not longer than this. The longest valid one
 * has a few thousand bytes. */
export const maxRowBytes = 256 * 1_024

const noBytes = new Uint8Array(0)

/** A position in a body, and the bytes around it. Readers call `ready` before each row, so that a row of a
 * file is entirely in memory. Positions are relative to the window, which begins at `offset`. */
export class BodyCursor {
  bytes: Uint8Array
  /** The same bytes. */
  text: Buffer
  view: DataView
  at = 0
  /** The offset of `bytes` in the body. */
  offset = 0
  readonly #source: BodySource
  readonly #file: number | null
  readonly #windowBytes: number
  readonly #maxRowBytes: number
  #memory: Uint8Array = noBytes
  /** A row that begins before this position is entirely in memory. */
  #readyBefore: number

  constructor(source: BodySource) {
    this.#source = source
    const isWhole = source instanceof Uint8Array
    this.#file = isWhole ? null : source.descriptor
    const window = isWhole ? undefined : source.window
    this.#windowBytes = window?.bytes ?? windowBytes
    this.#maxRowBytes = window?.maxRowBytes ?? maxRowBytes
    this.bytes = isWhole ? source : noBytes
    this.text = textOf(this.bytes)
    this.view = viewOf(this.bytes)
    this.#readyBefore = isWhole ? Number.POSITIVE_INFINITY : 0
    this.ready()
  }

  /** The size of the whole body. */
  get totalBytes(): number {
    return sizeOf(this.#source)
  }

  /** Whether the whole body is in memory. */
  get isWhole(): boolean {
    return this.#file === null
  }

  /** Whether `bytes` reaches the end of the body. */
  get isLast(): boolean {
    return this.#readyBefore === Number.POSITIVE_INFINITY
  }

  /** Loads the bytes from the position on: `maxRowBytes` of them, or all that remain. */
  ready(): void {
    if (this.at >= this.#readyBefore) this.#moveWindow()
  }

  /** Returns to the beginning of the body. */
  restart(): void {
    this.at = 0
    if (this.#file === null) return
    this.offset = 0
    this.#setWindow(noBytes)
    this.#readyBefore = 0
    this.ready()
  }

  /** Calls `read` with all bytes between two offsets of the body, part by part. The window does not move. */
  scan(from: number, to: number, read: (bytes: Uint8Array) => void): void {
    if (this.#file === null) {
      read(this.bytes.subarray(from, to))
      return
    }
    const part = new Uint8Array(Math.min(this.#windowBytes, to - from))
    for (let at = from; at < to; ) {
      const length = readSync(this.#file, part, 0, Math.min(part.length, to - at), at)
      if (length === 0) throw new Error('The file of a body became shorter.')
      read(part.subarray(0, length))
      at += length
    }
  }

  #moveWindow(): void {
    if (this.#file === null) return
    const rest = this.bytes.subarray(this.at)
    const next = this.offset + this.bytes.length
    const size = rest.length + Math.min(this.#windowBytes, this.totalBytes - next)
    // All windows share one buffer: hundreds of them would become garbage faster than it is collected.
    if (size > this.#memory.length) {
      const larger = new Uint8Array(size + Math.min(this.#windowBytes, this.#maxRowBytes))
      larger.set(rest)
      this.#memory = larger
    } else this.#memory.set(rest)
    const window = this.#memory.subarray(0, size)
    for (let filled = rest.length; filled < size; ) {
      const length = readSync(this.#file, window, filled, size - filled, next + filled - rest.length)
      if (length === 0) throw new Error('The file of a body became shorter.')
      filled += length
    }
    this.offset += this.at
    this.at = 0
    this.#setWindow(window)
    const isLast = this.offset + window.length === this.totalBytes
    this.#readyBefore = isLast ? Number.POSITIVE_INFINITY : window.length - this.#maxRowBytes
  }

  #setWindow(bytes: Uint8Array): void {
    this.bytes = bytes
    this.text = textOf(bytes)
    this.view = viewOf(bytes)
  }
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
