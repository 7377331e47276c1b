const headerEnd = Buffer.from('\r\n\r\n')

/** Follows one connection: says when an answer is complete. Answers come one at a time. */
export class AnswerReader {
  /** The head of the last answer, the status line first. */
  head = ''
  readonly #keepsBody: boolean
  #pending: Buffer | null = null
  #bodyLeft = -1
  #pieces: Buffer[] = []

  constructor(keepsBody = false) {
    this.#keepsBody = keepsBody
  }

  get ok(): boolean {
    return this.head.startsWith('HTTP/1.1 200')
  }

  /** Of the last answer, where bodies are kept. */
  get body(): Buffer {
    return Buffer.concat(this.#pieces)
  }

  header(name: string): string | null {
    return new RegExp(`^${name}: (.*)$`, 'im').exec(this.head)?.[1].trim() ?? null
  }

  /** True when the chunk completed the answer. */
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
    // The socket may use its buffer again.
    if (this.#keepsBody) this.#pieces.push(Buffer.from(bytes))
    this.#bodyLeft -= bytes.length
    if (this.#bodyLeft > 0) return false
    this.#bodyLeft = -1
    return true
  }
}
