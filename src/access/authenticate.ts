import { Failure } from '../errors.ts'
import type { LimitGate } from '../limits/gate.ts'
import type { Limits, Verdict } from '../limits/verdict.ts'
import { checkKeyText, demoKey, digestBytes, keyDigest } from './keyText.ts'
import { type Licence, type Principal, soldLimits } from './licences.ts'
import type { StoredKey } from './queries.ts'

export interface AccessDeps {
  readonly findKey: (digest: Uint8Array) => Promise<StoredKey | null>
  readonly known: KnownKeys
  readonly gate: LimitGate
  /** Milliseconds since 1970. */
  readonly epochMs: () => number
}

/** Wrong keys from one address, before it is told to wait. */
const failureLimits: Limits = { perMinute: 30, perDay: null }
const bearer = /^Bearer +(\S+) *$/i

/** Who holds the key in an Authorization header. The key is compared by its SHA-256 alone, so how long a refusal
 * takes tells nothing about any key. A caller that is known is answered without a promise. */
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
  const known = deps.known.find(digest, deps.epochMs())
  if (known !== null) return isUsable(deps, known) ? known.caller : judge(deps, known, address)
  return lookUp(deps, key, digest, address)
}

async function lookUp(deps: AccessDeps, key: string, name: string, address: string): Promise<Caller> {
  try {
    checkKeyText(key)
  } catch (failure) {
    return refuse(deps, address, failure)
  }
  // Who guesses keys has used up their failures, and the guesses no longer reach the database.
  if (!deps.known.hasMet(name) && deps.gate.isRefused(failureSubject(address), failureLimits)) {
    return refuse(deps, address, keyUnknown())
  }
  const { generation } = deps.known
  const stored = await deps.findKey(digestBytes(name))
  if (stored === null) {
    deps.known.drop(name)
    return refuse(deps, address, keyUnknown())
  }
  const known = { caller: keyCaller(stored), revoked: stored.revoked, expiresAtMs: stored.expiresAtMs }
  deps.known.remember(name, known, deps.epochMs(), generation)
  return judge(deps, known, address)
}

function isUsable(deps: AccessDeps, known: KnownKey): boolean {
  return !known.revoked && (known.expiresAtMs === null || deps.epochMs() < known.expiresAtMs)
}

function judge(deps: AccessDeps, known: KnownKey, address: string): Caller | Promise<Caller> {
  if (isUsable(deps, known)) return known.caller
  return refuse(deps, address, known.revoked ? keyRevoked(known) : keyExpired(known))
}

/** Carries the count that refused, for the answer's headers. */
export class TooManyWrongKeys extends Failure {
  readonly verdict: Verdict

  constructor(verdict: Verdict, retryAfterSeconds: number) {
    super(
      'rate_limited_minute',
      `Your address has sent more than ${failureLimits.perMinute} wrong keys in a minute. Wait ${retryAfterSeconds} s, and check the key.`,
      { retryAfterSeconds },
    )
    this.verdict = verdict
  }
}

const failureSubject = (address: string) => `auth:${address}`

/** Every failed authentication is counted by address, and the ones beyond the limit are told to wait instead. */
async function refuse(deps: AccessDeps, address: string, failure: unknown): Promise<never> {
  const verdict = await deps.gate.take(failureSubject(address), failureLimits)
  const { refused } = verdict
  if (refused === null) throw failure
  throw new TooManyWrongKeys(verdict, refused.retryAfterSeconds)
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
    'The Authorization header has to read "Bearer <API_KEY>", with one space and nothing else.',
    { param },
  )
}

function keyUnknown(): Failure {
  return new Failure('key_unknown', 'No such API key here. Check that it was made on this service.', {
    param,
  })
}

function keyRevoked(known: KnownKey): Failure {
  return new Failure('key_revoked', `The key ${known.caller.name}... has been revoked. Ask for a new one.`, {
    param,
  })
}

function keyExpired(known: KnownKey): Failure {
  const day = new Date(known.expiresAtMs ?? 0).toISOString().slice(0, 10)
  return new Failure(
    'key_expired',
    `The key ${known.caller.name}... ran until ${day} (00:00 UTC). Renew its licence.`,
    {
      param,
    },
  )
}

/** Who sent a request, what the verbs may show them, and how they are counted. */
export interface Caller {
  readonly principal: Principal
  /** For people and logs: the key's prefix, or `demo`. */
  readonly name: string
  /** The counter of the minute and day limits. */
  readonly subject: string
  readonly limits: Limits
}

const demo = soldLimits('demo', false)
const demoPrincipal: Principal = Object.freeze({
  keyId: null,
  licence: 'demo',
  quant: false,
  entityCap: null,
  bulk: false,
})

/** Everybody holds the demo key, so its users are told apart by address. */
export function demoCaller(address: string): Caller {
  return { principal: demoPrincipal, name: 'demo', subject: `demo:${address}`, limits: demo }
}

export function keyCaller(key: StoredKey): Caller {
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

/** What is known of a key: who it is, and until when that may be believed. */
export interface KnownKey {
  readonly caller: Caller
  readonly revoked: boolean
  readonly expiresAtMs: number | null
}

interface Entry {
  readonly key: KnownKey
  readonly seenMs: number
  readonly generation: number
}

const most = 10_000
/** Revocations are heard at once (`forget`); this bounds the harm where the news is lost. */
const believedMs = 5_000

/** The keys seen last, by digest, so that a request does not ask the database who it is. Bounded; the one used
 * longest ago goes first. */
export class KnownKeys {
  readonly #entries = new Map<string, Entry>()
  #generation = 0

  /** Something about keys has changed: nothing is believed without asking again. */
  forget(): void {
    this.#generation++
  }

  /** What a look into the database started now may be remembered under. */
  get generation(): number {
    return this.#generation
  }

  find(digest: string, nowMs: number): KnownKey | null {
    const entry = this.#entries.get(digest)
    if (entry === undefined || entry.generation !== this.#generation || nowMs - entry.seenMs > believedMs)
      return null
    return entry.key
  }

  /** Whether the key has ever been met: a guesser's have not. */
  hasMet(digest: string): boolean {
    return this.#entries.has(digest)
  }

  /** `generation` as it was when the database was asked: an answer that a change overtook is stale at once. */
  remember(digest: string, key: KnownKey, nowMs: number, generation: number): void {
    this.#entries.delete(digest)
    if (this.#entries.size >= most) {
      const oldest = this.#entries.keys().next()
      if (!oldest.done) this.#entries.delete(oldest.value)
    }
    this.#entries.set(digest, { key, seenMs: nowMs, generation })
  }

  drop(digest: string): void {
    this.#entries.delete(digest)
  }
}
