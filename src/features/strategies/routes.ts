import { Elysia } from 'elysia'
import { readOutputFormat } from '../../formats/columns.ts'
import { cacheable, jsonType, respondFromCache } from '../../http/answers.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { noQuery, pathReader, queryReader } from '../../http/parameters.ts'
import { answerPinned } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import { withAllowance } from '../../rights/entityCap.ts'
import type { EventStore } from '../asOfJoins/eventStore.ts'
import { answerMarketPage, type MarketPageDeps, marketPageErrors } from '../marketPages/answer.ts'
import { companyValuer, type MarketValuationDeps } from '../valuations/valueMarket.ts'
import { readCoverage } from './coverage.ts'
import { listStrategies, summaryOf } from './list.ts'
import { pricesOfStrategy } from './priced.ts'
import {
  StrategyDetail,
  StrategyList,
  StrategyPath,
  StrategyQuery,
  StrategyValues,
  StrategyValuesQuery,
  strategySheet,
} from './schema.ts'
import { numbersOf, planValues, readValues, requireAllYears, strategyOf, type ValuesPlan } from './values.ts'

export interface StrategyDeps extends MarketPageDeps, MarketValuationDeps {
  readonly events: EventStore
}

const prefix = '/api/v1/strategies/'
const readName = pathReader('name', StrategyPath.properties.name)
const readQuery = queryReader(StrategyQuery)
const readValuesQuery = queryReader(StrategyValuesQuery)

/** GET /api/v1/strategies: published signals, their definitions, coverage and values. */
export function strategyRoutes(http: HttpPlugin, deps: StrategyDeps) {
  return new Elysia({ name: 'strategies' })
    .use(http)
    .get(
      '/api/v1/strategies',
      ({ context }) => {
        noQuery(context)
        const response = cacheable('strategies', jsonType, async () =>
          JSON.stringify(listStrategies(deps.markets)),
        )
        return respondFromCache(deps.responses, context, deps.dataVersion(), response)
      },
      { ...listOperation },
    )
    .get(
      '/api/v1/strategies/:name',
      ({ context }) => {
        const { data_version: version } = readQuery(context.queryText)
        const name = readName(context.path.slice(prefix.length).split('/')[0])
        const strategy = strategyOf(name)
        const { rights, subject } = context.authenticatedCaller
        rights.requireVersion(version, 'all companies of a market', null)
        return answerPinned(deps, context, version, deps => {
          const response = cacheable(`strategy ${name}`, jsonType, async () => {
            const { dataVersion, coverage } = await deps.readLimiter.run(subject, () =>
              readCoverage(deps, strategy),
            )
            return JSON.stringify({
              object: 'strategy',
              data_version: dataVersion,
              ...summaryOf(deps.markets, strategy),
              coverage,
            })
          })
          return respondFromCache(deps.responses, context, deps.dataVersion(), response)
        })
      },
      { ...strategyOperation },
    )
    .get(
      '/api/v1/strategies/:name/values',
      ({ context }) => {
        const query = withAcceptedFormat(context, readValuesQuery(context.queryText))
        const name = readName(context.path.slice(prefix.length).split('/')[0])
        const strategy = strategyOf(name)
        const { rights } = context.authenticatedCaller
        requireAllYears(rights, strategy)
        return withAllowance(deps.sql, rights, allowance => {
          const viewer = { rights, allowance }
          if (strategy.takesPrices || query.prices !== undefined)
            return answerPinned(deps, context, query.data_version, async deps => {
              const set = await pricesOfStrategy(deps.sql, rights, strategy, query.prices)
              return answerValues(deps, context, query, planValues(deps, viewer, strategy, query, set))
            })
          const plan = planValues(deps, viewer, strategy, query, null)
          return answerPinned(deps, context, query.data_version, deps =>
            answerValues(deps, context, query, plan),
          )
        })
      },
      { ...valuesOperation },
    )
}

function answerValues(
  deps: StrategyDeps,
  context: RequestContext,
  query: StrategyValuesQuery,
  plan: ValuesPlan,
): Answer | Promise<Answer> {
  const { rights } = context.authenticatedCaller
  const { strategy, market, cacheKey, asOf } = plan
  const reader = { ...deps, valueCompanies: companyValuer(deps, computeCaller(rights, context.address)) }
  return answerMarketPage(deps, context, {
    output: readOutputFormat(query),
    market,
    cacheKey,
    columns: strategySheet(numbersOf(strategy)),
    fileName: [strategy.name, market, asOf],
    read: () => readValues(reader, rights, plan),
  })
}

const listOperation = operation({
  id: 'listStrategies',
  tag: 'Strategies',
  summary: 'Published signals from fundamentals, with their definitions',
  description:
    'Signals of papers, each with its formula line by line, its sign, and the sample and t value that were published. Their names are metrics of as-of joins (`metrics`) and scores of backtests (`source.score`, `score.asOf`): on each day the score follows from the filings up to that day.',
  access: 'key',
  answer: {
    schema: StrategyList,
    description: 'All strategies.',
    examples: { list: { summary: 'All strategies', value: answers.strategies } },
  },
  errors: [],
  data: true,
})

const strategyOperation = operation({
  id: 'getStrategy',
  tag: 'Strategies',
  summary: 'A published signal: definition, coverage, and what fixed lags would hide',
  description:
    'The definition, the number of companies with a value by market and year, and for lags of four and six months from the end of the period the share of values that would have been hidden although they were public, and the share that would have been seen before they were filed.',
  access: 'key',
  path: StrategyPath,
  query: StrategyQuery,
  example: { name: 'accruals' },
  answer: {
    schema: StrategyDetail,
    description: 'The strategy.',
    examples: { accruals: { summary: 'Accruals', value: answers.strategy } },
  },
  errors: ['entity_unknown', 'licence_required', 'compute_busy', 'statement_timeout'],
  data: true,
})

const valuesOperation = operation({
  id: 'getStrategyValues',
  tag: 'Strategies',
  summary: 'The values of a published signal, as known on a given day',
  description:
    'One row per company: the value and the score on `as_of`, every line and every input, and the filing of each input. Only filings up to the day count, in the vintages that were current on that day. To trade at the open of a day, send the previous day. A strategy with `takes_prices` takes them from a set that the operator imported (`prices`), and its values are those of a join that includes the day. Requires a licence that includes `as_of`; with an evaluation key, every company on a page counts as seen.',
  access: 'key',
  path: StrategyPath,
  query: StrategyValuesQuery,
  example: { name: 'accruals', market: 'US', as_of: '2019-12-31' },
  answer: {
    schema: StrategyValues,
    description: 'One row per company, always in the same order.',
    headers: ['X-Next-Cursor'],
    examples: { accruals: { summary: 'Accruals as known on 2019-12-31', value: answers.strategy_values } },
    rows: { csv: answers.strategy_values_csv, ndjson: answers.strategy_values_ndjson },
  },
  errors: ['entity_unknown', ...marketPageErrors],
  data: true,
})
