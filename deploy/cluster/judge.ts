import type { LoadRequest } from './requests.ts'

/** An answer that is not what it must be. */
export interface WrongAnswer {
  readonly path: string
  readonly why: string
  readonly at: number
}

interface Waiting {
  readonly path: string
  readonly version: number
  readonly digest: string
  /** When it was answered: a company shows what its register states without a day only as of today, so midnight changes an answer. */
  readonly day: string
  tries: number
}

const maxWaiting = 20_000
const maxKnown = 300_000
const maxWrong = 100
/** Looked up together: a server reads four pinned versions at a time. */
const maxAtOnce = 40
const maxTries = 200
const bodyVersion = /"data_version":\s*(\d+)/

const today = () => new Date().toISOString().slice(0, 10)
const digestOf = (text: string) => String(Bun.hash(text))

/** Compares answers with what a server of the primary alone answers for the same data version. */
export class Judge {
  readonly wrong: WrongAnswer[] = []
  /** Answers compared with the primary's, and with an equal request's. */
  compared = 0
  same = 0
  /** Not compared, because too many waited, or because the day ended before. */
  skipped = 0
  readonly #address: string
  readonly #key: string
  readonly #known = new Map<string, string>()
  #waiting: Waiting[] = []
  #isOpen = true
  readonly #working: Promise<void>

  /** @param address of a server that has no replicas */
  constructor(address: string, key: string) {
    this.#address = address
    this.#key = key
    this.#working = this.#work()
  }

  take({ path, truth, body: sent }: LoadRequest, response: Response, body: string): void {
    if (truth === 'status') return
    const version = bodyVersion.exec(body)?.[1]
    const tag = response.headers.get('etag')
    const tagged = tag === null ? null : /^(?:W\/)?"(\d+)-/.exec(tag)?.[1]
    if (truth === 'pinned') {
      if (version === undefined) {
        this.#report(path, `names no data version: ${body.slice(0, 200)}`)
        return
      }
      // A stream begins with its tag, before its snapshot is opened: it may be of a later version.
      if (tagged !== undefined && tagged !== null && Number(tagged) > Number(version))
        this.#report(path, `the tag is of version ${tagged}, the rows of ${version}`)
      const day = today()
      this.#compare(`${path} @${version} on ${day}`, body, path)
      if (this.#waiting.length < maxWaiting)
        this.#waiting.push({ path, version: Number(version), digest: digestOf(body), day, tries: 0 })
      else this.skipped++
      return
    }
    // A tool says in an answer of its own that the request which it made was refused.
    if (truth === 'figures' && body.includes('"isError":true')) return
    const content = truth === 'figures' ? (body.match(/"v":[^,}]+/g) ?? []).join() : body
    this.#compare(`${path} ${sent ?? ''}`, content.replaceAll(/"?data_version\\?"?:\s*\d+/g, ''), path)
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Waits until all is compared that was taken. */
  async close(): Promise<void> {
    this.#isOpen = false
    await this.#working
  }

  #compare(name: string, body: string, path: string): void {
    const digest = digestOf(body)
    const known = this.#known.get(name)
    if (known === undefined) {
      if (this.#known.size >= maxKnown) this.#known.clear()
      this.#known.set(name, digest)
      return
    }
    this.same++
    if (known !== digest)
      this.#report(path, `two answers to ${name.slice(-200)} differ: ${body.slice(0, 300)}`)
  }

  #report(path: string, why: string): void {
    if (this.wrong.length < maxWrong) this.wrong.push({ path, why, at: Date.now() })
  }

  async #work(): Promise<void> {
    while (this.#isOpen || this.#waiting.length > 0) {
      if (this.#waiting.length === 0) {
        await Bun.sleep(50)
        continue
      }
      const [{ version }] = this.#waiting
      const group: Waiting[] = []
      const rest: Waiting[] = []
      for (const one of this.#waiting)
        (one.version === version && group.length < maxAtOnce ? group : rest).push(one)
      this.#waiting = rest
      for (const one of group) await this.#judge(one)
    }
  }

  async #judge(waiting: Waiting): Promise<void> {
    const { path, version, digest, day } = waiting
    const url = `${this.#address}${path}${path.includes('?') ? '&' : '?'}data_version=${version}`
    const headers = { Authorization: `Bearer ${this.#key}` }
    try {
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(20_000) })
      const body = await response.text()
      if (response.status >= 500 || response.status === 429) throw new Error(String(response.status))
      if (today() !== day) {
        this.skipped++
        return
      }
      this.compared++
      if (!response.ok)
        this.#report(
          path,
          `for version ${version} the primary answers ${response.status}: ${body.slice(0, 300)}`,
        )
      else if (digestOf(body) !== digest)
        this.#report(path, `for version ${version} the primary answers otherwise`)
    } catch {
      // The primary is away.
      if (++waiting.tries > maxTries) return this.#report(path, `version ${version} could not be compared`)
      this.#waiting.push(waiting)
      await Bun.sleep(250)
    }
  }
}
