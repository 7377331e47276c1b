import { Elysia } from 'elysia'
import { SearchQuery } from '../model/search.ts'
import type { BodyCache } from './BodyCache.ts'
import { jsonType, keptAnswer, toKeep } from './dataAnswer.ts'
import { searchOperation } from './operations/search.ts'
import { queryReader } from './parameters.ts'
import type { RouteMaker } from './serve.ts'
import type { Services } from './services.ts'

const readQuery = queryReader(SearchQuery)

/** GET /api/search: needs no key, counted by address. */
export function search(services: Services, route: RouteMaker, cache: BodyCache) {
  const handle = route('/api/search', 'search', call => {
    const { q } = readQuery(call.queryText)
    const make = async () => JSON.stringify({ object: 'search_result', results: await services.search(q) })
    return keptAnswer(cache, call, services.dataVersion(), toKeep(`search ${q}`, jsonType, make))
  })
  return new Elysia().get('/api/search', ({ request }) => handle(request), {
    detail: searchOperation,
  })
}
