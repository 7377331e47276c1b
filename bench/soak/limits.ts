import type { Cluster } from '../../deploy/cluster/cluster.ts'
import { utcDay } from '../../deploy/cluster/judge.ts'

/** The outcome of the rounds. In each, a key sends more requests than its daily limit through both servers. */
export interface LimitTally {
  readonly rounds: number
  /** Rounds over midnight, when a new day's limit begins: they may answer it twice, and are not judged otherwise. */
  readonly overMidnight: number
  /** Rounds in which the number of answered requests equalled the limit. */
  readonly exact: number
  /** Requests answered beyond the limit. Must stay 0. */
  readonly over: number
  /**
   * Requests that were counted but not answered, because the server or the database was killed or HAProxy sent the
   * request again.
   */
  readonly under: number
  /** Rounds that answered fewer requests than the limit although nothing failed. */
  readonly unexplained: number
}

const perDay = 150
const clients = 4
const pauseMs = 20_000

/** Counts how many requests the two servers together answer for keys with a limit. */
export class LimitWatch {
  readonly #cluster: Cluster
  /** Whether any part of the cluster was killed after `at`. */
  readonly #disturbedSince: (at: number) => boolean
  readonly #tally = { rounds: 0, overMidnight: 0, exact: 0, over: 0, under: 0, unexplained: 0 }
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
    const day = utcDay()
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
    if (day !== utcDay()) {
      this.#tally.overMidnight++
      this.#tally.over += Math.max(0, answered - 2 * perDay)
      return
    }
    if (answered === perDay) this.#tally.exact++
    this.#tally.over += Math.max(0, answered - perDay)
    // The database was down for the whole round, which ended at the maximum number of requests.
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
