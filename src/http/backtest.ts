import { Elysia } from 'elysia'
import { Failure } from '../errors.ts'
import { BodyReader } from './BodyReader.ts'
import { bodyFormat } from './bodyFormat.ts'
import { bodyQuery } from './bodyQuery.ts'
import type { Answer, Call } from './Call.ts'
import { dataHeaders, jsonType } from './dataAnswer.ts'
import { encodedAnswer } from './encodedAnswer.ts'
import { entityTag } from './entityTag.ts'
import { backtestOperation } from './operations/backtest.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'

/** POST /api/v1/backtest: the bytes of the body go to the workers unparsed. */
export function backtest(services: Services, route: RouteMaker) {
  const { bodyLimitMb, computeTimeoutMs } = services.settings
  const bodies = new BodyReader(bodyLimitMb, services.elapsedMs)

  async function work(call: Call): Promise<Answer> {
    requireQuant(call)
    const format = bodyFormat(call.request.headers)
    const query = bodyQuery(call, format)
    // A backtest is silent while it runs; Bun would take the silence for a dead connection.
    call.server?.timeout(call.request, Math.min(255, Math.ceil(computeTimeoutMs / 1_000) + 30))
    return bodies.use(call, async bytes => {
      const asked = `backtest ${format} ${call.queryText} ${Bun.hash.xxHash64(bytes)}`
      const tag = entityTag(services.dataVersion(), asked)
      const result = JSON.stringify(await services.runBacktest({ bytes, format, query }, call.request.signal))
      return encodedAnswer(call, result, dataHeaders(jsonType, tag))
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
