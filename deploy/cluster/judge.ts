import type { LoadRequest } from './requests.ts'

interface Answer {
  readonly response: Response
  readonly body: string
  /** When the request was sent. What was answered on the next day is not compared, because its day is not known. */
  readonly day: string
}

/** A response that differs from the expected one. */
export interface WrongAnswer {
  readonly path: string
  readonly why: string
  readonly at: number
}

interface Waiting {
  readonly path: string
  readonly version: number
  readonly digest: string
  /** When it was sent and answered. Midnight changes responses: figures without a filing day are shown only as of today. */
  readonly day: string
  tries: number
}

const maxWaiting = 20_000
const maxKnown = 300_000
const maxWrong = 100
/** Responses that are checked at the same time. A server reads only four pinned versions at once. */
const maxAtOnce = 40
const maxTries = 200
const bodyVersion = /"data_version":\s*(\d+)/

export const utcDay = () => new Date().toISOString().slice(0, 10)
const digestOf = (text: string) => String(Bun.hash(text))

/** Compares answers with what a server of the primary alone answers for the same data version. */
export class Judge {
  readonly wrong: WrongAnswer[] = []
  /** Responses compared with the primary's, and responses compared with that to an equal request. */
  compared = 0
  same = 0
  /** Not compared, because too many were waiting or because the day ended first. */
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

  take({ path, truth, body: sent }: LoadRequest, { response, body, day }: Answer): void {
    if (truth === 'status') return
    if (day !== utcDay()) {
      this.skipped++
      return
    }
    const version = bodyVersion.exec(body)?.[1]
    const tag = response.headers.get('etag')
    const tagged = tag === null ? null : /^(?:W\/)?"(\d+)-/.exec(tag)?.[1]
    if (truth === 'pinned') {
      if (version === undefined) {
        this.#report(path, `names no data version: ${body.slice(0, 200)}`)
        return
      }
      // A stream sends its ETag before it opens its snapshot, so its rows may be of a later version.
      if (tagged !== undefined && tagged !== null && Number(tagged) > Number(version))
        this.#report(path, `the tag is of version ${tagged}, the rows of ${version}`)
      this.#compare(`${path} @${version} on ${day}`, body, path)
      if (this.#waiting.length < maxWaiting)
        this.#waiting.push({ path, version: Number(version), digest: digestOf(body), day, tries: 0 })
      else this.skipped++
      return
    }
    // If a tool's own request was refused, the tool says so in a successful response.
    if (truth === 'figures' && body.includes('"isError":true')) return
    const content = truth === 'figures' ? (body.match(/"v":[^,}]+/g) ?? []).join() : body
    this.#compare(
      `${path} ${sent ?? ''} on ${day}`,
      content.replaceAll(/"?data_version\\?"?:\s*\d+/g, ''),
      path,
    )
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Waits until all accepted responses have been compared. */
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
      if (utcDay() !== day) {
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
      // The primary cannot be reached.
      if (++waiting.tries > maxTries) return this.#report(path, `version ${version} could not be compared`)
      this.#waiting.push(waiting)
      await Bun.sleep(250)
    }
  }
}
