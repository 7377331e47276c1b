import { Elysia } from 'elysia'
import { SignalsQuery } from '../model/signal.ts'
import type { Answer, Call } from './Call.ts'
import { dataHeaders, dataTypes, unchanged } from './dataAnswer.ts'
import { entityTag } from './entityTag.ts'
import { signalsOperation } from './operations/signals.ts'
import { queryReader } from './parameters.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'
import { streamAnswer } from './streamAnswer.ts'

const readQuery = queryReader(SignalsQuery)

/** GET /api/v1/signals: streamed, so that memory does not grow with the number of rows. */
export function signals(services: Services, route: RouteMaker) {
  async function work(call: Call): Promise<Answer> {
    const query = readQuery(call.queryText)
    const { principal, subject } = call.knownCaller
    const { cacheKey, open } = services.planSignals(principal, query)
    const format = query.format ?? 'json'
    const own = dataHeaders(dataTypes[format], entityTag(services.dataVersion(), `${format} ${cacheKey}`))
    const same = unchanged(call, own)
    if (same !== null) return same
    const { next, body } = await open(format, call.request.signal, subject)
    if (next !== null) own['X-Next-Cursor'] = next
    return streamAnswer(call, body, own)
  }

  const handle = route('/api/v1/signals', 'key', work)
  return new Elysia().get('/api/v1/signals', ({ request }) => handle(request), {
    detail: signalsOperation,
  })
}
