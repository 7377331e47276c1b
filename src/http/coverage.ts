import { Elysia } from 'elysia'
import { CoverageCheckParams } from '../model/coverage.ts'
import type { BodyCache } from './BodyCache.ts'
import { jsonType, keptAnswer, toKeep } from './dataAnswer.ts'
import { noQuery } from './noQuery.ts'
import { coverageOperation } from './operations/coverage.ts'
import { pathReader } from './parameters.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'

const prefix = '/api/v1/coverage/'
const readId = pathReader('id', CoverageCheckParams.properties.id)

/** GET /api/v1/coverage/{id}: what is on file of whoever any ID of a register names. */
export function coverage(services: Services, route: RouteMaker, cache: BodyCache) {
  const handle = route('/api/v1/coverage/{id}', 'key', call => {
    noQuery(call)
    const id = readId(call.path.slice(prefix.length).replace(/\/$/, ''))
    const { principal } = call.knownCaller
    const make = async () => JSON.stringify(await services.checkCoverage(principal, id))
    const key = `check ${principal.licence} ${services.today()} ${id}`
    return keptAnswer(cache, call, services.dataVersion(), toKeep(key, jsonType, make))
  })
  return new Elysia().get('/api/v1/coverage/:id', ({ request }) => handle(request), {
    detail: coverageOperation,
  })
}
