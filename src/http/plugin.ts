import { type AnyElysia, Elysia } from 'elysia'
import type { Logger } from 'pino'
import { type Caller, TooManyInvalidKeys } from '../access/authenticate.ts'
import type { ErrorCode, Failure } from '../errors.ts'
import { currentScope } from '../trace.ts'
import { AnsweredByPolicy } from './accountAdmission.ts'
import { type AdmissionDeps, requireOneHost } from './admission.ts'
import { clientAddressReader, proxyMatcher } from './clientAddress.ts'
import { type Answer, RequestContext, requestId } from './context.ts'
import type { Draining } from './draining.ts'
import { asFailure, type ExplainError, errorAnswer } from './errors.ts'
import { innerAddress } from './innerRequest.ts'
import { inOwnTurn } from './inOwnTurn.ts'
import { inTraceOfRequest } from './inTraceOfRequest.ts'
import { addLimitHeaders, withPolicy } from './limitHeaders.ts'
import { accessLog } from './log.ts'
import { unroutedAnswer } from './notFound.ts'
import { policyMacros } from './policyMacros.ts'
import { sentBody } from './sentBody.ts'
import type { UnlistedProxy } from './unlistedProxy.ts'

export interface HttpSettings {
  /** The public base URL that documents and errors use. Updated at start if the system chooses the port. */
  baseUrl: string
  readonly version: string
  readonly bodyLimitMb: number
  readonly trustedProxies: readonly string[]
  readonly logsEveryRequest: boolean
}

/** Counts requests and errors for telemetry. */
export interface RequestCounter {
  /** @param route its template, never what a client sent */
  countRequest(route: string, status: number, ms: number): void
  countError(code: ErrorCode): void
}

export interface HttpDeps extends AdmissionDeps {
  readonly settings: HttpSettings
  readonly log: Logger
  /** A monotonic clock in milliseconds. */
  readonly elapsedMs: () => number
  readonly explain: ExplainError
  readonly draining: Draining
  readonly unlistedProxy: UnlistedProxy
  /** Called for each request that counted against the limits of a key. */
  readonly recordUse: (caller: Caller, route: string) => void
  /** null: nothing is counted, because telemetry has no port. */
  readonly requestCounter: RequestCounter | null
  /** The error as HTML for a browser; null: the client is not a browser. */
  readonly errorPage: (context: RequestContext, failure: Failure) => Answer | null
}

export type HttpPlugin = ReturnType<typeof httpPlugin>

/** Logged when the client closed the connection before its response. nginx uses the same number. */
const clientClosedRequest = 499

/** What all routes share, as the Elysia plugin that each feature uses: the request's context, the access
 * policy, the response, errors and the access log. A route declares its policy as `access`, and
 * `requireAccessPolicies` fails at start if a route has none.
 *
 * @param appOf returns the app that the plugin is mounted in, for its server and its routes. Elysia's own
 *   `server` costs every request more, and is missing on a request without a route */
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
    // A request made by this process itself has no socket.
    const inner = socketAddress === null ? innerAddress(request) : undefined
    const address = inner ?? addressOf(socketAddress, forwarded)
    const scope = currentScope()
    // Requests that the agent tools make run within the trace scope of the message that caused them, so they
    // must not change it.
    if (scope !== null && socketAddress !== null)
      scope.isFollowed = scope.trace.isSampled && isTrusted(socketAddress)
    return new RequestContext(request, server, id, address, elapsedMs(), scope)
  }

  /** Rejects a response that no access policy admitted. A hook that Elysia skips or fails to await must not
   * let a request through. */
  function answer(context: RequestContext, route: string, given: Answer): Response {
    if (context.admitted) return finish(context, route, given, null)
    return fail(context, route, new Error('No access policy admitted this request.'))
  }

  function finish(context: RequestContext, route: string, answer: Answer, code: ErrorCode | null): Response {
    const response = toResponse(context, answer)
    if (draining.active || context.closesConnection) response.headers.set('Connection', 'close')
    // Bun drops a connection on which a second request arrives before the first is answered: the log must not
    // report that as a 200.
    const status = context.request.signal.aborted ? clientClosedRequest : answer.status
    end(context, route, status, code)
    if (context.counted && context.caller !== null) deps.recordUse(context.caller, route)
    return response
  }

  function end(context: RequestContext, route: string, status: number, code: ErrorCode | null): void {
    context.endTurn?.()
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

  return new Elysia({ name: 'http' })
    .wrap(inTraceOfRequest)
    .wrap(inOwnTurn)
    .derive({ as: 'global' }, ({ request }) => ({ context: begin(request) }))
    .macro(policyMacros(deps))
    .mapResponse({ as: 'global' }, ({ context, route, responseValue }) =>
      // Elysia also maps what onError returned.
      responseValue instanceof Response ? responseValue : answer(context, route, responseValue as Answer),
    )
    .onError({ as: 'global' }, ({ request, context = begin(request), route, code, error }) =>
      code === 'NOT_FOUND' ? answerUnrouted(context) : fail(context, route, error),
    )
}

/** Converts an answer to a response, adding the headers that belong only to this request. */
function toResponse(context: RequestContext, answer: Answer): Response {
  const { status, headers, body } = answer
  const isHead = context.request.method === 'HEAD'
  const unread = isHead && body instanceof ReadableStream ? body : null
  const { verdict } = context
  const given = answer.isShared === true && verdict !== null ? withPolicy(headers, verdict.limits) : headers
  const sent = unread === null ? (isHead ? body : sentBody(body)) : null
  const response = new Response(sent, { status, headers: given })
  if (unread !== null) {
    unread.cancel().catch(() => {})
    // As for GET. Otherwise Bun would send Content-Length: 0, which is not the length of the body.
    response.headers.set('Transfer-Encoding', 'chunked')
  }
  response.headers.set('X-Request-Id', context.id)
  if (verdict !== null) addLimitHeaders(response.headers, verdict, given !== headers)
  return response
}
