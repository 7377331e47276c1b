import type { Server } from 'bun'
import type { Caller } from '../access/authenticate.ts'
import { Failure } from '../errors.ts'
import type { Verdict } from '../limits/verdict.ts'
import type { TraceScope } from '../trace.ts'

/** One request while it is handled: what was sent, and what is known of it so far. */
export class RequestContext {
  readonly request: Request
  readonly server: Server<unknown> | null
  readonly id: string
  /** The client's address, as limits count it and the log shows it. */
  readonly address: string
  readonly startMs: number
  /** null: the request came without a valid traceparent. */
  readonly scope: TraceScope | null
  /** Set by the route's access policy. No answer leaves without it (`httpPlugin`). */
  admitted = false
  /** Whether the answer ends the connection: the rest of the request is not read. */
  closesConnection = false
  /** Whether it counted against the limits of its key or address. */
  counted = false
  /** Set by authentication, on routes that need a key. */
  caller: Caller | null = null
  /** Whether a page is for a person who is signed in; its access policy says so. */
  isSignedIn = false
  /** Whether the request is for a page or form of the account: its errors are then shown in the frame of the account. */
  isOfAccount = false
  /** Set by the limits; the answer's rate-limit headers come from it. */
  verdict: Verdict | null = null
  /** What is left to the caller, on routes whose access policy is `usage`. */
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

  /** The caller on a route whose access policy is `key`, where there always is one. */
  get authenticatedCaller(): Caller {
    if (this.caller === null)
      throw new Error('This route reads the caller, but its access policy is not key.')
    return this.caller
  }

  /** The query string without its question mark, still encoded; empty if the request has none. */
  get queryText(): string {
    const { url } = this.request
    const mark = url.indexOf('?')
    return mark < 0 ? '' : url.slice(mark + 1)
  }

  /** The path without dot segments, still encoded. CONNECT has a target without a path: that is returned whole. */
  get path(): string {
    const { url } = this.request
    const start = url.indexOf('/', url.indexOf('//') + 2)
    if (start < 0) return url
    const mark = url.indexOf('?', start)
    return mark < 0 ? url.slice(start) : url.slice(start, mark)
  }
}

export type AnswerBody = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null

/** What a route returns. Many answers share one `Headers` object: it is copied into each response and never changed. */
export interface Answer {
  readonly status: number
  readonly body: AnswerBody
  readonly headers: Headers
  /** Whether many answers share `headers`. What depends on the caller's limits alone is then set once for all of them. */
  readonly isShared?: true
}

/** Requires the quant plan, which opens backtests, and returns the id of the key. */
export function requireQuant(context: RequestContext): number {
  const { principal } = context.authenticatedCaller
  if (principal.quant && principal.keyId !== null) return principal.keyId
  throw new Failure(
    'quant_required',
    `Backtests need a key with the quant plan; this ${principal.licence} key does not include it. The operator creates one with \`./asfiled keys create --email <address> --quant\`.`,
    { param: 'Authorization' },
  )
}

/** Random for this process; a counter follows it. Unique ids without a call for randomness on each request. */
const processPrefix = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
let count = 0

const safeId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

/** The client's own X-Request-Id if it is safe to log, else a new one. An API key sent in the wrong header is not echoed: it
 * would end up in logs. */
export function requestId(sent: string | null): string {
  if (sent !== null && safeId.test(sent) && !sent.includes('asf_')) return sent
  return `${processPrefix}-${(++count).toString(36)}`
}

/** Longer than the statement timeout, so that silence means a dead client and not a slow query. */
export const idleSeconds = 30

/** Lifts the idle timeout while `work` runs. A backtest sends nothing while it waits and computes, and Bun would close the
 * connection without an answer. A client that disconnects is still noticed. */
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
