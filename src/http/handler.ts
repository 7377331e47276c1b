import type { Server } from 'bun'
import pino, { type DestinationStream, type Logger } from 'pino'
import { authenticate, type Caller, TooManyWrongKeys } from '../access/authenticate.ts'
import { Failure } from '../errors.ts'
import type { Limits, Verdict } from '../limits/verdict.ts'
import { clientAddressReader } from './clientAddress.ts'
import { type Answer, Call } from './context.ts'
import { asFailure, errorAnswer } from './errors.ts'
import { addLimitHeaders } from './limitHeaders.ts'
import type { GatheringStream } from './log.ts'
import type { Services } from './services.ts'

export type Work = (call: Call) => Answer | Promise<Answer>

/** For the log: nobody is there to read the answer. */
const clientLeft = 499

/** Turns the work of a route into its handler: identified, admitted, answered, logged, whatever happens. Every
 * route is made here, so none can forget who may enter. */
export type RouteMaker = (name: string, entry: Entry, work: Work) => (request: Request) => Promise<Response>

/** `serverOf`: the server once it listens. Elysia's own way to it is slow, and only for requests. */
export function routeMaker(services: Services, serverOf: () => Server<unknown> | null): RouteMaker {
  const { log, elapsedMs, settings } = services
  const addressOf = clientAddressReader(settings.trustedProxies)
  const tell = accessLog(log)
  const behindProxies = settings.trustedProxies.length > 0
  return (name, entry, work) => async request => {
    const server = serverOf()
    const startMs = elapsedMs()
    const { headers } = request
    const socketAddress = server?.requestIP(request)?.address ?? null
    const forwarded = behindProxies ? headers.get('x-forwarded-for') : null
    const address = addressOf(socketAddress, forwarded)
    const call = new Call(request, server, requestId(headers.get('x-request-id')), address)
    let answer: Answer
    let code: string | null = null
    try {
      if (entry !== 'open') {
        const verdict = await admit(services, call, entry)
        call.verdict = verdict
        if (verdict.refused !== null) throw limited(verdict, verdict.refused)
      }
      const worked = work(call)
      answer = worked instanceof Promise ? await worked : worked
    } catch (error) {
      const { failure, defect } = asFailure(services, error)
      if (defect && request.signal.aborted) {
        tell(call, name, clientLeft, null, elapsedMs() - startMs)
        return new Response(null, { status: clientLeft })
      }
      code = failure.code
      if (failure instanceof TooManyWrongKeys) call.verdict = failure.verdict
      const { cause } = failure.details
      if (defect) log.error({ requestId: call.id, route: name, err: error }, 'defect')
      else if (cause !== undefined) log.warn({ requestId: call.id, route: name, err: cause }, failure.message)
      answer = errorAnswer(services, call, failure)
    }
    const response = respond(call, answer)
    tell(call, name, answer.status, code, elapsedMs() - startMs)
    return response
  }
}

/** Who may enter a route: holders of a key, counted by key (demo: by address); everybody, counted by address;
 * everybody, uncounted. */
export type Entry = 'key' | 'search' | 'open'

const searchLimits: Limits = { perMinute: 120, perDay: 3_000 }

/** Learns who calls and counts the call. Knows nothing of what was asked for. */
export function admit(services: Services, call: Call, entry: Exclude<Entry, 'open'>): Promise<Verdict> {
  const { access } = services
  if (entry === 'search') {
    return access.gate.take(`search:${call.address}`, searchLimits)
  }
  const found = authenticate(access, call.request.headers.get('authorization'), call.address)
  const count = (caller: Caller) => {
    call.caller = caller
    return access.gate.take(caller.subject, caller.limits)
  }
  return found instanceof Promise ? found.then(count) : count(found)
}

export function limited(verdict: Verdict, refused: NonNullable<Verdict['refused']>): Failure {
  const { perMinute, perDay } = verdict.limits
  const { by, retryAfterSeconds } = refused
  const message =
    by === 'day'
      ? `The limit of ${perDay?.toLocaleString('en')} requests a day is used up. It starts anew at 00:00 UTC, in ${retryAfterSeconds} s.`
      : `The limit of ${perMinute.toLocaleString('en')} requests a minute is used up. Wait ${retryAfterSeconds} s; the headers say how much is left.`
  return new Failure(by === 'day' ? 'rate_limited_day' : 'rate_limited_minute', message, {
    retryAfterSeconds,
  })
}

/** The response of an answer, with what is particular to the request. */
export function respond(call: Call, answer: Answer): Response {
  const { status, headers, body } = answer
  const unread = call.request.method === 'HEAD' && body instanceof ReadableStream ? body : null
  const response = new Response(unread === null ? body : null, { status, headers })
  if (unread !== null) {
    unread.cancel().catch(() => {})
    // As GET would send it; without this Bun says Content-Length: 0, which is not the length of the answer.
    response.headers.set('Transfer-Encoding', 'chunked')
  }
  response.headers.set('X-Request-Id', call.id)
  if (call.verdict !== null) addLimitHeaders(response.headers, call.verdict)
  return response
}

/** Eight random bytes for this process, then a count: unique without asking for randomness each time. */
const mine = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')
let count = 0

const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

/** The X-Request-Id that came with a request where it is harmless in a log, else a new one. A key that was put into
 * the wrong header is not. */
export function requestId(sent: string | null): string {
  if (sent !== null && sane.test(sent) && !sent.includes('asf_')) return sent
  return `${mine}-${(++count).toString(36)}`
}

export type AccessLog = (call: Call, route: string, status: number, code: string | null, ms: number) => void

const levelInfo = 30

/** One line a request in the form and the stream of `log`. Put together by hand: none of the values needs escaping
 * (ids and methods are tokens, routes and codes are ours), and a general serialiser costs more than the rest of a
 * request that is answered from memory. */
export function accessLog(log: Logger): AccessLog {
  if (!log.isLevelEnabled('info')) return () => {}
  const stream: DestinationStream & Partial<GatheringStream> = Reflect.get(log, pino.symbols.streamSym)
  const write = stream.gather ?? ((line: string) => stream.write(line))
  return (call, route, status, code, ms) => {
    const { id, request, caller, address } = call
    const key = caller === null ? '' : `,"key":"${caller.name}"`
    const error = code === null ? '' : `,"code":"${code}"`
    write(
      `{"level":${levelInfo},"time":${Date.now()},"requestId":"${id}","method":"${request.method}","route":"${route}","status":${status}${error},"ms":${Math.round(ms * 100) / 100}${key},"address":"${address}","msg":"request"}\n`,
    )
  }
}

/** Longer than a statement may take, so that silence means a dead client and not a slow query. */
export const idleSeconds = 30

/** Does work that is silent for as long as it takes: a backtest that waits and runs. Bun would take the silence for a
 * dead connection and end it without an answer; a client that leaves is noticed nevertheless. */
export async function unhurried<T>({ server, request }: Call, work: () => Promise<T>): Promise<T> {
  server?.timeout(request, 0)
  try {
    return await work()
  } finally {
    server?.timeout(request, idleSeconds)
  }
}
