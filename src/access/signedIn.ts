import type { AccessDeps } from './authenticate.ts'
import { tokenDigest } from './cookies.ts'
import type { Session } from './visitorQueries.ts'

/** The account that acts, as the audit log records it. */
export interface Actor {
  readonly email: string
  readonly accountId: number
  /** The network that the request came from. */
  readonly address: string
}

/** An operator: an account listed in ADMIN_EMAILS or, under the name `operator`, somebody with shell
 * access. */
export interface Operator {
  readonly email: string
  readonly address: string
}

/** A signed-in person, for the duration of one request. A route gets it from its access policy
 * (`http/accountAdmission.ts`). */
export interface SignedIn {
  readonly session: Session
  readonly actor: Actor
  /** The token in the cookie. */
  readonly token: string
  /** Whether ADMIN_EMAILS lists the account now: removing an address takes effect on its next request. */
  readonly isAdmin: boolean
}

/** The person whose session cookie came with a request; null if there is none or the session has ended. */
export async function findSignedIn(
  { cookies, findSession, isAdmin }: Pick<AccessDeps, 'cookies' | 'findSession' | 'isAdmin'>,
  { headers }: Request,
  address: string,
): Promise<SignedIn | null> {
  const token = cookies.read(headers, 'session')
  if (token === null) return null
  const session = await findSession(tokenDigest(token))
  if (session === null) return null
  const { email, accountId } = session
  return { session, token, actor: { email, accountId, address }, isAdmin: isAdmin(email) }
}
