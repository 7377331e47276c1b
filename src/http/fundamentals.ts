import { Elysia } from 'elysia'
import type { Principal } from '../model/access.ts'
import { FundamentalsQuery } from '../model/fundamentals.ts'
import type { BodyCache } from './BodyCache.ts'
import type { Answer, Call } from './Call.ts'
import { csvType, jsonType, type Kept, keptAnswer, toKeep } from './dataAnswer.ts'
import { fundamentalsOperation } from './operations/fundamentals.ts'
import { PlanCache } from './PlanCache.ts'
import { queryReader } from './parameters.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'
import { steadyDay } from './steadyDay.ts'

const readQuery = queryReader(FundamentalsQuery)

/** GET /api/v1/fundamentals: the figures of one entity or, without `ticker`, the coverage index. */
export function fundamentals(services: Services, route: RouteMaker, cache: BodyCache) {
  const day = steadyDay(services.today, services.elapsedMs)
  const plans = new PlanCache<Kept>()

  function work(call: Call): Answer | Promise<Answer> {
    const version = services.dataVersion()
    const today = day()
    const known = plans.find(call.knownCaller.principal, call.queryText, version, today)
    if (known !== undefined) return keptAnswer(cache, call, version, known)
    return planned(call, version, today)
  }

  async function planned(call: Call, version: number, today: string): Promise<Answer> {
    const { principal } = call.knownCaller
    const text = call.queryText
    const query = readQuery(text)
    const kept = query.ticker === undefined ? planIndex(principal, query, today) : await planList(call, query)
    plans.remember(principal, text, version, today, kept)
    return keptAnswer(cache, call, version, kept)
  }

  function planIndex(principal: Principal, query: FundamentalsQuery, today: string): Kept {
    const make = async () => JSON.stringify(await services.coverageIndex(principal, query))
    return toKeep(`index ${principal.licence} ${today} ${JSON.stringify(query)}`, jsonType, make)
  }

  async function planList(call: Call, query: FundamentalsQuery): Promise<Kept> {
    const { cacheKey, read } = await services.planFundamentals(call.knownCaller.principal, query)
    if (query.format === 'csv') {
      return toKeep(`csv ${cacheKey}`, csvType, async () => services.fundamentalsCsv(await read()))
    }
    return toKeep(`json ${cacheKey}`, jsonType, async () => JSON.stringify(await read()))
  }

  const handle = route('/api/v1/fundamentals', 'key', work)
  return new Elysia().get('/api/v1/fundamentals', ({ request }) => handle(request), {
    detail: fundamentalsOperation,
  })
}
