import type { Server } from 'bun'
import type { Caller } from '../access/authenticate.ts'
import { Failure } from '../errors.ts'
import type { Verdict } from '../limits/verdict.ts'

/** One request on its way: what was sent, and what has been learnt of it so far. */
export class Call {
  readonly request: Request
  readonly server: Server<unknown> | null
  readonly id: string
  /** As counted and logged. */
  readonly address: string
  /** Known after authentication, on routes that need a key. */
  caller: Caller | null = null
  /** Known after the limits were asked. */
  verdict: Verdict | null = null

  constructor(request: Request, server: Server<unknown> | null, id: string, address: string) {
    this.request = request
    this.server = server
    this.id = id
    this.address = address
  }

  /** The caller on a route that needs a key, where there always is one. */
  get knownCaller(): Caller {
    if (this.caller === null) throw new Error('The route asks who calls and does not require a key.')
    return this.caller
  }

  /** Without the question mark, as sent; empty where none was sent. */
  get queryText(): string {
    const { url } = this.request
    const mark = url.indexOf('?')
    return mark < 0 ? '' : url.slice(mark + 1)
  }

  /** Without dot segments; nothing is decoded. A target without a path (CONNECT) is its own. */
  get path(): string {
    const { url } = this.request
    const start = url.indexOf('/', url.indexOf('//') + 2)
    if (start < 0) return url
    const mark = url.indexOf('?', start)
    return mark < 0 ? url.slice(start) : url.slice(start, mark)
  }
}

export type AnswerBody = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null

/** What a route answers; what differs from request to request is added where the response is made. Headers may be
 * shared by many answers: they are copied and not changed. */
export interface Answer {
  readonly status: number
  readonly body: AnswerBody
  readonly headers: Headers
}

/** Backtests are the quant plan's. Returns the id of the key, which with that plan there always is. */
export function requireQuant(call: Call): number {
  const { principal } = call.knownCaller
  if (principal.quant && principal.keyId !== null) return principal.keyId
  throw new Failure(
    'quant_required',
    `Backtests need a key with the quant plan; this ${principal.licence} key has none.`,
    { param: 'Authorization' },
  )
}
