import { Elysia } from 'elysia'
import { FundamentalsQuery } from '../model/fundamentals.ts'
import type { BodyCache } from './BodyCache.ts'
import type { Answer, Call } from './Call.ts'
import { csvType, jsonType, keptAnswer } from './dataAnswer.ts'
import { fundamentalsOperation } from './operations/fundamentals.ts'
import { PlanCache } from './PlanCache.ts'
import { queryReader } from './parameters.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'

interface Planned {
  readonly key: string
  readonly type: string
  readonly make: () => Promise<string>
}

const readQuery = queryReader(FundamentalsQuery)

/** GET /api/v1/fundamentals: the figures of one entity or, without `ticker`, the coverage index. */
export function fundamentals(services: Services, route: RouteMaker, cache: BodyCache) {
  const plans = new PlanCache<Planned>()

  async function plan(call: Call, version: number): Promise<Planned> {
    const { principal } = call.knownCaller
    const today = services.today()
    const text = call.queryText
    const known = plans.find(principal, text, version, today)
    if (known !== undefined) return known
    const query = readQuery(text)
    const planned = query.ticker === undefined ? planIndex(query) : await planList(call, query)
    plans.remember(principal, text, version, today, planned)
    return planned
  }

  function planIndex(query: FundamentalsQuery): Planned {
    const key = JSON.stringify(['coverage', query.market, query.limit, query.cursor, query])
    return { key, type: jsonType, make: async () => JSON.stringify(await services.coverageIndex(query)) }
  }

  async function planList(call: Call, query: FundamentalsQuery): Promise<Planned> {
    const { cacheKey, read } = await services.planFundamentals(call.knownCaller.principal, query)
    if (query.format === 'csv') {
      return {
        key: `csv ${cacheKey}`,
        type: csvType,
        make: async () => services.fundamentalsCsv(await read()),
      }
    }
    return { key: `json ${cacheKey}`, type: jsonType, make: async () => JSON.stringify(await read()) }
  }

  async function work(call: Call): Promise<Answer> {
    const version = services.dataVersion()
    const { key, type, make } = await plan(call, version)
    return keptAnswer(cache, call, version, key, type, make)
  }

  const handle = route('/api/v1/fundamentals', 'key', work)
  return new Elysia().get('/api/v1/fundamentals', ({ request, server }) => handle({ request, server }), {
    detail: fundamentalsOperation,
  })
}
