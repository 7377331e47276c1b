import { Elysia } from 'elysia'
import { readOutputFormat } from '../../formats/columns.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { queryReader } from '../../http/parameters.ts'
import { answerPinned } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import { answerMarketPage, type MarketPageDeps } from '../marketPages/answer.ts'
import { Universe, UniverseQuery, universeSheet } from './schema.ts'
import { planUniverse, readUniverse } from './universe.ts'

const readQuery = queryReader(UniverseQuery)

/** GET /api/v1/universe: the companies of a day and their states. This is metadata, so every key may read it. */
export function universeRoutes(http: HttpPlugin, deps: MarketPageDeps) {
  return new Elysia({ name: 'universe' }).use(http).get(
    '/api/v1/universe',
    ({ context }) => {
      const query = withAcceptedFormat(context, readQuery(context.queryText))
      const output = readOutputFormat(query)
      const { rights } = context.authenticatedCaller
      rights.requireVersion(query.data_version, 'all companies of a market', null)
      return answerPinned(deps, context, query.data_version, deps => {
        const plan = planUniverse(deps, rights, query)
        return answerMarketPage(deps, context, {
          output,
          market: plan.market,
          cacheKey: plan.cacheKey,
          columns: universeSheet,
          fileName: ['universe', plan.market, plan.asOf],
          read: () => readUniverse(deps, plan),
        })
      })
    },
    { ...universeOperation },
  )
}

const universeOperation = operation({
  id: 'getUniverse',
  tag: 'Fundamentals',
  summary: 'The companies of a day and their states',
  description:
    'Every company with a periodic report by `as_of`, including those that have since disappeared: its name and industry at the time, its first and last filing by then, and its state with the filing or the rule that it follows from. Only filings up to the day are used, so a list for a past day is free of survivorship bias. A Form 25 removes a class of securities, not a company: it counts only if its own text is stored and names the shares. `ceased` is an inference, made only if the register’s index of every month without a report is stored; otherwise the state is `unknown`. A report of several registrants counts for each of them. Outside the United States no indexes are stored, so a company is `reporting` or `unknown`. `next` (in other formats the header X-Next-Cursor) continues.',
  access: 'key',
  query: UniverseQuery,
  example: { market: 'US', as_of: '2010-03-31', state: 'reporting' },
  answer: {
    schema: Universe,
    description: "One row per company, by the register's number.",
    headers: ['X-Next-Cursor'],
    examples: { us: { summary: 'The first companies reporting on 2010-03-31', value: answers.universe } },
    rows: { csv: answers.universe_csv, ndjson: answers.universe_ndjson },
  },
  errors: ['licence_required', 'compute_busy', 'statement_timeout'],
  data: true,
})
