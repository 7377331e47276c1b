import { Elysia } from 'elysia'
import { Failure } from '../errors.ts'
import { BodyReader } from './BodyReader.ts'
import type { Answer, Call } from './Call.ts'
import { dataHeaders, jsonType } from './dataAnswer.ts'
import { encodedAnswer } from './encodedAnswer.ts'
import { entityTag } from './entityTag.ts'
import { noQuery } from './noQuery.ts'
import { backtestOperation } from './operations/backtest.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'

/** POST /api/v1/backtest: the bytes of the body go to the workers unparsed. */
export function backtest(services: Services, route: RouteMaker) {
  const { bodyLimitMb, computeTimeoutMs } = services.settings
  const bodies = new BodyReader(bodyLimitMb, services.elapsedMs)

  async function work(call: Call): Promise<Answer> {
    requireQuant(call)
    noQuery(call)
    // A backtest is silent while it runs; Bun would take the silence for a dead connection.
    call.server?.timeout(call.request, Math.min(255, Math.ceil(computeTimeoutMs / 1_000) + 30))
    return bodies.use(call, async bytes => {
      const tag = entityTag(services.dataVersion(), `backtest ${Bun.hash.xxHash64(bytes)}`)
      const result = JSON.stringify(await services.runBacktest(bytes, call.request.signal))
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
