import { Elysia } from 'elysia'
import { readOutputFormat } from '../../formats/columns.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { queryReader } from '../../http/parameters.ts'
import { answerPinned } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { withCompanyPin } from '../companies/withCompanyPin.ts'
import { answerMarketPage, type MarketPageDeps } from '../marketPages/answer.ts'
import { planFilings, readFilings } from './filings.ts'
import { FilingList, FilingsQuery, filingsSheetOf } from './schema.ts'

export interface FilingsDeps extends MarketPageDeps, Pick<CompanyDeps, 'lookups' | 'directory'> {}

const readQuery = queryReader(FilingsQuery)

/** GET /api/v1/filings: filings, latest first. This is metadata, so every key may read it. */
export function filingsRoutes(http: HttpPlugin, deps: FilingsDeps) {
  return new Elysia({ name: 'filings' }).use(http).get(
    '/api/v1/filings',
    ({ context }) => {
      const query = withAcceptedFormat(context, readQuery(context.queryText))
      const output = readOutputFormat(query)
      const { rights } = context.authenticatedCaller
      const { data_version: version, ticker } = query
      const answer = () =>
        answerPinned(deps, context, version, async deps => {
          const plan = await planFilings(deps, rights, query)
          return answerMarketPage(deps, context, {
            output,
            market: plan.market,
            cacheKey: plan.cacheKey,
            columns: filingsSheetOf(plan.asOf),
            fileName: ['filings', plan.ticker ?? plan.market, plan.asOf],
            read: () => readFilings(deps, plan),
          })
        })
      if (ticker !== undefined) return withCompanyPin(deps, rights, { version, id: ticker }, answer)
      rights.requireVersion(version, 'all companies of a market', null)
      return answer()
    },
    { ...filingsOperation },
  )
}

const filingsOperation = operation({
  id: 'getFilings',
  tag: 'Fundamentals',
  summary: 'What was filed, and when',
  description:
    'The filings on record of a market or of a company, the latest day first: kind, number, the hour at which the register accepted it, how many figures it states, and its address at the register. `as_of` bounds the day, as everywhere. `next` (in other formats the header X-Next-Cursor) continues. A page examines 20,000 filings at most, so with a rare `form` it may be empty although `next` continues.',
  access: 'key',
  query: FilingsQuery,
  example: { market: 'US', ticker: 'AAPL', form: '10-K,10-K/A' },
  answer: {
    schema: FilingList,
    description: 'One row per filing, in a stable order.',
    headers: ['X-Next-Cursor'],
    examples: {
      apple: { summary: 'Annual reports of Apple, as known on 2010-02-01', value: answers.filings },
    },
    rows: { csv: answers.filings_csv, ndjson: answers.filings_ndjson },
  },
  errors: ['entity_unknown', 'licence_required', 'compute_busy', 'statement_timeout'],
  data: true,
})
