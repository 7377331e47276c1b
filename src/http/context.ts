import type { Server } from 'bun'
import type { Caller } from '../access/authenticate.ts'
import { Failure } from '../errors.ts'
import type { Verdict } from '../limits/verdict.ts'
import type { TraceScope } from '../trace.ts'

/** The state of one request while it is handled. */
export class RequestContext {
  readonly request: Request
  readonly server: Server<unknown> | null
  readonly id: string
  /** The client's address as used by rate limits and the log. */
  readonly address: string
  readonly startMs: number
  /** null: the request had no valid traceparent. */
  readonly scope: TraceScope | null
  /** Set by the route's access policy. `httpPlugin` sends no response without it. */
  admitted = false
  /** Whether the response closes the connection because the rest of the request is not read. */
  closesConnection = false
  /** Whether the request counted against the limits of its key or address. */
  counted = false
  /** Set by authentication on routes that need a key. */
  caller: Caller | null = null
  /** Set by the access policy of a page: whether a person is signed in. */
  isSignedIn = false
  /** Whether the request is for an account page or form, whose errors are shown in the account layout. */
  isOfAccount = false
  /** Set by `UnpaidTurns`: ends the turn of the request. null: it has none. */
  endTurn: (() => void) | null = null
  /** Set by the limiter; the source of the rate-limit headers. */
  verdict: Verdict | null = null
  /** What the caller has left, on routes whose access policy is `usage`. */
  usage: { readonly verdict: Verdict; readonly usedToday: number } | null = null

  constructor(
    request: Request,
    server: Server<unknown> | null,
    id: string,
    address: string,
    startMs: number,
    scope: TraceScope | null = null,
  ) {
    this.request = request
    this.server = server
    this.id = id
    this.address = address
    this.startMs = startMs
    this.scope = scope
  }

  /** The caller on a route whose access policy is `key`, which guarantees one. */
  get authenticatedCaller(): Caller {
    if (this.caller === null)
      throw new Error('This route reads the caller, but its access policy is not key.')
    return this.caller
  }

  /** The query string without its question mark, still encoded; empty if there is none. */
  get queryText(): string {
    const { url } = this.request
    const mark = url.indexOf('?')
    return mark < 0 ? '' : url.slice(mark + 1)
  }

  /** The path without dot segments, still encoded. The target of CONNECT has no path and is returned
   * whole. */
  get path(): string {
    const { url } = this.request
    const start = url.indexOf('/', url.indexOf('//') + 2)
    if (start < 0) return url
    const mark = url.indexOf('?', start)
    return mark < 0 ? url.slice(start) : url.slice(start, mark)
  }
}

export type AnswerBody = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null

/** What a route returns. Many responses share one `Headers` object, so it is copied into each response and
 * never changed. */
export interface Answer {
  readonly status: number
  readonly body: AnswerBody
  readonly headers: Headers
  /** True if many responses share `headers`. Headers that depend only on the caller's limits are then set
   * once for all of them. */
  readonly isShared?: true
}

/** Requires the quant plan, which includes backtests, and returns the key's id. */
export function requireQuant(context: RequestContext): number {
  const { rights } = context.authenticatedCaller
  if (rights.quant && rights.keyId !== null) return rights.keyId
  throw new Failure(
    'quant_required',
    `Backtests need a key with the quant plan; this ${rights.licence} key does not include it. The operator creates one with \`./asfiled keys create --email <address> --quant\`.`,
    { param: 'Authorization' },
  )
}

/** Random per process and followed by a counter: unique ids without a call for randomness on each request. */
const processPrefix = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
let count = 0

const safeId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

/** The client's X-Request-Id if it is safe to log, else a new id. An API key sent in this header by mistake
 * must not be echoed, because it would end up in logs. */
export function requestId(sent: string | null): string {
  if (sent !== null && safeId.test(sent) && !sent.includes('asf_')) return sent
  return `${processPrefix}-${(++count).toString(36)}`
}

/** Longer than the statement timeout, so silence means a dead client rather than a slow query. */
export const idleSeconds = 30

/** Suspends the idle timeout while `work` runs. A backtest sends nothing while it waits and computes, and Bun
 * would close the connection without a response. A client that disconnects is still noticed. */
export async function withoutIdleTimeout<T>(
  { server, request }: RequestContext,
  work: () => Promise<T>,
): Promise<T> {
  server?.timeout(request, 0)
  try {
    return await work()
  } finally {
    server?.timeout(request, idleSeconds)
  }
}
