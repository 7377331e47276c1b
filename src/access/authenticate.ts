import { LRUCache } from 'lru-cache'
import { Failure } from '../errors.ts'
import type { RateLimiter } from '../limits/rateLimiter.ts'
import type { Limits, Verdict } from '../limits/verdict.ts'
import { demoPrincipal, type Licence, licenceLimits } from '../rights/licences.ts'
import type { Rights, RightsOf } from '../rights/rights.ts'
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
import type { StoredKey } from './queries.ts'
import type { SharedLookup } from './sharedLookup.ts'
import type { Session, SessionRights } from './visitorQueries.ts'

export interface KeyDeps {
  readonly rightsOf: RightsOf
  readonly findKey: (digest: Uint8Array) => Promise<StoredKey | null>
  /** For keys sent from addresses with too many failed authentications. */
  readonly suspectKeys: SharedLookup<StoredKey>
  readonly keyCache: KeyCache
  readonly rateLimiter: RateLimiter
  /** Milliseconds since 1970. */
  readonly epochMs: () => number
}

/** The dependencies that identify who sent a request, by key or by cookie. */
export interface AccessDeps extends KeyDeps {
  /** By the digest of the cookie's token, in base64. */
  readonly sessions: SharedLookup<SessionRights>
  /** The session of a token, by its digest; null: it has ended. */
  readonly findSession: (digest: Uint8Array) => Promise<Session | null>
  /** Whether ADMIN_EMAILS lists an address. */
  readonly isAdmin: (email: string) => boolean
  readonly cookies: Cookies
}

/** How many failed authentications one address may cause. */
const failureLimits: Limits = { perMinute: 30, perDay: null }
const bearer = /^Bearer +(\S+) *$/i

/** Finds the caller by the key in the Authorization header. Keys are compared only by their SHA-256, so
 * response times reveal nothing about any key. A cached key returns without a promise, which saves time on
 * every request. */
export function authenticate(
  deps: KeyDeps,
  headers: Pick<Headers, 'get'>,
  address: string,
): Caller | Promise<Caller> {
  const header = headers.get('authorization')
  if (header === null) throw keyMissing(headers)
  const key = bearer.exec(header)?.[1]
  if (key === demoKey) return demoCaller(deps, address)
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
  // Behind a proxy that is missing from TRUSTED_PROXIES, all clients share one address, and one of them must
  // not lock out the others.
  const isSuspect =
    !deps.keyCache.hasSeen(digest) && deps.rateLimiter.isRefused(failureSubject(address), failureLimits)
  const { generation } = deps.keyCache
  const stored = isSuspect ? await deps.suspectKeys.find(digest) : await deps.findKey(digestBytes(digest))
  if (stored === null) {
    deps.keyCache.delete(digest)
    return refuse(deps, address, keyUnknown())
  }
  const { revoked, retiresAtMs, expiresAtMs } = stored
  const cached = { caller: keyCaller(deps, stored), revoked, retiresAtMs, expiresAtMs }
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

/** Carries the limiter's verdict, for the headers of the response. */
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

/** Counts a failed authentication by address. Over the limit, an invalid key gets a 429 instead of the
 * reason. */
async function refuse(deps: KeyDeps, address: string, failure: unknown): Promise<never> {
  const verdict = await deps.rateLimiter.take(failureSubject(address), failureLimits)
  const { refused } = verdict
  if (refused === null) throw failure
  throw new TooManyInvalidKeys(verdict, refused.retryAfterSeconds)
}

/** The sender of a request: what they may see, and which counter and limits apply. */
export interface Caller {
  readonly rights: Rights
  /** The id of the key itself, while `rights.keyId` is the key that holds its grant. null: the demo key. */
  readonly ownKeyId: number | null
  /** The key's prefix or `demo`, for messages and logs. */
  readonly name: string
  /** Identifies the counter of the minute and day limits. */
  readonly subject: string
  readonly limits: Limits
}

const demoLimits = licenceLimits('demo', false)
/** All users share the demo key, so each address has its own counter. */
function demoCaller({ rightsOf }: KeyDeps, address: string): Caller {
  return {
    rights: rightsOf(demoPrincipal),
    ownKeyId: null,
    name: 'demo',
    subject: `demo:${address}`,
    limits: demoLimits,
  }
}

function keyCaller({ rightsOf }: KeyDeps, key: StoredKey): Caller {
  const rights = rightsOf({
    keyId: key.keyId,
    licence: key.licence as Licence,
    quant: key.quant,
    entityCap: key.entityCap,
    bulk: key.bulk,
  })
  return {
    rights,
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
/** Usually a notification invalidates the cache immediately. This bounds the staleness if one is lost. */
const maxAgeMs = 5_000

/** Caches keys by digest, so that most requests need no database query for their key. Evicts the least
 * recently used. */
export class KeyCache {
  readonly #entries = new LRUCache<string, CacheEntry>({ max: maxKeys })
  #generation = 0

  /** Called when any key or grant has changed: all entries are stale. */
  invalidate(): void {
    this.#generation++
  }

  /** Read this before querying the database, and pass it to `store`. */
  get generation(): number {
    return this.#generation
  }

  find(digest: string, nowMs: number): CachedKey | null {
    const entry = this.#entries.get(digest)
    if (entry === undefined || entry.generation !== this.#generation || nowMs - entry.seenMs > maxAgeMs)
      return null
    const { expiresAtMs } = entry.key
    // Its grant has expired since the lookup. Another grant may have started at that instant, and a renewed
    // key must not be rejected in the meantime.
    if (expiresAtMs !== null && entry.seenMs < expiresAtMs && nowMs >= expiresAtMs) return null
    return entry.key
  }

  /** True if the key existed at its last lookup, even if its entry is stale. A guessed key was never found,
   * so this is false for it. */
  hasSeen(digest: string): boolean {
    return this.#entries.has(digest)
  }

  /** @param generation read before the query: if a change arrived during the query, the entry is stale from
   *   the start */
  store(digest: string, key: CachedKey, nowMs: number, generation: number): void {
    this.#entries.set(digest, { key, seenMs: nowMs, generation })
  }

  delete(digest: string): void {
    this.#entries.delete(digest)
  }
}
