/** One answer, however often it came. */
export interface RecordedAnswer {
  /** The name that its request gave. */
  readonly name: string
  /** The data version that its ETag names. */
  readonly tagVersion: number | null
  readonly body: string
}

const mostAnswers = 200_000
const mostBytes = 1_024 * 1_024 * 1_024

/** Every answer of a load that differs from those before, for others to judge. */
export class AnswerRecord {
  /** Answers that found no room. */
  lost = 0
  readonly #answers = new Map<string, Omit<RecordedAnswer, 'body'> & { readonly body: Buffer }>()
  #bytes = 0

  add(name: string, tag: string | null, body: Buffer): void {
    const version = /^W\/"(\d+)-/.exec(tag ?? '')?.[1]
    const tagVersion = version === undefined ? null : Number(version)
    const key = `${name} ${tagVersion} ${Bun.hash.xxHash3(body)}`
    if (this.#answers.has(key)) return
    if (this.#answers.size >= mostAnswers || this.#bytes + body.length > mostBytes) {
      this.lost++
      return
    }
    this.#bytes += body.length
    this.#answers.set(key, { name, tagVersion, body })
  }

  /** As JSON, one a line. */
  async write(path: string): Promise<void> {
    const file = Bun.file(path).writer()
    for (const { body, ...about } of this.#answers.values()) {
      const answer: RecordedAnswer = { ...about, body: body.toString('utf8') }
      file.write(`${JSON.stringify(answer)}\n`)
      await file.flush()
    }
    await file.end()
  }
}
