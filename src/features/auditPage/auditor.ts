import { type AccessDeps, authenticate, type Caller } from '../../access/authenticate.ts'
import { findVisitor } from '../../access/visitor.ts'
import { rateLimited } from '../../http/admission.ts'
import type { RequestContext } from '../../http/context.ts'

const asDemo = { get: () => 'Bearer demo' }

/**
 * The caller as whom a visitor's audit runs. With a key, that is the one with the account's best grant; without one, the
 * demo key. An audit from the page has the rights and counts against the limits of the same request to the API.
 */
export async function findAuditor(access: AccessDeps, context: RequestContext): Promise<Caller> {
  const { rights, name, downloads } = await findVisitor(access, context.request)
  if (rights.keyId === null) return authenticate(access, asDemo, context.address)
  return { rights, name, ownKeyId: null, subject: `key:${rights.keyId}`, limits: downloads }
}

/** Counts the request against the limits of the caller's key, or of the demo key at this address. */
export async function countAudit({ rateLimiter }: AccessDeps, { subject, limits }: Caller): Promise<void> {
  const verdict = await rateLimiter.take(subject, limits)
  if (verdict.refused !== null) throw rateLimited(verdict, verdict.refused)
}
