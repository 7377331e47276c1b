import { Elysia } from 'elysia'
import type { Principal } from '../../access/licences.ts'
import type { DataFormat } from '../../formats/columns.ts'
import {
  dataHeaders,
  dataTypes,
  jsonType,
  type Kept,
  keptAnswer,
  streamAnswer,
  toKeep,
  unchanged,
} from '../../http/answers.ts'
import type { Answer, Call } from '../../http/context.ts'
import type { RouteMaker } from '../../http/handler.ts'
import { entityTag } from '../../http/headers.ts'
import { queryReader } from '../../http/parameters.ts'
import { PlanCache, steadyDay } from '../../http/planCache.ts'
import type { BodyCache } from '../../http/responseCache.ts'
import type { PlannedStream, Services } from '../../http/services.ts'
import { fundamentalsOperation } from './documentation.ts'
import { FundamentalsQuery } from './schema.ts'

const readQuery = queryReader(FundamentalsQuery)

/** GET /api/v1/fundamentals: the figures of one entity or of several or, without `ticker`, the coverage index. */
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
    if (query.ticker !== undefined) return list(call, query, version, today)
    const kept = planIndex(principal, query, today)
    plans.remember(principal, text, version, today, kept)
    return keptAnswer(cache, call, version, kept)
  }

  function planIndex(principal: Principal, query: FundamentalsQuery, today: string): Kept {
    const make = async () => JSON.stringify(await services.coverageIndex(principal, query))
    return toKeep(`index ${principal.licence} ${today} ${JSON.stringify(query)}`, jsonType, make)
  }

  async function list(call: Call, query: FundamentalsQuery, version: number, today: string): Promise<Answer> {
    const { principal, subject } = call.knownCaller
    const planned = await services.planFundamentals(principal, query)
    const format = query.format ?? 'json'
    const key = `${format} ${planned.cacheKey}`
    if ('open' in planned)
      return streamed(call, planned, format, dataHeaders(dataTypes[format], entityTag(version, key)))
    const kept = toKeep(key, dataTypes[format], () => planned.make(format, subject))
    plans.remember(principal, call.queryText, version, today, kept)
    return keptAnswer(cache, call, version, kept)
  }

  async function streamed(
    call: Call,
    planned: PlannedStream,
    format: DataFormat,
    own: Record<string, string>,
  ): Promise<Answer> {
    const same = unchanged(call, own)
    if (same !== null) return same
    const { body } = await planned.open(format, call.request.signal, call.knownCaller.subject)
    return streamAnswer(call, body, own)
  }

  const handle = route('/api/v1/fundamentals', 'key', work)
  return new Elysia().get('/api/v1/fundamentals', ({ request }) => handle(request), {
    detail: fundamentalsOperation,
  })
}
