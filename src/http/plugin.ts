import { type AnyElysia, Elysia } from 'elysia'
import type { Logger } from 'pino'
import { type AccessDeps, authenticate, type Caller, TooManyInvalidKeys } from '../access/authenticate.ts'
import { findVisitor, takePage } from '../access/visitor.ts'
import { type ErrorCode, Failure } from '../errors.ts'
import type { Limits, Verdict } from '../limits/decision.ts'
import { currentScope } from '../trace.ts'
import { clientAddressReader, proxyMatcher } from './clientAddress.ts'
import { type Answer, RequestContext, requestId } from './context.ts'
import type { Draining } from './draining.ts'
import { asFailure, type ExplainError, errorAnswer } from './errors.ts'
import { innerAddress } from './innerRequest.ts'
import { inTraceOfRequest } from './inTraceOfRequest.ts'
import { addLimitHeaders, withPolicy } from './limitHeaders.ts'
import { accessLog, type LogRequests } from './log.ts'
import { routeUnknown, unroutedAnswer } from './notFound.ts'
import type { UnlistedProxy } from './unlistedProxy.ts'

export interface HttpSettings {
  /** The address that documents and errors name. Set anew if the port is chosen by the system. */
  baseUrl: string
  readonly version: string
  readonly bodyLimitMb: number
  readonly trustedProxies: readonly string[]
  readonly logRequests: LogRequests
}

/** Counts for the metrics of a server. */
export interface RequestCounter {
  /** @param route its template, never what a client sent */
  countRequest(route: string, status: number, ms: number): void
  countError(code: ErrorCode): void
}

export interface HttpDeps {
  readonly settings: HttpSettings
  readonly log: Logger
  /** Milliseconds that only grow. */
  readonly elapsedMs: () => number
  readonly access: AccessDeps
  readonly explain: ExplainError
  readonly draining: Draining
  readonly unlistedProxy: UnlistedProxy
  /** Called for each request that counted against the limits of a key. */
  readonly recordUse: (caller: Caller, route: string) => void
  /** null: nothing is counted, because no port shows it. */
  readonly requestCounter: RequestCounter | null
  /** The error as a page, for a browser; null: the request is not for one. */
  readonly errorPage: (context: RequestContext, failure: Failure) => Answer | null
}

/** Who may use a route. `key` requires an API key and counts requests per key (per address for the demo key). `standing` requires
 * one, shows what is left and counts separately. `search` counts per address. `page` and `download` are for visitors without a
 * key: they count per address, and the caller has the rights of their account (`findVisitor`). `agent` is for messages to the agent
 * tools, which come with a key or as demo and count separately: what a tool requests counts as such. `open` counts nothing. */
export type AccessPolicy = 'key' | 'standing' | 'search' | 'page' | 'download' | 'agent' | 'open'

export type HttpPlugin = ReturnType<typeof httpPlugin>

/** The status in the log when the client closed the connection before its answer. nginx logs the same number. */
const clientClosedRequest = 499

/** What every route shares, as the Elysia plugin that each feature uses: the request's context, the access policy, the
 * response, errors and the access log. A route names its policy as `access`, and `requireAccessPolicies` fails at start for one
 * that does not.
 *
 * @param appOf the app that the plugin ends up in, for its server and its routes. Elysia's own `server` costs every request
 *   more, and a request without a route has none */
export function httpPlugin(deps: HttpDeps, appOf: () => AnyElysia) {
  const { log, elapsedMs, settings, draining, unlistedProxy, requestCounter } = deps
  const addressOf = clientAddressReader(settings.trustedProxies)
  const logRequest = accessLog(log, settings.logRequests)
  const isTrusted = proxyMatcher(settings.trustedProxies)

  function begin(request: Request): RequestContext {
    const { headers } = request
    const { server } = appOf()
    const socketAddress = server?.requestIP(request)?.address ?? null
    const forwarded = headers.get('x-forwarded-for')
    if (forwarded !== null && socketAddress !== null && !isTrusted(socketAddress))
      unlistedProxy.notice(socketAddress)
    const id = requestId(headers.get('x-request-id'))
    // A request of this process has no socket.
    const inner = socketAddress === null ? innerAddress(request) : undefined
    const address = inner ?? addressOf(socketAddress, forwarded)
    const scope = currentScope()
    // A message of the agent tools makes requests within its own, whose scope is theirs.
    if (scope !== null && socketAddress !== null)
      scope.isFollowed = scope.trace.isSampled && isTrusted(socketAddress)
    return new RequestContext(request, server, id, address, elapsedMs(), scope)
  }

  /** Refuses an answer that no access policy admitted. A hook that Elysia skips or does not await must not let a request
   * through. */
  function answer(context: RequestContext, route: string, given: Answer): Response {
    if (context.admitted) return finish(context, route, given, null)
    return fail(context, route, new Error('No access policy admitted this request.'))
  }

  function finish(context: RequestContext, route: string, answer: Answer, code: ErrorCode | null): Response {
    const response = toResponse(context, answer)
    if (draining.active) response.headers.set('Connection', 'close')
    // Bun drops a connection on which a second request arrives before the first is answered: the log must not call that a 200.
    const status = context.request.signal.aborted ? clientClosedRequest : answer.status
    end(context, route, status, code)
    if (context.counted && context.caller !== null) deps.recordUse(context.caller, route)
    return response
  }

  function end(context: RequestContext, route: string, status: number, code: ErrorCode | null): void {
    const ms = elapsedMs() - context.startMs
    logRequest(context, route, status, code, ms)
    requestCounter?.countRequest(route, status, ms)
    if (code !== null) requestCounter?.countError(code)
  }

  function fail(context: RequestContext, route: string, error: unknown): Response {
    const { failure, defect } = asFailure(deps.explain, error)
    if (defect && context.request.signal.aborted) {
      end(context, route, clientClosedRequest, null)
      return new Response(null, { status: clientClosedRequest })
    }
    if (failure instanceof TooManyInvalidKeys) context.verdict = failure.verdict
    const { cause } = failure.details
    if (defect) log.error({ requestId: context.id, route, err: error }, 'defect')
    else if (cause !== undefined) log.warn({ requestId: context.id, route, err: cause }, failure.message)
    const shown = deps.errorPage(context, failure) ?? errorAnswer(settings.baseUrl, context, failure)
    return finish(context, route, shown, failure.code)
  }

  function answerUnrouted(context: RequestContext): Response {
    try {
      requireOneHost(context)
      return finish(context, 'unrouted', unroutedAnswer(appOf(), context), null)
    } catch (error) {
      return fail(context, 'unrouted', error)
    }
  }

  return new Elysia({ name: 'http' })
    .wrap(inTraceOfRequest)
    .derive({ as: 'global' }, ({ request }) => ({ context: begin(request) }))
    .macro({
      access: (policy: AccessPolicy) => ({
        // `async` is required: Elysia awaits a hook only if its source text looks asynchronous.
        beforeHandle:
          policy === 'open'
            ? ({ context }) => {
                requireOneHost(context)
                context.admitted = true
              }
            : policy === 'page' || policy === 'download'
              ? async ({ context, route }) => {
                  requireOwnPath(context, route)
                  return authorize(deps.access, context, policy)
                }
              : async ({ context }) => {
                  // Returned, the promise would take three turns of the queue of microtasks instead of one.
                  await authorize(deps.access, context, policy)
                },
      }),
    })
    .mapResponse({ as: 'global' }, ({ context, route, responseValue }) =>
      // Elysia maps what onError returned once more.
      responseValue instanceof Response ? responseValue : answer(context, route, responseValue as Answer),
    )
    .onError({ as: 'global' }, ({ request, context = begin(request), route, code, error }) =>
      code === 'NOT_FOUND' ? answerUnrouted(context) : fail(context, route, error),
    )
}

/** Fails if the path does not begin as its route does. Elysia looks for the path from the twelfth character of the URL on: of a Host
 * header with three letters or fewer it skips the first part of the path, and `/x/search` would be `/search`. */
function requireOwnPath(context: RequestContext, route: string): void {
  if (context.path.split('/', 2)[1] !== route.split('/', 2)[1]) throw routeUnknown(context)
}

const searchLimits: Limits = { perMinute: 120, perDay: 3_000 }
/** Of questions about one's own limits, which do not count against these. */
const standingLimits: Limits = { perMinute: 60, perDay: null }

/** Authenticates if the policy needs a key, counts the request, and fails if its limit is used up. */
async function authorize(
  access: AccessDeps,
  context: RequestContext,
  policy: Exclude<AccessPolicy, 'open'>,
): Promise<void> {
  requireOneHost(context)
  let verdict: Verdict
  if (policy === 'agent') return admitAgent(access, context)
  if (policy === 'search') verdict = await access.rateLimiter.take(`search:${context.address}`, searchLimits)
  else if (policy === 'page' || policy === 'download') {
    verdict = await countVisit(access, context, policy)
  } else {
    const found = authenticate(access, context.request.headers, context.address)
    // A cached caller comes without a promise: awaiting it would cost each such request a turn of the event loop.
    context.caller = found instanceof Promise ? await found : found
    if (policy === 'standing') return admitStanding(access, context, context.caller)
    verdict = await access.rateLimiter.take(context.caller.subject, context.caller.limits)
  }
  context.verdict = verdict
  if (verdict.refused !== null) throw rateLimited(verdict, verdict.refused)
  context.counted = true
  context.admitted = true
}

/** A page counts before its visitor is looked up: a page beyond the limit costs the database nothing. A download cannot, as its limit
 * is the visitor's. */
async function countVisit(
  access: AccessDeps,
  context: RequestContext,
  policy: 'page' | 'download',
): Promise<Verdict> {
  const { rateLimiter } = access
  const { request, address } = context
  const counted = policy === 'page' ? await takePage(rateLimiter, address) : null
  if (counted !== null && counted.refused !== null) return counted
  const { principal, name, isSignedIn, downloads } = await findVisitor(access, request)
  const subject = `${policy}:${address}`
  context.isSignedIn = isSignedIn
  context.caller = { principal, name, subject, limits: counted?.limits ?? downloads, ownKeyId: null }
  return counted ?? rateLimiter.take(subject, downloads)
}

const asDemo = { get: () => 'Bearer demo' }
/** Messages of the agent tools' protocol for each request that the key may make: a call needs a handful to open a connection. */
const agentMessages = 5

/** Nothing of it counts against the key's own limits: those count what the tools request. */
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

/** The headers are those of the key's own limits, also where they are used up. */
async function admitStanding(access: AccessDeps, context: RequestContext, caller: Caller): Promise<void> {
  const asking = await access.rateLimiter.take(`standing:${caller.subject}`, standingLimits)
  context.verdict = asking
  if (asking.refused !== null) throw rateLimited(asking, asking.refused)
  context.standing = await access.rateLimiter.peek(caller.subject, caller.limits)
  context.verdict = context.standing.verdict
  context.admitted = true
}

/** The refusal of a request beyond a limit. */
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

/** A name or an address, and maybe a port: the characters of RFC 3986 section 3.2 without user and comma. */
const hostPattern = /^[\w.~%!$&'()*+;=:[\]-]+$/

/** Fails if the request names two hosts or an impossible one (RFC 9112 section 3.2). Two programs that pick different ones of two
 * would disagree about the target of the request. Bun joins repeated headers with a comma, and refuses HTTP/1.1 without the header. */
function requireOneHost({ request }: RequestContext): void {
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

/** The response for an answer, with the headers that belong only to this request. */
function toResponse(context: RequestContext, answer: Answer): Response {
  const { status, headers, body } = answer
  const unread = context.request.method === 'HEAD' && body instanceof ReadableStream ? body : null
  const { verdict } = context
  const given = answer.isShared === true && verdict !== null ? withPolicy(headers, verdict.limits) : headers
  const response = new Response(unread === null ? body : null, { status, headers: given })
  if (unread !== null) {
    unread.cancel().catch(() => {})
    // As GET sends it. Without this Bun states Content-Length: 0, which is not the length of the answer.
    response.headers.set('Transfer-Encoding', 'chunked')
  }
  response.headers.set('X-Request-Id', context.id)
  if (verdict !== null) addLimitHeaders(response.headers, verdict, given !== headers)
  return response
}

/** Fails if a route of `app` names no access policy: every request to it would be refused. Elysia has replaced `access` by
 * the hook that its macro returned, the only one before any handler. */
export function requireAccessPolicies(app: AnyElysia): void {
  for (const { method, path, hooks } of app.routes)
    if (hooks.beforeHandle === undefined) throw new Error(`The route ${method} ${path} has no access policy.`)
}
