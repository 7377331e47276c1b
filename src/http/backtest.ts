import { Elysia } from 'elysia'
import { Failure } from '../errors.ts'
import type { BacktestResult } from '../model/backtestResult.ts'
import { BodyReader } from './BodyReader.ts'
import { bodyFormat } from './bodyFormat.ts'
import { bodyQuery } from './bodyQuery.ts'
import type { Answer, Call } from './Call.ts'
import { dataHeaders, jsonType } from './dataAnswer.ts'
import { encodedAnswer } from './encodedAnswer.ts'
import { entityTag } from './entityTag.ts'
import { backtestOperation } from './operations/backtest.ts'
import { prefersHtml } from './prefersHtml.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'

const varies = { Vary: 'Accept, Accept-Encoding, Authorization' }

/** POST /api/v1/backtest: the bytes of the body go to the workers unparsed. */
export function backtest(services: Services, route: RouteMaker) {
  const { bodyLimitMb, computeTimeoutMs } = services.settings
  const bodies = new BodyReader(bodyLimitMb, services.elapsedMs)

  async function work(call: Call): Promise<Answer> {
    requireQuant(call)
    const format = bodyFormat(call.request.headers)
    const { query, answer } = bodyQuery(call, format)
    const wanted = answer ?? (prefersHtml(call.request.headers.get('accept')) ? 'html' : 'json')
    // A backtest is silent while it runs; Bun would take the silence for a dead connection.
    call.server?.timeout(call.request, Math.min(255, Math.ceil(computeTimeoutMs / 1_000) + 30))
    return bodies.use(call, async bytes => {
      const asked = `backtest ${format} ${wanted} ${call.queryText} ${Bun.hash.xxHash64(bytes)}`
      const tag = entityTag(services.dataVersion(), asked)
      const result = await services.runBacktest({ bytes, format, query }, call.request.signal)
      if (wanted === 'html') return page(call, result, tag)
      return encodedAnswer(call, JSON.stringify(result), { ...dataHeaders(jsonType, tag), ...varies })
    })
  }

  function page(call: Call, result: BacktestResult, tag: string): Promise<Answer> {
    const { policy, write } = services.tearSheet
    return encodedAnswer(call, write(result), {
      ...dataHeaders('text/html; charset=utf-8', tag),
      ...varies,
      'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
      'Referrer-Policy': 'no-referrer',
    })
  }

  const handle = route('/api/v1/backtest', 'key', work)
  return new Elysia().post('/api/v1/backtest', ({ request }) => handle(request), {
    parse: 'none',
    detail: backtestOperation,
  })
}

function requireQuant(call: Call): void {
  const { principal } = call.knownCaller
  if (principal.quant) return
  throw new Failure(
    'quant_required',
    `Backtests need a key with the quant plan; this ${principal.licence} key has none.`,
    { param: 'Authorization' },
  )
}
