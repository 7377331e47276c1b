/** A response, recorded once even if it came more often. */
export interface RecordedResponse {
  /** `recordAs` of its request. */
  readonly name: string
  /** The data version in its ETag. */
  readonly tagVersion: number | null
  readonly body: string
}

const maxResponses = 200_000
const maxBytes = 1_024 * 1_024 * 1_024

/** Records the different responses of a load, to be checked after it. */
export class ResponseRecorder {
  /** Responses beyond the limits. */
  notRecorded = 0
  readonly #responses = new Map<string, Omit<RecordedResponse, 'body'> & { readonly body: Buffer }>()
  #bytes = 0

  add(name: string, tag: string | null, body: Buffer): void {
    const version = /^W\/"(\d+)-/.exec(tag ?? '')?.[1]
    const tagVersion = version === undefined ? null : Number(version)
    const key = `${name} ${tagVersion} ${Bun.hash.xxHash3(body)}`
    if (this.#responses.has(key)) return
    if (this.#responses.size >= maxResponses || this.#bytes + body.length > maxBytes) {
      this.notRecorded++
      return
    }
    this.#bytes += body.length
    this.#responses.set(key, { name, tagVersion, body })
  }

  /** Writes one JSON object per line. */
  async write(path: string): Promise<void> {
    const file = Bun.file(path).writer()
    for (const { body, ...rest } of this.#responses.values()) {
      const response: RecordedResponse = { ...rest, body: body.toString('utf8') }
      file.write(`${JSON.stringify(response)}\n`)
      await file.flush()
    }
    await file.end()
  }
}
