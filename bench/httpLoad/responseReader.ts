const headerEnd = Buffer.from('\r\n\r\n')

/** Parses the responses of one connection, without pipelining. */
export class ResponseReader {
  /** Status line and headers of the last response. */
  head = ''
  readonly #storesBody: boolean
  #pending: Buffer | null = null
  #bodyLeft = -1
  #pieces: Buffer[] = []

  constructor(storesBody = false) {
    this.#storesBody = storesBody
  }

  get ok(): boolean {
    return this.head.startsWith('HTTP/1.1 200')
  }

  /** Body of the last response, if the reader stores bodies. */
  get body(): Buffer {
    return Buffer.concat(this.#pieces)
  }

  header(name: string): string | null {
    return new RegExp(`^${name}: (.*)$`, 'im').exec(this.head)?.[1].trim() ?? null
  }

  /** Returns true when the chunk completes a response. */
  feed(chunk: Buffer): boolean {
    if (this.#bodyLeft >= 0) return this.#take(chunk)
    const bytes = this.#pending === null ? chunk : Buffer.concat([this.#pending, chunk])
    const end = bytes.indexOf(headerEnd)
    if (end < 0) {
      this.#pending = bytes
      return false
    }
    this.head = bytes.toString('latin1', 0, end)
    this.#pending = null
    this.#pieces = []
    this.#bodyLeft = Number(/content-length: (\d+)/i.exec(this.head)?.[1] ?? 0)
    return this.#take(bytes.subarray(end + 4))
  }

  #take(bytes: Buffer): boolean {
    // A copy, because the socket may reuse its buffer.
    if (this.#storesBody) this.#pieces.push(Buffer.from(bytes))
    this.#bodyLeft -= bytes.length
    if (this.#bodyLeft > 0) return false
    this.#bodyLeft = -1
    return true
  }
}
