import { Elysia } from 'elysia'
import { readOutputFormat } from '../../formats/columns.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { queryReader } from '../../http/parameters.ts'
import { answerPinned } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import { withAllowance } from '../../rights/entityCap.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { answerMarketPage, type MarketPageDeps, marketPageErrors } from '../marketPages/answer.ts'
import { planCompanyRestatements, readCompanyRestatements } from './company.ts'
import { planRestatements, readRestatements, requireMarketQuery } from './restatements.ts'
import { RestatementList, RestatementsQuery, restatementSheetOf } from './schema.ts'

const readQuery = queryReader(RestatementsQuery)

/** GET /api/v1/restatements: figures whose value changed, with the vintage before and after. */
export function restatementsRoutes(http: HttpPlugin, deps: MarketPageDeps & CompanyDeps) {
  return new Elysia({ name: 'restatements' }).use(http).get(
    '/api/v1/restatements',
    ({ context }) => {
      const query = withAcceptedFormat(context, readQuery(context.queryText))
      const { rights } = context.authenticatedCaller
      const output = readOutputFormat(query)
      const { ticker, data_version } = query
      if (ticker !== undefined)
        return answerPinned(deps, context, data_version, async deps => {
          const plan = await planCompanyRestatements(deps, rights, query, ticker)
          return answerMarketPage(deps, context, {
            output,
            market: plan.market,
            cacheKey: plan.cacheKey,
            columns: restatementSheetOf(plan.asOf),
            fileName: ['restatements', plan.ticker, plan.metrics ?? [], plan.asOf],
            read: () => readCompanyRestatements(deps, plan),
          })
        })
      const ofMarket = requireMarketQuery(query)
      return withAllowance(deps.sql, rights, allowance => {
        const plan = planRestatements(deps, { rights, allowance }, ofMarket)
        return answerPinned(deps, context, data_version, deps =>
          answerMarketPage(deps, context, {
            output,
            market: plan.market,
            cacheKey: plan.cacheKey,
            columns: restatementSheetOf(plan.asOf),
            fileName: ['restatements', plan.market, plan.metric, plan.asOf],
            read: () => readRestatements(deps, rights, plan),
          }),
        )
      })
    },
    { ...restatementsOperation },
  )
}

const restatementsOperation = operation({
  id: 'getRestatements',
  tag: 'Fundamentals',
  summary: 'Figures whose value changed, before and after',
  description:
    'One row for each vintage whose value differs from the previous vintage: an amendment, a recast comparative, a share split. Both values are as known on `as_of`. `from` bounds the filing day of the change. With `ticker` the answer has all changes of that company, of all metrics or those in `metric`; without it `market` and one `metric` are required, each page covers `limit` companies and includes every change of each, and `next` (in other formats the header X-Next-Cursor) continues.\n\nThe demo key and free keys see the most recent reported fiscal year of each company, without `as_of`, except for the flagship companies by `ticker`. With an evaluation key, every company on a page counts as seen, and a page covers 100 companies if `limit` is not sent. If the key may not see as many further companies as `limit`, the answer covers only the companies that it has already seen, and says so (`seen_only`).',
  access: 'key',
  query: RestatementsQuery,
  example: { metric: 'revenue', market: 'US' },
  answer: {
    schema: RestatementList,
    description: 'One row per change, in a stable order.',
    headers: ['X-Next-Cursor'],
    examples: {
      revenue: {
        summary: 'Changes in revenue filed in the first half of 2010',
        value: answers.restatements,
      },
    },
    rows: { csv: answers.restatements_csv, ndjson: answers.restatements_ndjson },
  },
  errors: [...marketPageErrors, 'entity_unknown'],
  data: true,
})
