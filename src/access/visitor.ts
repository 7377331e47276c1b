import type { RateLimiter } from '../limits/rateLimiter.ts'
import type { Limits, Verdict } from '../limits/verdict.ts'
import { type AccessDeps, demoPrincipal } from './authenticate.ts'
import { tokenDigest } from './cookies.ts'
import { licenceLimits, type Principal } from './licences.ts'

/** Who looks at a page or downloads a file. */
export interface Visitor {
  /** What the visitor may see. */
  readonly principal: Principal
  readonly isSignedIn: boolean
  /** For messages and logs. */
  readonly name: string
  /** The limits of their downloads, which are counted per address. */
  readonly downloads: Limits
}

const freeLimits = licenceLimits('free', false)

/** The limits of pages, the same for every visitor. */
const pageLimits: Limits = { perMinute: freeLimits.perMinute, perDay: freeLimits.perDay }

/** Counts a page, of the data or of an account, against the one budget that an address has for both. */
export const takePage = (rateLimiter: RateLimiter, address: string): Promise<Verdict> =>
  rateLimiter.take(`page:${address}`, pageLimits)

const signedOut: Visitor = Object.freeze({
  principal: demoPrincipal,
  isSignedIn: false,
  name: 'visitor',
  downloads: pageLimits,
})

/** Sees what the demo key sees, as do those without an account. */
const withoutGrant: Visitor = Object.freeze({ ...signedOut, isSignedIn: true, name: 'account' })

/** The visitor who sent a request: the rights are those of the account's best active grant (`findSessionRights`). A request without
 * our cookie costs nothing. Sessions and grants are not cached, so what ends does so at once on every server. */
export async function findVisitor(
  { cookies, sessions }: Pick<AccessDeps, 'cookies' | 'sessions'>,
  { headers }: Request,
): Promise<Visitor> {
  const token = cookies.read(headers, 'session')
  if (token === null) return signedOut
  const found = await sessions.find(Buffer.from(tokenDigest(token)).toString('base64'))
  if (found === null) return signedOut
  if (found.grant === null) return withoutGrant
  const { perMinute, perDay, ...principal } = found.grant
  return { principal, isSignedIn: true, name: 'account', downloads: { perMinute, perDay } }
}
