import { LRUCache } from 'lru-cache'
import { Failure } from '../errors.ts'
import type { RateLimiter } from '../limits/rateLimiter.ts'
import type { Limits, Verdict } from '../limits/verdict.ts'
import type { Cookies } from './cookies.ts'
import {
  isPlaceholder,
  keyEmpty,
  keyExpired,
  keyMissing,
  keyReplaced,
  keyRevoked,
  keyUnknown,
  notBearer,
} from './keyRefusals.ts'
import { checkKeyText, demoKey, digestBytes, keyDigest } from './keyText.ts'
import { type Licence, licenceLimits, type Principal } from './licences.ts'
import type { StoredKey } from './queries.ts'
import type { SharedLookup } from './sharedLookup.ts'
import type { Session, SessionRights } from './visitorQueries.ts'

export interface KeyDeps {
  readonly findKey: (digest: Uint8Array) => Promise<StoredKey | null>
  /** For keys from addresses that have exhausted their failures. */
  readonly suspectKeys: SharedLookup<StoredKey>
  readonly keyCache: KeyCache
  readonly rateLimiter: RateLimiter
  /** Milliseconds since 1970. */
  readonly epochMs: () => number
}

/** What tells who sent a request, with a key or with a cookie. */
export interface AccessDeps extends KeyDeps {
  /** By the digest of the token in the cookie, in base64. */
  readonly sessions: SharedLookup<SessionRights>
  /** The session of a token, by its digest; null: it has ended. */
  readonly findSession: (digest: Uint8Array) => Promise<Session | null>
  /** Whether ADMIN_EMAILS names an address. */
  readonly isAdmin: (email: string) => boolean
  readonly cookies: Cookies
}

/** Failed authentications that one address may cause. */
const failureLimits: Limits = { perMinute: 30, perDay: null }
const bearer = /^Bearer +(\S+) *$/i

/** The caller whose key is in the Authorization header. Keys are compared by their SHA-256 alone, so the time of a refusal
 * reveals nothing about any key. A cached key is answered without a promise, which saves time on every request. */
export function authenticate(
  deps: KeyDeps,
  headers: Pick<Headers, 'get'>,
  address: string,
): Caller | Promise<Caller> {
  const header = headers.get('authorization')
  if (header === null) throw keyMissing(headers)
  const key = bearer.exec(header)?.[1]
  if (key === demoKey) return demoCaller(address)
  if (key === undefined) return refuse(deps, address, notBearer(header))
  const digest = keyDigest(key)
  const cached = deps.keyCache.find(digest, deps.epochMs())
  if (cached !== null) return callerOrRefusal(deps, cached, address)
  return lookUp(deps, key, digest, address)
}

async function lookUp(deps: KeyDeps, key: string, digest: string, address: string): Promise<Caller> {
  if (isPlaceholder(key)) return refuse(deps, address, keyEmpty(key))
  try {
    checkKeyText(key)
  } catch (failure) {
    return refuse(deps, address, failure)
  }
  // Behind a proxy that is not in TRUSTED_PROXIES all clients share one address, and one of them must not lock out the others.
  const isSuspect =
    !deps.keyCache.hasSeen(digest) && deps.rateLimiter.isRefused(failureSubject(address), failureLimits)
  const { generation } = deps.keyCache
  const stored = isSuspect ? await deps.suspectKeys.find(digest) : await deps.findKey(digestBytes(digest))
  if (stored === null) {
    deps.keyCache.delete(digest)
    return refuse(deps, address, keyUnknown())
  }
  const { revoked, retiresAtMs, expiresAtMs } = stored
  const cached = { caller: keyCaller(stored), revoked, retiresAtMs, expiresAtMs }
  deps.keyCache.store(digest, cached, deps.epochMs(), generation)
  return callerOrRefusal(deps, cached, address)
}

function callerOrRefusal(deps: KeyDeps, key: CachedKey, address: string): Caller | Promise<Caller> {
  if (key.revoked) return refuse(deps, address, keyRevoked(key.caller.name))
  if (key.retiresAtMs !== null && deps.epochMs() >= key.retiresAtMs)
    return refuse(deps, address, keyReplaced(key.caller.name, key.retiresAtMs))
  if (key.expiresAtMs !== null && deps.epochMs() >= key.expiresAtMs)
    return refuse(deps, address, keyExpired(key.caller.name, key.expiresAtMs))
  return key.caller
}

/** Holds the verdict of the rate limiter, for the headers of the response. */
export class TooManyInvalidKeys extends Failure {
  readonly verdict: Verdict

  constructor(verdict: Verdict, retryAfterSeconds: number) {
    super(
      'rate_limited_minute',
      `Your address has sent more than ${failureLimits.perMinute} invalid keys within a minute. Check the key, then wait ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    )
    this.verdict = verdict
  }
}

const failureSubject = (address: string) => `auth:${address}`

/** Counts a failed authentication by address. Beyond the limit an invalid key gets 429 instead of the reason. */
async function refuse(deps: KeyDeps, address: string, failure: unknown): Promise<never> {
  const verdict = await deps.rateLimiter.take(failureSubject(address), failureLimits)
  const { refused } = verdict
  if (refused === null) throw failure
  throw new TooManyInvalidKeys(verdict, refused.retryAfterSeconds)
}

/** The sender of a request: what they may see, and which counter and limits apply. */
export interface Caller {
  readonly principal: Principal
  /** The key itself, where `principal.keyId` is the one that holds its grant. null: the demo key. */
  readonly ownKeyId: number | null
  /** For messages and logs: the key's prefix, or `demo`. */
  readonly name: string
  /** Names the counter of the minute and day limits. */
  readonly subject: string
  readonly limits: Limits
}

const demoLimits = licenceLimits('demo', false)
export const demoPrincipal: Principal = Object.freeze({
  keyId: null,
  licence: 'demo',
  quant: false,
  entityCap: null,
  bulk: false,
})

/** All users share the demo key, so each address has its own counter. */
function demoCaller(address: string): Caller {
  return {
    principal: demoPrincipal,
    ownKeyId: null,
    name: 'demo',
    subject: `demo:${address}`,
    limits: demoLimits,
  }
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
    ownKeyId: key.ownKeyId,
    name: key.prefix,
    subject: `key:${key.keyId}`,
    limits: { perMinute: key.perMinute, perDay: key.perDay },
  }
}

interface CachedKey {
  readonly caller: Caller
  readonly revoked: boolean
  readonly retiresAtMs: number | null
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

/** Caches keys by digest, so that a request does not query the database for its key. Bounded: evicts the least recently used. */
export class KeyCache {
  readonly #entries = new LRUCache<string, CacheEntry>({ max: maxKeys })
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
    const { expiresAtMs } = entry.key
    // Its grant has ended since: another one may run from that instant on, and a renewed key must not be refused meanwhile.
    if (expiresAtMs !== null && entry.seenMs < expiresAtMs && nowMs >= expiresAtMs) return null
    return entry.key
  }

  /** True if the key existed when it was last looked up, also if its entry is stale. Guessed keys never did. */
  hasSeen(digest: string): boolean {
    return this.#entries.has(digest)
  }

  /** @param generation from before the query: if a change arrived during the query, the entry is stale from the start */
  store(digest: string, key: CachedKey, nowMs: number, generation: number): void {
    this.#entries.set(digest, { key, seenMs: nowMs, generation })
  }

  delete(digest: string): void {
    this.#entries.delete(digest)
  }
}
