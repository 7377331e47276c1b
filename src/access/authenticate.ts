import { Failure } from '../errors.ts'
import type { Limits, Verdict } from '../limits/decision.ts'
import type { RateLimiter } from '../limits/rateLimiter.ts'
import { checkKeyText, demoKey, digestBytes, keyDigest } from './keyText.ts'
import { type Licence, licenceLimits, type Principal } from './licences.ts'
import type { StoredKey } from './queries.ts'

export interface AccessDeps {
  readonly findKey: (digest: Uint8Array) => Promise<StoredKey | null>
  readonly keyCache: KeyCache
  readonly rateLimiter: RateLimiter
  /** Milliseconds since 1970. */
  readonly epochMs: () => number
}

/** Failed authentications that one address may cause. */
const failureLimits: Limits = { perMinute: 30, perDay: null }
const bearer = /^Bearer +(\S+) *$/i

/** The caller whose key is in an Authorization header. Keys are compared by their SHA-256 alone, so the time of a refusal
 * reveals nothing about any key. A cached key is answered without a promise, which saves time on every request. */
export function authenticate(
  deps: AccessDeps,
  header: string | null,
  address: string,
): Caller | Promise<Caller> {
  if (header === null) throw keyMissing()
  const key = bearer.exec(header)?.[1]
  if (key === demoKey) return demoCaller(address)
  if (key === undefined) return refuse(deps, address, notBearer())
  const digest = keyDigest(key)
  const cached = deps.keyCache.find(digest, deps.epochMs())
  if (cached !== null) return callerOrRefusal(deps, cached, address)
  return lookUp(deps, key, digest, address)
}

async function lookUp(deps: AccessDeps, key: string, digest: string, address: string): Promise<Caller> {
  try {
    checkKeyText(key)
  } catch (failure) {
    return refuse(deps, address, failure)
  }
  // An address that guesses keys exhausts its failures. Then only keys seen before reach the database.
  if (!deps.keyCache.hasSeen(digest) && deps.rateLimiter.isRefused(failureSubject(address), failureLimits)) {
    return refuse(deps, address, keyUnknown())
  }
  const { generation } = deps.keyCache
  const stored = await deps.findKey(digestBytes(digest))
  if (stored === null) {
    deps.keyCache.delete(digest)
    return refuse(deps, address, keyUnknown())
  }
  const cached = { caller: keyCaller(stored), revoked: stored.revoked, expiresAtMs: stored.expiresAtMs }
  deps.keyCache.store(digest, cached, deps.epochMs(), generation)
  return callerOrRefusal(deps, cached, address)
}

function callerOrRefusal(deps: AccessDeps, key: CachedKey, address: string): Caller | Promise<Caller> {
  if (key.revoked) return refuse(deps, address, keyRevoked(key))
  if (key.expiresAtMs !== null && deps.epochMs() >= key.expiresAtMs)
    return refuse(deps, address, keyExpired(key))
  return key.caller
}

/** Holds the verdict of the rate limiter, for the headers of the response. */
export class TooManyInvalidKeys extends Failure {
  readonly verdict: Verdict

  constructor(verdict: Verdict, retryAfterSeconds: number) {
    super(
      'rate_limited_minute',
      `Your address has sent more than ${failureLimits.perMinute} invalid keys within a minute. Check the key, and wait ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    )
    this.verdict = verdict
  }
}

const failureSubject = (address: string) => `auth:${address}`

/** Counts a failed authentication by address. Beyond the limit the address gets 429 instead of the reason. */
async function refuse(deps: AccessDeps, address: string, failure: unknown): Promise<never> {
  const verdict = await deps.rateLimiter.take(failureSubject(address), failureLimits)
  const { refused } = verdict
  if (refused === null) throw failure
  throw new TooManyInvalidKeys(verdict, refused.retryAfterSeconds)
}

const param = 'Authorization'

function keyMissing(): Failure {
  return new Failure(
    'key_missing',
    'An API key is needed: send the header "Authorization: Bearer <API_KEY>". The public key "demo" works without signing up.',
    { param },
  )
}

function notBearer(): Failure {
  return new Failure(
    'key_malformed',
    'The Authorization header must be "Bearer <API_KEY>", with one space and nothing else.',
    { param },
  )
}

function keyUnknown(): Failure {
  return new Failure(
    'key_unknown',
    'This API key does not exist. Check that it was created on this service.',
    {
      param,
    },
  )
}

function keyRevoked(key: CachedKey): Failure {
  return new Failure('key_revoked', `The key ${key.caller.name}... has been revoked. Ask for a new one.`, {
    param,
  })
}

function keyExpired(key: CachedKey): Failure {
  const day = new Date(key.expiresAtMs ?? 0).toISOString().slice(0, 10)
  return new Failure(
    'key_expired',
    `The key ${key.caller.name}... expired on ${day} at 00:00 UTC. Renew its licence.`,
    {
      param,
    },
  )
}

/** The sender of a request: what they may see, and which counter and limits apply. */
export interface Caller {
  readonly principal: Principal
  /** For messages and logs: the key's prefix, or `demo`. */
  readonly name: string
  /** Names the counter of the minute and day limits. */
  readonly subject: string
  readonly limits: Limits
}

const demoLimits = licenceLimits('demo', false)
const demoPrincipal: Principal = Object.freeze({
  keyId: null,
  licence: 'demo',
  quant: false,
  entityCap: null,
  bulk: false,
})

/** All users share the demo key, so each address has its own counter. */
function demoCaller(address: string): Caller {
  return { principal: demoPrincipal, name: 'demo', subject: `demo:${address}`, limits: demoLimits }
}

function keyCaller(key: StoredKey): Caller {
  const principal: Principal = Object.freeze({
    keyId: key.keyId,
    licence: key.licence as Licence,
    quant: key.quant,
    entityCap: key.entityCap,
    bulk: key.bulk,
  })
  return {
    principal,
    name: key.prefix,
    subject: `key:${key.keyId}`,
    limits: { perMinute: key.perMinute, perDay: key.perDay },
  }
}

interface CachedKey {
  readonly caller: Caller
  readonly revoked: boolean
  readonly expiresAtMs: number | null
}

interface CacheEntry {
  readonly key: CachedKey
  readonly seenMs: number
  readonly generation: number
}

const maxKeys = 10_000
/** Normally a notification invalidates the cache at once. This limits the harm if a notification is lost. */
const maxAgeMs = 5_000

/** Caches keys by digest, so that a request does not query the database for its key. Evicts the key that was stored longest
 * ago. */
export class KeyCache {
  readonly #entries = new Map<string, CacheEntry>()
  #generation = 0

  /** Some key or grant has changed: all entries are stale. */
  invalidate(): void {
    this.#generation++
  }

  /** Read it before a query of the database, and pass it to `store`. */
  get generation(): number {
    return this.#generation
  }

  find(digest: string, nowMs: number): CachedKey | null {
    const entry = this.#entries.get(digest)
    if (entry === undefined || entry.generation !== this.#generation || nowMs - entry.seenMs > maxAgeMs)
      return null
    return entry.key
  }

  /** True if the key existed when it was last looked up, also if its entry is stale. Guessed keys never did. */
  hasSeen(digest: string): boolean {
    return this.#entries.has(digest)
  }

  /** @param generation from before the query: if a change arrived during the query, the entry is stale from the start */
  store(digest: string, key: CachedKey, nowMs: number, generation: number): void {
    this.#entries.delete(digest)
    if (this.#entries.size >= maxKeys) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
    this.#entries.set(digest, { key, seenMs: nowMs, generation })
  }

  delete(digest: string): void {
    this.#entries.delete(digest)
  }
}
