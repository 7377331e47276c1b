import { Elysia } from 'elysia'
import { dataHeaders, dataTypes, streamAnswer, unchanged } from '../../http/answers.ts'
import type { Answer, Call } from '../../http/context.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import type { RouteMaker } from '../../http/handler.ts'
import { entityTag } from '../../http/headers.ts'
import { queryReader } from '../../http/parameters.ts'
import type { Services } from '../../http/services.ts'
import { SignalList, SignalsQuery } from './schema.ts'

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

export const signalsOperation = operation({
  id: 'getSignals',
  tag: 'Signals',
  summary: 'Forecasts and what came of them',
  description:
    'One row per name, day and horizon, with the forecast and the realised return, both fractions (0.025 is +2.5%). Only resolved rows are served. Without the quant plan the view ends 90 days before today. Newest first; `next` (in the other forms the header X-Next-Cursor) continues past `limit`.',
  entry: 'key',
  query: SignalsQuery,
  tried: { horizon: '1d', limit: 5 },
  answer: {
    schema: SignalList,
    description: 'The rows, date descending, then ticker, then horizon.',
    examples: { delayed: { summary: 'The delayed view of the demo key', value: answers.signals } },
    csv: answers.signals_csv,
    sheets: answers.signals_ndjson,
  },
  errors: ['parameter_invalid', 'parameter_repeated', 'compute_busy', 'statement_timeout'],
  data: true,
})
