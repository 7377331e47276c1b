import { Elysia } from 'elysia'
import { readForm } from '../../formats/columns.ts'
import { renderList } from '../../formats/rows.ts'
import { cacheable, contentTypes, respondFromCache } from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { termsOf } from '../companies/terms.ts'
import type { MarketPageDeps } from '../marketPages/page.ts'
import { planRestatements, readRestatements } from './restatements.ts'
import { RestatementList, RestatementsQuery, restatementSheet } from './schema.ts'

const readQuery = queryReader(RestatementsQuery)

/** GET /api/v1/restatements: figures whose value changed, with the vintage before and after. */
export function restatementsRoutes(http: HttpPlugin, deps: MarketPageDeps) {
  return new Elysia({ name: 'restatements' }).use(http).get(
    '/api/v1/restatements',
    ({ context }) => {
      const query = readQuery(context.queryText)
      const { principal, subject } = context.authenticatedCaller
      const form = readForm(query)
      const plan = planRestatements(deps, principal, query)
      const response = cacheable(
        `${form.key} ${plan.cacheKey}`,
        contentTypes[form.format],
        async () => {
          const list = await deps.readLimiter.run(subject, () => readRestatements(deps, principal, plan))
          const body = await renderList(form, restatementSheet, list, termsOf(deps.markets, [plan.market]))
          return { ...body, next: list.next }
        },
        compressions.marketRows,
      )
      return respondFromCache(deps.responses, context, deps.dataVersion(), response)
    },
    { ...restatementsOperation },
  )
}

const restatementsOperation = operation({
  id: 'getRestatements',
  tag: 'Fundamentals',
  summary: 'Figures whose value changed, before and after',
  description:
    'One row for each vintage whose value differs from the previous vintage: an amendment, a recast comparative, a share split. Both values are as known on `as_of`. `from` bounds the filing day of the change. Each page covers `limit` companies and includes every change of each; `next` (in other formats the header X-Next-Cursor) continues.\n\nThe demo key and free keys see the most recent reported fiscal year of each company, without `as_of`. With an evaluation key, every company on a page counts as seen.',
  access: 'key',
  query: RestatementsQuery,
  example: { metric: 'revenue', market: 'US' },
  answer: {
    schema: RestatementList,
    description: 'One row per change, in a stable order.',
    examples: {
      revenue: {
        summary: 'Changes in revenue filed in the first half of 2010',
        value: answers.restatements,
      },
    },
    rows: { csv: answers.restatements_csv, ndjson: answers.restatements_ndjson },
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
