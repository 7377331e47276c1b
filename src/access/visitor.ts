import type { RateLimiter } from '../limits/rateLimiter.ts'
import type { Limits, Verdict } from '../limits/verdict.ts'
import { demoPrincipal, licenceLimits } from '../rights/licences.ts'
import type { Rights } from '../rights/rights.ts'
import type { AccessDeps } from './authenticate.ts'
import { tokenDigest } from './cookies.ts'

/** Somebody who views a page or downloads a file. */
export interface Visitor {
  readonly rights: Rights
  readonly isSignedIn: boolean
  /** For messages and logs. */
  readonly name: string
  /** The limits of their downloads, which are counted per address. */
  readonly downloads: Limits
}

const freeLimits = licenceLimits('free', false)

/** The limits of pages, the same for every visitor. */
const pageLimits: Limits = { perMinute: freeLimits.perMinute, perDay: freeLimits.perDay }

/** Counts a page view. Pages of data and of the account share one budget per address. */
export const takePage = (rateLimiter: RateLimiter, address: string): Promise<Verdict> =>
  rateLimiter.take(`page:${address}`, pageLimits)

/** Identifies the visitor who sent a request. Their rights are those of the account's best active grant
 * (`findSessionRights`). A request without our cookie needs no lookup. Sessions and grants are not cached,
 * so when one ends, it ends on every server at once. */
export async function findVisitor(
  { cookies, sessions, rightsOf }: Pick<AccessDeps, 'cookies' | 'sessions' | 'rightsOf'>,
  { headers }: Request,
): Promise<Visitor> {
  // People without an account, and accounts without a grant, see what the demo key sees.
  const ofDemo = { rights: rightsOf(demoPrincipal), downloads: pageLimits }
  const signedOut = { ...ofDemo, isSignedIn: false, name: 'visitor' }
  const token = cookies.read(headers, 'session')
  if (token === null) return signedOut
  const found = await sessions.find(Buffer.from(tokenDigest(token)).toString('base64'))
  if (found === null) return signedOut
  if (found.grant === null) return { ...ofDemo, isSignedIn: true, name: 'account' }
  const { perMinute, perDay } = found.grant
  return {
    rights: rightsOf(found.grant),
    isSignedIn: true,
    name: 'account',
    downloads: { perMinute, perDay },
  }
}
