import { type AnyElysia, Elysia } from 'elysia'
import type { Logger } from 'pino'
import { type Caller, TooManyInvalidKeys } from '../access/authenticate.ts'
import type { ErrorCode, Failure } from '../errors.ts'
import { currentScope } from '../trace.ts'
import {
  type AccountPolicy,
  type AdmissionDeps,
  AnsweredByPolicy,
  admitAdmin,
  admitAdminForm,
  admitSession,
  admitSessionForm,
  admitVisitor,
  admitVisitorForm,
  authorize,
  requireOneHost,
} from './admission.ts'
import { clientAddressReader, proxyMatcher } from './clientAddress.ts'
import { type Answer, RequestContext, requestId } from './context.ts'
import type { Draining } from './draining.ts'
import { asFailure, type ExplainError, errorAnswer } from './errors.ts'
import { innerAddress } from './innerRequest.ts'
import { inTraceOfRequest } from './inTraceOfRequest.ts'
import { addLimitHeaders, withPolicy } from './limitHeaders.ts'
import { accessLog } from './log.ts'
import { routeUnknown, unroutedAnswer } from './notFound.ts'
import { asDeclared, type DeclaredAccess } from './routePolicies.ts'
import type { UnlistedProxy } from './unlistedProxy.ts'

export interface HttpSettings {
  /** The address that documents and errors name. Set anew if the port is chosen by the system. */
  baseUrl: string
  readonly version: string
  readonly bodyLimitMb: number
  readonly trustedProxies: readonly string[]
  readonly logsEveryRequest: boolean
}

/** Counts for the metrics of a server. */
export interface RequestCounter {
  /** @param route its template, never what a client sent */
  countRequest(route: string, status: number, ms: number): void
  countError(code: ErrorCode): void
}

export interface HttpDeps extends AdmissionDeps {
  readonly settings: HttpSettings
  readonly log: Logger
  /** Milliseconds that only grow. */
  readonly elapsedMs: () => number
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
  const logRequest = accessLog(log, settings.logsEveryRequest)
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
    if (draining.active || context.closesConnection) response.headers.set('Connection', 'close')
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
    if (error instanceof AnsweredByPolicy) return finish(context, route, error.answer, null)
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

  // `async` is required in hooks: Elysia awaits one only if its source text looks asynchronous.
  function hookOf(declared: DeclaredAccess) {
    if (declared === 'open' || typeof declared === 'object')
      return ({ context }: { context: RequestContext }) => {
        requireOneHost(context)
        context.admitted = true
      }
    if (declared === 'page' || declared === 'pageForm' || declared === 'download')
      return async ({ context, route }: { context: RequestContext; route: string }) => {
        requireOwnPath(context, route)
        return authorize(deps, context, declared)
      }
    return async ({ context }: { context: RequestContext }) => {
      // Returned, the promise would take three turns of the queue of microtasks instead of one.
      await authorize(deps, context, declared)
    }
  }

  type Admit<Admitted> = (deps: AdmissionDeps, context: RequestContext) => Promise<Admitted>

  /** @param admit returns what the handler gets beside the context; it throws to keep the handler from running */
  function accountPolicy<Admitted extends object>(policy: AccountPolicy, admit: Admit<Admitted>) {
    const resolve = async ({ context }: { context: RequestContext }) => {
      requireOneHost(context)
      const admitted = await admit(deps, context)
      context.admitted = true
      return admitted
    }
    return { detail: { hide: true }, resolve: asDeclared(policy, resolve) }
  }

  return new Elysia({ name: 'http' })
    .wrap(inTraceOfRequest)
    .derive({ as: 'global' }, ({ request }) => ({ context: begin(request) }))
    .macro({
      access: (declared: DeclaredAccess) => ({ beforeHandle: asDeclared(declared, hookOf(declared)) }),
      visitorPage: accountPolicy('visitorPage', admitVisitor),
      visitorForm: accountPolicy('visitorForm', admitVisitorForm),
      sessionPage: accountPolicy('sessionPage', admitSession),
      sessionForm: accountPolicy('sessionForm', admitSessionForm),
      adminPage: accountPolicy('adminPage', admitAdmin),
      adminForm: accountPolicy('adminForm', admitAdminForm),
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
