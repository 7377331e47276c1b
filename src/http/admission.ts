import { type AccessDeps, authenticate, type Caller } from '../access/authenticate.ts'
import { findVisitor, takePage } from '../access/visitor.ts'
import { Failure } from '../errors.ts'
import type { Limits, Verdict } from '../limits/verdict.ts'
import type { BodyReader } from './body.ts'
import type { RequestContext } from './context.ts'
import { requireOwnForm } from './submittedForm.ts'
import type { UnpaidTurns } from './unpaidTurns.ts'

/** Who may use a route. `key` requires an API key and counts requests per key (per address for the demo key).
 * `usage` requires a key, reports the remaining limits, and has a counter of its own. `search` needs no key:
 * it counts per address, or against the key if one is sent. `page` and `download` are for visitors without a
 * key: they count per address, and the caller has the rights of their account (`findVisitor`). `pageForm` is
 * the same for a form on such a page, and rejects forms from other sites. `agent` is for messages to the
 * agent tools, sent with a key or as demo. They have a counter of their own; the requests that a tool makes
 * are counted as ordinary requests. `open` counts nothing. */
export type AccessPolicy = 'key' | 'usage' | 'search' | 'page' | 'pageForm' | 'download' | 'agent' | 'open'

export interface AdmissionDeps {
  readonly access: AccessDeps
  readonly bodies: BodyReader
  readonly unpaidTurns: UnpaidTurns
  readonly settings: { readonly baseUrl: string }
}

const searchLimits: Limits = { perMinute: 120, perDay: 3_000 }
/** For requests about the caller's own limits, which do not count against those limits. */
const usageLimits: Limits = { perMinute: 60, perDay: null }

/** Authenticates if the policy needs a key, counts the request, and fails if a limit is exhausted. A request that nobody pays for then
 * waits for its turn. */
export async function authorize(
  { access, settings, unpaidTurns }: AdmissionDeps,
  context: RequestContext,
  policy: Exclude<AccessPolicy, 'open'>,
): Promise<void> {
  requireOneHost(context)
  let verdict: Verdict
  if (policy === 'agent') return admitAgent(access, context)
  if (policy === 'search') verdict = await countSearch(access, context)
  else if (policy === 'page' || policy === 'pageForm' || policy === 'download') {
    verdict = await countVisit(access, context, policy === 'download' ? 'download' : 'page')
  } else {
    const found = authenticate(access, context.request.headers, context.address)
    // A cached caller is returned without a promise: awaiting it would cost each request a turn of the event
    // loop.
    context.caller = found instanceof Promise ? await found : found
    if (policy === 'usage') return admitUsage(access, context, context.caller)
    verdict = await access.rateLimiter.take(context.caller.subject, context.caller.limits)
  }
  context.verdict = verdict
  if (verdict.refused !== null) throw rateLimited(verdict, verdict.refused)
  context.counted = true
  if (policy === 'pageForm') requireOwnForm(context, settings.baseUrl)
  if (unpaidTurns.isDue(context)) await unpaidTurns.take(context)
  context.admitted = true
}

/** The demo key belongs to nobody, so a search with it counts as a search without a key. */
async function countSearch(access: AccessDeps, context: RequestContext): Promise<Verdict> {
  const { headers } = context.request
  const hasKey = (headers.get('authorization') ?? '') !== ''
  const caller = hasKey ? await authenticate(access, headers, context.address) : null
  if (caller === null || caller.ownKeyId === null)
    return access.rateLimiter.take(`search:${context.address}`, searchLimits)
  context.caller = caller
  return access.rateLimiter.take(caller.subject, caller.limits)
}

/** A page is counted before its visitor is looked up, so a page over the limit costs the database nothing. A
 * download is counted afterwards, because its limit depends on the visitor. */
async function countVisit(
  access: AccessDeps,
  context: RequestContext,
  policy: 'page' | 'download',
): Promise<Verdict> {
  const { rateLimiter } = access
  const { request, address } = context
  const counted = policy === 'page' ? await takePage(rateLimiter, address) : null
  if (counted !== null && counted.refused !== null) return counted
  const { rights, name, isSignedIn, downloads } = await findVisitor(access, request)
  const subject = `${policy}:${address}`
  context.isSignedIn = isSignedIn
  context.caller = { rights, name, subject, limits: counted?.limits ?? downloads, ownKeyId: null }
  return counted ?? rateLimiter.take(subject, downloads)
}

const asDemo = { get: () => 'Bearer demo' }
/** Agent messages allowed per request that the key may make. Opening a connection takes a handful of
 * messages. */
const agentMessages = 5

/** The messages do not count against the key's own limits; the requests that the tools make do. */
async function admitAgent(access: AccessDeps, context: RequestContext): Promise<void> {
  const { headers } = context.request
  const caller = await authenticate(access, headers.has('authorization') ? headers : asDemo, context.address)
  context.caller = caller
  const limits = { perMinute: agentMessages * caller.limits.perMinute, perDay: null }
  const verdict = await access.rateLimiter.take(`agent:${caller.subject}`, limits)
  if (verdict.refused !== null) {
    context.verdict = verdict
    throw rateLimited(verdict, verdict.refused)
  }
  context.admitted = true
}

/** The headers report the key's own limits, even when they are exhausted. */
async function admitUsage(access: AccessDeps, context: RequestContext, caller: Caller): Promise<void> {
  const asking = await access.rateLimiter.take(`standing:${caller.subject}`, usageLimits)
  context.verdict = asking
  if (asking.refused !== null) throw rateLimited(asking, asking.refused)
  context.usage = await access.rateLimiter.peek(caller.subject, caller.limits)
  context.verdict = context.usage.verdict
  context.admitted = true
}

export function rateLimited(verdict: Verdict, refused: NonNullable<Verdict['refused']>): Failure {
  const { perMinute, perDay } = verdict.limits
  const { by, retryAfterSeconds } = refused
  const message =
    by === 'day'
      ? `The limit of ${perDay?.toLocaleString('en')} requests per day is used up. It resets at 00:00 UTC, in ${retryAfterSeconds} s.`
      : `The limit of ${perMinute.toLocaleString('en')} requests per minute is used up. Wait ${retryAfterSeconds} s; the headers show how many requests are left.`
  return new Failure(by === 'day' ? 'rate_limited_day' : 'rate_limited_minute', message, {
    retryAfterSeconds,
  })
}

/** A host name or address with an optional port: the characters of RFC 3986 section 3.2, except `@` and the
 * comma. */
const hostPattern = /^[\w.~%!$&'()*+;=:[\]-]+$/

/** Fails if the request names two hosts or an invalid one (RFC 9112 section 3.2). If a proxy and this server
 * each picked a different one, they would disagree about the target of the request. Bun joins repeated
 * headers with a comma, and rejects HTTP/1.1 requests without the header. */
export function requireOneHost({ request }: RequestContext): void {
  const host = request.headers.get('host')
  if (host === null || hostPattern.test(host)) return
  throw new Failure(
    'parameter_invalid',
    host.includes(',')
      ? 'The request has more than one Host header. Send one.'
      : 'The Host header is not the name or address of a host. Send it like data.example.com:3000.',
    { param: 'Host' },
  )
}
