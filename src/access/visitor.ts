import type { RateLimiter } from '../limits/rateLimiter.ts'
import type { Limits, Verdict } from '../limits/verdict.ts'
import { demoPrincipal, licenceLimits } from '../rights/licences.ts'
import type { Rights } from '../rights/rights.ts'
import type { AccessDeps } from './authenticate.ts'
import { tokenDigest } from './cookies.ts'

/** Who looks at a page or downloads a file. */
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

/** Counts a page, of the data or of an account, against the one budget that an address has for both. */
export const takePage = (rateLimiter: RateLimiter, address: string): Promise<Verdict> =>
  rateLimiter.take(`page:${address}`, pageLimits)

/** The visitor who sent a request: the rights are those of the account's best active grant (`findSessionRights`). A request without
 * our cookie costs nothing. Sessions and grants are not cached, so what ends does so at once on every server. */
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
