import { closeSync, openSync, readSync } from 'node:fs'

/** A body that is too large for memory, in an open file. */
export interface BodyFile {
  readonly descriptor: number
  readonly bytes: number
  /** By default `windowBytes` and `maxRowBytes`: tests have smaller ones. */
  readonly window?: { readonly bytes: number; readonly maxRowBytes: number }
}

/** The bytes of a body: in memory, or in a file. */
export type BodySource = Uint8Array | BodyFile

/** The same as it crosses to another thread: a file by its path. Whoever sends it keeps the file until the answer. */
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

/** Of a file, this much is in memory at a time. */
const windowBytes = 4 * 1_024 * 1_024
/** A row that begins in the window is in memory whole if it is not longer than this. The longest valid one has some
 * thousand bytes. */
export const maxRowBytes = 256 * 1_024

const noBytes = new Uint8Array(0)

/** A place in a body, and the bytes around it. Readers call `ready` before each row: of a file it then has the whole
 * row in memory. Offsets are those of the window; `offset` is the window's own. */
export class BodyCursor {
  bytes: Uint8Array
  /** The same bytes. */
  text: Buffer
  view: DataView
  at = 0
  /** Where `bytes` begins in the body. */
  offset = 0
  readonly #source: BodySource
  readonly #file: number | null
  readonly #windowBytes: number
  readonly #maxRowBytes: number
  #memory: Uint8Array = noBytes
  /** A row that begins before this is in memory whole. */
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

  /** Of the whole body. */
  get totalBytes(): number {
    return sizeOf(this.#source)
  }

  /** Whether all of the body is in memory. */
  get isWhole(): boolean {
    return this.#file === null
  }

  /** Whether the body ends with `bytes`. */
  get isLast(): boolean {
    return this.#readyBefore === Number.POSITIVE_INFINITY
  }

  /** Has the bytes from the place on in memory: `maxRowBytes` of them, or all that follow. */
  ready(): void {
    if (this.at >= this.#readyBefore) this.#moveWindow()
  }

  /** Goes back to the beginning of the body. */
  restart(): void {
    this.at = 0
    if (this.#file === null) return
    this.offset = 0
    this.#setWindow(noBytes)
    this.#readyBefore = 0
    this.ready()
  }

  /** Calls `read` with all bytes from one place of the body to another, part by part. The window stays where it is. */
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
    // The same memory for all windows: hundreds of them would be garbage before it is collected.
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
