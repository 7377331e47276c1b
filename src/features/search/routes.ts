import { Elysia } from 'elysia'
import { jsonType, keptAnswer, toKeep } from '../../http/answers.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import type { RouteMaker } from '../../http/handler.ts'
import { queryReader } from '../../http/parameters.ts'
import type { BodyCache } from '../../http/responseCache.ts'
import type { Services } from '../../http/services.ts'
import { SearchQuery, SearchResult } from './schema.ts'

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

export const searchOperation = operation({
  id: 'search',
  tag: 'Search',
  summary: 'Find the ID of a company',
  description:
    'By name, symbol or registration number; up to 8 hits, the best first. A company is found by every name that its register gives it, in English as in its own script, and shown by its own. Send the `ticker` of a hit to the fundamentals endpoint unchanged. No key is needed: 120 requests a minute and 3,000 a day for each IP address.',
  entry: 'search',
  query: SearchQuery,
  tried: { q: 'apple' },
  answer: {
    schema: SearchResult,
    description: 'The hits.',
    examples: { apple: { summary: 'q=apple', value: answers.search } },
  },
  errors: ['parameter_invalid', 'parameter_repeated', 'statement_timeout'],
  data: true,
})
