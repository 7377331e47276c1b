import { Elysia } from 'elysia'
import { SignalsQuery } from '../model/signal.ts'
import type { Answer, Call } from './Call.ts'
import { csvType, dataHeaders, jsonType, unchanged } from './dataAnswer.ts'
import { chooseEncoding, compressStream } from './encoding.ts'
import { entityTag } from './entityTag.ts'
import { answerHeaders } from './headers.ts'
import { signalsOperation } from './operations/signals.ts'
import { queryReader } from './parameters.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'

const readQuery = queryReader(SignalsQuery)

/** GET /api/v1/signals: streamed, so that memory does not grow with the number of rows. */
export function signals(services: Services, route: RouteMaker) {
  async function work(call: Call): Promise<Answer> {
    const query = readQuery(call.queryText)
    const { principal, subject } = call.knownCaller
    const { cacheKey, open } = services.planSignals(principal, query)
    const format = query.format ?? 'json'
    const type = format === 'csv' ? csvType : jsonType
    const own = dataHeaders(type, entityTag(services.dataVersion(), `${format} ${cacheKey}`))
    const same = unchanged(call, own)
    if (same !== null) return same
    const { next, body } = await open(format, call.request.signal, subject)
    if (next !== null) own['X-Next-Cursor'] = next
    const encoding = chooseEncoding(call.request.headers.get('accept-encoding'))
    if (encoding !== 'identity') own['Content-Encoding'] = encoding
    return { status: 200, headers: answerHeaders(own), body: compressStream(body, encoding) }
  }

  const handle = route('/api/v1/signals', 'key', work)
  return new Elysia().get('/api/v1/signals', ({ request }) => handle(request), {
    detail: signalsOperation,
  })
}
