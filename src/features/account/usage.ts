import type { Caller } from '../../access/authenticate.ts'

/** One key's use since the last write. */
export interface KeyUse {
  readonly keyId: number
  readonly rootKeyId: number
  readonly routes: Map<string, number>
}

interface RecorderDeps {
  readonly addUse: (uses: readonly KeyUse[]) => Promise<void>
}

const flushAfterMs = 2_000
/**
 * While the database is down, counts accumulate. Above this number, new keys are not counted; limits do not
 * depend on these counts.
 */
const maxKeys = 10_000

/**
 * Counts which routes each key uses, for its holder. Limits are counted elsewhere, exactly. These counts are
 * written in batches, so that a request costs only two map lookups. If a server is killed, it loses the
 * counts of its last two seconds.
 */
export class UsageRecorder {
  readonly #deps: RecorderDeps
  #uses = new Map<number, KeyUse>()
  #timer: Timer | null = null

  constructor(deps: RecorderDeps) {
    this.#deps = deps
  }

  record({ ownKeyId, rights }: Caller, route: string): void {
    if (ownKeyId === null) return
    let use = this.#uses.get(ownKeyId)
    if (use === undefined) {
      if (this.#uses.size >= maxKeys) return
      use = { keyId: ownKeyId, rootKeyId: rights.keyId ?? ownKeyId, routes: new Map() }
      this.#uses.set(ownKeyId, use)
    }
    use.routes.set(route, (use.routes.get(route) ?? 0) + 1)
    if (this.#timer === null) {
      this.#timer = setTimeout(() => void this.flush(), flushAfterMs)
      this.#timer.unref()
    }
  }

  /** Writes the counts. If the write fails, they are included in the next one. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#uses.size === 0) return
    const uses = this.#uses
    this.#uses = new Map()
    try {
      await this.#deps.addUse([...uses.values()])
    } catch {
      this.#restore(uses)
    }
  }

  #restore(uses: ReadonlyMap<number, KeyUse>): void {
    for (const [keyId, { rootKeyId, routes }] of uses) {
      const use = this.#uses.get(keyId) ?? { keyId, rootKeyId, routes: new Map<string, number>() }
      for (const [route, requests] of routes) use.routes.set(route, (use.routes.get(route) ?? 0) + requests)
      if (this.#uses.size < maxKeys) this.#uses.set(keyId, use)
    }
  }
}
