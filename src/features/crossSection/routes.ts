import { Elysia } from 'elysia'
import { readForm } from '../../formats/columns.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { answerMarketPage, type MarketPageDeps, marketPageErrors } from '../marketPages/answer.ts'
import { planCrossSection, readCrossSection } from './crossSection.ts'
import { CrossSection, CrossSectionQuery, crossSectionSheet } from './schema.ts'

const readQuery = queryReader(CrossSectionQuery)

/** GET /api/v1/cross-section: one metric of every company of a market, as known on a day. */
export function crossSectionRoutes(http: HttpPlugin, deps: MarketPageDeps) {
  return new Elysia({ name: 'crossSection' }).use(http).get(
    '/api/v1/cross-section',
    ({ context }) => {
      const query = readQuery(context.queryText)
      const { principal } = context.authenticatedCaller
      const plan = planCrossSection(deps, principal, query)
      return answerMarketPage(deps, context, {
        form: readForm(query),
        market: plan.market,
        cacheKey: plan.cacheKey,
        columns: crossSectionSheet,
        read: () => readCrossSection(deps, principal, plan),
      })
    },
    { ...crossSectionOperation },
  )
}

const crossSectionOperation = operation({
  id: 'getCrossSection',
  tag: 'Fundamentals',
  summary: 'One metric of every company of a market, as known on a given day',
  description:
    'One row per company: its latest figure of the metric that was filed on or before `as_of`, in the vintage that was current on that day. `fp` chooses which period counts as latest; `max_age_days` excludes companies that stopped reporting long ago. Companies are in the order in which they were first imported, so pages never shift. `next` (in other formats the header X-Next-Cursor) continues after `limit` companies. A figure filed on `as_of` itself is included: to trade at the open of a day, send the previous day.\n\nThe demo key and free keys see the most recent reported fiscal year of each company, without `as_of`. With an evaluation key, every company on a page counts as seen.',
  access: 'key',
  query: CrossSectionQuery,
  example: { metric: 'roe', market: 'US' },
  answer: {
    schema: CrossSection,
    description: 'One row per company, always in the same order.',
    headers: ['X-Next-Cursor'],
    examples: {
      roe: { summary: 'Return on equity as known on 2020-12-31', value: answers.cross_section },
    },
    rows: { csv: answers.cross_section_csv, ndjson: answers.cross_section_ndjson },
  },
  errors: marketPageErrors,
  data: true,
})
