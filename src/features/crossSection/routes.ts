import { Elysia } from 'elysia'
import { dataTypes, keptAnswer, toKeep } from '../../http/answers.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import type { RouteMaker } from '../../http/handler.ts'
import { queryReader } from '../../http/parameters.ts'
import type { BodyCache } from '../../http/responseCache.ts'
import type { Services } from '../../http/services.ts'
import { CrossSection, CrossSectionQuery } from './schema.ts'

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

export const crossSectionOperation = operation({
  id: 'getCrossSection',
  tag: 'Fundamentals',
  summary: 'One metric of every company of a market, as known on a day',
  description:
    'One row a company: its latest figure of the metric that was filed on or before `as_of`, at the vintage that was current on that day. `fp` chooses which period counts as latest, `max_age_days` leaves out companies that have long stopped reporting. The order is that in which the service came to know the companies, so that pages never shift; `next` (in the other forms the header X-Next-Cursor) continues past `limit`. A figure filed on `as_of` itself is in the answer: to trade at the open of a day, send the day before.\n\nThe demo key and free keys see the most recent reported fiscal year of each company, without `as_of`. An evaluation key counts every company on a page.',
  entry: 'key',
  query: CrossSectionQuery,
  tried: { metric: 'roe', market: 'US' },
  answer: {
    schema: CrossSection,
    description: 'A row a company, always in the same order.',
    examples: {
      roe: { summary: 'Return on equity as known on 2020-12-31', value: answers.cross_section },
    },
    csv: answers.cross_section_csv,
    sheets: answers.cross_section_ndjson,
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
