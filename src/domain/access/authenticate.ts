import { Failure } from '../../errors.ts'
import type { StoredKey } from '../../store/keys/findKey.ts'
import type { LimitGate } from '../limits/LimitGate.ts'
import type { Limits, Verdict } from '../limits/verdict.ts'
import { type Caller, demoCaller, keyCaller } from './caller.ts'
import type { KnownKey, KnownKeys } from './KnownKeys.ts'
import { checkKeyText, demoKey, digestBytes, keyDigest } from './keyText.ts'

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
