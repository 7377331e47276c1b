import { Failure } from '../errors.ts'

/** Reasons for rejecting a request whose key is missing or invalid. Each message says what to send instead.
 * No message repeats what was sent, unless it is certain not to be a key. */

const param = 'Authorization'
const sendBearer = 'Send Authorization: Bearer <key>.'

/** Headers in which other services expect a key. */
const otherKeyHeaders = ['X-API-Key', 'Api-Key']

export function keyMissing(headers: Pick<Headers, 'get'>): Failure {
  const sent = otherKeyHeaders.find(name => headers.get(name) !== null)
  if (sent !== undefined) {
    return new Failure('key_missing', `The key was sent as ${sent}, which is not supported. ${sendBearer}`, {
      param: sent,
    })
  }
  return new Failure(
    'key_missing',
    'An API key is required. Send the header "Authorization: Bearer <API_KEY>". The public key "demo" works without signing up.',
    { param },
  )
}

const shownSchemes: ReadonlyMap<string, string> = new Map(
  ['Basic', 'Digest', 'Token', 'ApiKey'].map(name => [name.toLowerCase(), name]),
)

/** For an Authorization header that is not `Bearer` followed by one word. */
export function notBearer(header: string): Failure {
  const [scheme, ...words] = header.trim().split(/\s+/)
  if (scheme === '' || (scheme.toLowerCase() === 'bearer' && words.length === 0)) return keyEmpty(null)
  const shown = shownSchemes.get(scheme.toLowerCase())
  const what =
    shown === undefined
      ? 'The Authorization header must be "Bearer <key>", with one space and nothing else.'
      : `The key was sent as ${shown} authorization, which is not supported. ${sendBearer}`
  return new Failure('key_malformed', what, { param })
}

/** Matches a header in which a placeholder was not replaced or a variable is empty. */
const placeholder =
  /^(\$\{?\w{1,40}\}?|\$env:\w{1,40}|%\w{1,40}%|<\w{1,40}>|\{{1,2}\w{1,40}\}{1,2}|undefined|null|None)$/

export const isPlaceholder = (key: string): boolean => placeholder.test(key)

/** @param sent a placeholder; null: nothing was sent */
export function keyEmpty(sent: string | null): Failure {
  const what = sent === null ? 'nothing was sent after Bearer' : `${sent} was sent in its place`
  return new Failure(
    'key_malformed',
    `The key is empty: ${what}. Set the variable, export KEY=<key>, and use double quotes, which let the shell replace it: -H "Authorization: Bearer $KEY".`,
    { param },
  )
}

export function keyUnknown(): Failure {
  return new Failure(
    'key_unknown',
    'This API key does not exist. Check that it was created on this service.',
    { param },
  )
}

/** @param name the part of the key that may be shown */
export function keyRevoked(name: string): Failure {
  return new Failure('key_revoked', `The key ${name}... has been revoked. Ask for a new one.`, { param })
}

export function keyReplaced(name: string, retiredAtMs: number): Failure {
  const when = new Date(retiredAtMs).toISOString().slice(0, 16).replace('T', ' ')
  return new Failure(
    'key_revoked',
    `The key ${name}... was replaced by rotation and ended at ${when} UTC. Use the newer key; /account/api-keys names it.`,
    { param },
  )
}

export function keyExpired(name: string, expiresAtMs: number): Failure {
  // The grant ends at midnight after its last day.
  const lastDay = new Date(expiresAtMs - 1).toISOString().slice(0, 10)
  return new Failure(
    'key_expired',
    `The key ${name}... was valid until ${lastDay} (UTC, inclusive). Make a free key at /account/api-keys, or renew the licence.`,
    { param },
  )
}
