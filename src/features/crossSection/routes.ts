import { Elysia } from 'elysia'
import { type OutputFormat, readOutputFormat } from '../../formats/columns.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { familyReader } from '../../http/parameters.ts'
import { answerPinned } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import { withAllowance } from '../../rights/entityCap.ts'
import { answerMarketPage, type MarketPageDeps, marketPageErrors } from '../marketPages/answer.ts'
import { companyValuer, type MarketValuationDeps } from '../valuations/valueMarket.ts'
import { type CrossSectionPlan, planCrossSection, readCrossSection } from './crossSection.ts'
import {
  CrossSectionAnswer,
  CrossSectionQuery,
  crossSectionSheetOf,
  crossSectionTableSheet,
  filterParameters,
} from './schema.ts'
import { readCrossSectionTable } from './table.ts'
import { namesValuations, pricesOfRequest } from './valued.ts'

interface CrossSectionRouteDeps extends MarketPageDeps, MarketValuationDeps {}

const readQuery = familyReader(CrossSectionQuery, filterParameters)

/** GET /api/v1/cross-section: metrics of every company of a market, as known on a day. */
export function crossSectionRoutes(http: HttpPlugin, deps: CrossSectionRouteDeps) {
  return new Elysia({ name: 'crossSection' }).use(http).get(
    '/api/v1/cross-section',
    ({ context }) => {
      const { query: sent, members } = readQuery(context.queryText)
      const query = withAcceptedFormat(context, sent)
      const { rights } = context.authenticatedCaller
      const isValued = namesValuations(rights, query, members)
      return withAllowance(deps.sql, rights, allowance => {
        const viewer = { rights, allowance }
        const output = readOutputFormat(query)
        if (isValued)
          return answerPinned(deps, context, query.data_version, async deps => {
            const set = await pricesOfRequest(deps.sql, rights, query, members)
            return answerPlan(deps, context, output, planCrossSection(deps, viewer, query, members, set))
          })
        const plan = planCrossSection(deps, viewer, query, members)
        return answerPinned(deps, context, query.data_version, deps =>
          answerPlan(deps, context, output, plan),
        )
      })
    },
    { ...crossSectionOperation },
  )
}

function answerPlan(
  deps: CrossSectionRouteDeps,
  context: RequestContext,
  output: OutputFormat,
  plan: CrossSectionPlan,
): Answer | Promise<Answer> {
  const { rights } = context.authenticatedCaller
  const { market, cacheKey, metrics, grouping, valued } = plan
  const reader = { ...deps, valueCompanies: companyValuer(deps, computeCaller(rights, context.address)) }
  const page = { output, market, cacheKey, fileName: ['cross-section', market, metrics, plan.asOf] }
  if (metrics.length > 1) {
    return answerMarketPage(deps, context, {
      ...page,
      columns: crossSectionTableSheet(metrics, plan.asOf, grouping !== null, valued !== null),
      read: () => readCrossSectionTable(reader, rights, plan),
    })
  }
  return answerMarketPage(deps, context, {
    ...page,
    columns: crossSectionSheetOf(plan.asOf, grouping !== null),
    read: () => readCrossSection(reader, rights, plan),
  })
}

const crossSectionOperation = operation({
  id: 'getCrossSection',
  tag: 'Fundamentals',
  summary: 'Metrics of every company of a market, as known on a given day',
  description:
    'One row per company: its latest figure of the metric that was filed on or before `as_of`, in the vintage that was current on that day. `fp` chooses which period counts as latest, or trailing twelve months; `max_age_days` excludes companies that stopped reporting long ago. Companies are in the order in which they were first imported, so pages never shift, or in the order of `sort`, which sorts the whole market. `next` (in other formats the header X-Next-Cursor) continues after `limit` companies. A figure filed on `as_of` itself is included: to trade at the open of a day, send the previous day.\n\nSeveral metrics (`metric=roe,revenue`, up to 20) make a table: one row per company and one column per metric, with the values of a request for that metric alone. `older` names the figures of an earlier period than the row. `min_<metric>` and `max_<metric>` keep only companies whose figure is within the bound, and may use metrics without a column.\n\nAmounts in different currencies are never compared: amounts that are sorted or have a bound are in one `currency`, by default the market’s own. `other_currencies` counts the companies that are left out.\n\nValuations such as `price_to_earnings` and `market_cap` may be columns, bounds and the order, too, with the prices that the operator imported (`prices`): they are those of a join that includes the day. `price_day` is the day of their close.\n\n`group=ff49` adds the industry of each company as its filings up to `as_of` stated it, and `universe=reporting` keeps only companies that were reporting on that day.\n\nThe demo key and free keys see the most recent reported fiscal year of each company, without `as_of`. With an evaluation key, every company on a page counts as seen, and a page has 100 companies if `limit` is not sent. If the key may not see as many further companies as `limit`, the answer covers only the companies that it has already seen, and says so (`seen_only`).',
  access: 'key',
  query: CrossSectionQuery,
  family: {
    name: 'filters',
    description:
      'Bounds of figures: `min_<metric>` and `max_<metric>`, like `min_roe=0.1&max_debt_to_equity=2`, in the units of the metrics. A company without the figure is left out.',
    example: { min_roe: 0.1 },
  },
  example: { metric: 'roe', market: 'US' },
  answer: {
    schema: CrossSectionAnswer,
    description: 'One row per company, always in the same order.',
    headers: ['X-Next-Cursor'],
    examples: {
      roe: { summary: 'Return on equity as known on 2020-12-31', value: answers.cross_section },
      table: {
        summary: 'Several metrics, of companies with revenue of at least 150 billion, as known on 2010-03-31',
        value: answers.cross_section_table,
      },
    },
    rows: { csv: answers.cross_section_csv, ndjson: answers.cross_section_ndjson },
  },
  errors: marketPageErrors,
  data: true,
})
