import type { Cluster } from '../../deploy/cluster/cluster.ts'

/** Rounds in which a key with a daily limit sends more than that through both servers. */
export interface LimitTally {
  readonly rounds: number
  /** Rounds in which exactly the limit was answered. */
  readonly exact: number
  /** Requests answered above a limit: never. */
  readonly over: number
  /** Counted without an answer: the server or the database was killed, or HAProxy sent the request again. */
  readonly under: number
  /** Rounds with fewer answers in which nothing failed. */
  readonly unexplained: number
}

const perDay = 150
const clients = 4
const pauseMs = 20_000

/** Counts how many requests of keys with a limit both servers answer. */
export class LimitWatch {
  readonly #cluster: Cluster
  /** Whether a part was killed since a time. */
  readonly #disturbedSince: (at: number) => boolean
  readonly #tally = { rounds: 0, exact: 0, over: 0, under: 0, unexplained: 0 }
  #isOpen = true
  readonly #working: Promise<void>

  constructor(cluster: Cluster, disturbedSince: (at: number) => boolean) {
    this.#cluster = cluster
    this.#disturbedSince = disturbedSince
    this.#working = this.#work()
  }

  async stop(): Promise<LimitTally> {
    this.#isOpen = false
    await this.#working
    return this.#tally
  }

  async #work(): Promise<void> {
    while (this.#isOpen) {
      await this.#round().catch(() => {})
      for (let waited = 0; this.#isOpen && waited < pauseMs; waited += 500) await Bun.sleep(500)
    }
  }

  async #round(): Promise<void> {
    const key = await this.#cluster.newKey({ perDay })
    const startedAt = performance.now()
    let answered = 0
    let refused = 0
    let failed = 0
    let sent = 0
    const client = async () => {
      while (refused < clients && sent++ < 3 * perDay) {
        const status = await this.#send(key, sent)
        if (status === 200) answered++
        else if (status === 429) refused++
        else failed++
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    this.#tally.rounds++
    if (answered === perDay) this.#tally.exact++
    this.#tally.over += Math.max(0, answered - perDay)
    // If the database was away for the whole round, the round ended at the maximum number of requests.
    if (refused === 0) return
    this.#tally.under += Math.max(0, perDay - answered)
    if (answered < perDay && failed === 0 && !this.#disturbedSince(startedAt)) this.#tally.unexplained++
  }

  async #send(key: string, place: number): Promise<number> {
    try {
      const url = `${this.#cluster.address}/api/v1/fundamentals?ticker=AAPL&view=latest&as_of=20${10 + (place % 10)}-06-30`
      const response = await fetch(url, {
        headers: { Authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(30_000),
      })
      await response.arrayBuffer()
      return response.status
    } catch {
      return 0
    }
  }
}
