import { Elysia } from 'elysia'
import { RestatementsQuery } from '../model/restatement.ts'
import type { BodyCache } from './BodyCache.ts'
import { dataTypes, keptAnswer, toKeep } from './dataAnswer.ts'
import { restatementsOperation } from './operations/restatements.ts'
import { queryReader } from './parameters.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'

const readQuery = queryReader(RestatementsQuery)

/** GET /api/v1/restatements: figures whose value changed, with the vintage before and after. */
export function restatements(services: Services, route: RouteMaker, cache: BodyCache) {
  const handle = route('/api/v1/restatements', 'key', call => {
    const query = readQuery(call.queryText)
    const { principal, subject } = call.knownCaller
    const format = query.format ?? 'json'
    const { cacheKey, make } = services.planRestatements(principal, query)
    const kept = toKeep(`${format} ${cacheKey}`, dataTypes[format], () => make(format, subject))
    return keptAnswer(cache, call, services.dataVersion(), kept)
  })
  return new Elysia().get('/api/v1/restatements', ({ request }) => handle(request), {
    detail: restatementsOperation,
  })
}
