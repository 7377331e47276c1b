import type { Server } from 'bun'
import { TooManyWrongKeys } from '../domain/access/authenticate.ts'
import { accessLog } from './accessLog.ts'
import { admit, type Entry, limited } from './admit.ts'
import { type Answer, Call } from './Call.ts'
import { clientAddressReader } from './clientAddress.ts'
import { asFailure, errorAnswer } from './errorAnswer.ts'
import { requestId } from './requestId.ts'
import { respond } from './respond.ts'
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
