import { Elysia } from 'elysia'
import { CrossSectionQuery } from '../model/crossSection.ts'
import type { BodyCache } from './BodyCache.ts'
import { dataTypes, keptAnswer, toKeep } from './dataAnswer.ts'
import { crossSectionOperation } from './operations/crossSection.ts'
import { queryReader } from './parameters.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'

const readQuery = queryReader(CrossSectionQuery)

/** GET /api/v1/cross-section: one metric of every company of a market, as it was known on a day. */
export function crossSection(services: Services, route: RouteMaker, cache: BodyCache) {
  const handle = route('/api/v1/cross-section', 'key', call => {
    const query = readQuery(call.queryText)
    const { principal, subject } = call.knownCaller
    const format = query.format ?? 'json'
    const { cacheKey, make } = services.planCrossSection(principal, query)
    const kept = toKeep(`${format} ${cacheKey}`, dataTypes[format], () => make(format, subject))
    return keptAnswer(cache, call, services.dataVersion(), kept)
  })
  return new Elysia().get('/api/v1/cross-section', ({ request }) => handle(request), {
    detail: crossSectionOperation,
  })
}
