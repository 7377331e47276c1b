import { Elysia } from 'elysia'
import { dataTypes, keptAnswer, toKeep } from '../../http/answers.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import type { RouteMaker } from '../../http/handler.ts'
import { queryReader } from '../../http/parameters.ts'
import type { BodyCache } from '../../http/responseCache.ts'
import type { Services } from '../../http/services.ts'
import { RestatementList, RestatementsQuery } from './schema.ts'

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

export const restatementsOperation = operation({
  id: 'getRestatements',
  tag: 'Fundamentals',
  summary: 'Figures whose value changed, before and after',
  description:
    'One row for each vintage of the metric that states another value than the vintage before it: an amendment, a recast comparative, a share split. Both are as they were known on `as_of`. `from` bounds the day on which the change was filed. A page looks at `limit` companies and holds every change of each; `next` (in the other forms the header X-Next-Cursor) continues.\n\nThe demo key and free keys see the most recent reported fiscal year of each company, without `as_of`. An evaluation key counts every company on a page.',
  entry: 'key',
  query: RestatementsQuery,
  tried: { metric: 'revenue', market: 'US' },
  answer: {
    schema: RestatementList,
    description: 'A row a change, always in the same order.',
    examples: {
      revenue: {
        summary: 'Changes of revenue that were filed in the first half of 2010',
        value: answers.restatements,
      },
    },
    csv: answers.restatements_csv,
    sheets: answers.restatements_ndjson,
  },
  errors: [
    'parameter_invalid',
    'parameter_repeated',
    'licence_required',
    'entity_cap_reached',
    'compute_busy',
    'statement_timeout',
  ],
  data: true,
})
