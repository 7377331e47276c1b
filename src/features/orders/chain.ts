/** A signed order without the bytes of its document. Days and times are in UTC, times in microseconds. */
export interface OrderRecord {
  readonly orderId: number
  readonly form: string
  readonly version: string
  readonly accountId: number
  readonly email: string
  /** The registrable domain. */
  readonly domain: string
  /** Hexadecimal, like all digests here. */
  readonly documentSha256: string
  readonly consent: string
  readonly signerName: string
  readonly signerTitle: string
  readonly company: string
  readonly signedAt: string
  readonly address: string
  readonly agent: string
  readonly sessionId: number
  readonly provedAt: string
  readonly provedAddress: string
  readonly provedAgent: string
  readonly keyPrefix: string
  readonly grantId: number
  readonly lastDay: string
  /** The digest of the previous order. */
  readonly previous: string
}

/** The value of `previous` in the first order. */
export const chainStart = '00'.repeat(32)

/** Do not reorder these: the digests of all signed orders depend on it. */
const covered = [
  ...(['orderId', 'form', 'version', 'accountId', 'email', 'domain', 'documentSha256', 'consent'] as const),
  ...(['signerName', 'signerTitle', 'company', 'signedAt', 'address', 'agent'] as const),
  ...(['sessionId', 'provedAt', 'provedAddress', 'provedAgent'] as const),
  ...(['keyPrefix', 'grantId', 'lastDay', 'previous'] as const),
] satisfies (keyof OrderRecord)[]

/**
 * SHA-256 of the JSON array of all fields. JSON makes it unambiguous where one field ends and the next
 * begins.
 */
export function recordDigest(record: OrderRecord): string {
  return sha256(JSON.stringify(['asfiled order 1', ...covered.map(name => record[name])]))
}

export function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(content).digest('hex')
}

export interface StoredOrder extends OrderRecord {
  readonly digest: string
  /** The SHA-256 of the document as stored now. */
  readonly foundSha256: string
}

/** What the chain must agree with: its recorded end, and the digests in the audit log. */
export interface ChainAnchors {
  readonly end: { readonly orderId: number; readonly digest: string }
  readonly audited: ReadonlyMap<number, string>
}

/** Checks orders in sequence and records every break in the chain. */
export class ChainCheck {
  readonly breaks: string[] = []
  readonly digests = new Set<string>()
  #last: { orderId: number; digest: string } = { orderId: 0, digest: chainStart }
  readonly #anchors: ChainAnchors
  count = 0

  constructor(anchors: ChainAnchors) {
    this.#anchors = anchors
  }

  get head(): { readonly orderId: number; readonly digest: string } {
    return this.#last
  }

  /** @param order the next one by number */
  add(order: StoredOrder): void {
    const { orderId, digest } = order
    const name = `Order ${orderId}`
    this.#reportMissing(this.#last.orderId + 1, orderId - 1)
    if (order.foundSha256 !== order.documentSha256)
      this.breaks.push(`${name}: its document is not the one that was signed.`)
    if (recordDigest(order) !== digest)
      this.breaks.push(`${name}: its fields are not those that were signed.`)
    if (orderId === this.#last.orderId + 1 && order.previous !== this.#last.digest)
      this.breaks.push(`${name}: it does not follow order ${orderId - 1} as that one is now.`)
    const audited = this.#anchors.audited.get(orderId)
    if (audited !== digest)
      this.breaks.push(
        `${name}: the audit log ${audited === undefined ? 'has no line of it' : 'has another digest'}.`,
      )
    this.#last = { orderId, digest }
    this.digests.add(digest)
    this.count++
  }

  /**
   * Call this if the audit log has a second, different digest of an order. The log is append-only, so without
   * this an added line could hide that the order was replaced.
   */
  reportSecondLine(orderId: number): void {
    this.breaks.push(`Order ${orderId}: the audit log has two digests of it.`)
  }

  /** Call this after the last order. */
  finish(): void {
    const { end, audited } = this.#anchors
    const lastKnown = Math.max(end.orderId, ...audited.keys())
    this.#reportMissing(this.#last.orderId + 1, lastKnown)
    if (end.orderId === this.#last.orderId && end.digest !== this.#last.digest)
      this.breaks.push(`The chain is recorded to end with another order ${end.orderId}.`)
    if (end.orderId < this.#last.orderId)
      this.breaks.push(`The chain is recorded to end with order ${end.orderId}, and there are later ones.`)
  }

  #reportMissing(first: number, last: number): void {
    if (first > last) return
    this.breaks.push(
      first === last ? `Order ${first} is missing.` : `Orders ${first} to ${last} are missing.`,
    )
  }
}
