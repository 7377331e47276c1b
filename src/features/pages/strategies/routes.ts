import { Elysia } from 'elysia'
import { Failure } from '../../../errors.ts'
import { cacheable, contentTypes, respondFromCache } from '../../../http/answers.ts'
import { compressions } from '../../../http/compression.ts'
import { computeCaller } from '../../../http/computeCaller.ts'
import { noQuery, pathReader } from '../../../http/parameters.ts'
import type { HttpPlugin } from '../../../http/plugin.ts'
import type { Strategy } from '../../../markets/strategies/strategies.ts'
import type { Rights } from '../../../rights/rights.ts'
import { pricesOfStrategy } from '../../strategies/priced.ts'
import { StrategyPath } from '../../strategies/schema.ts'
import { strategyOf } from '../../strategies/values.ts'
import { companyValuer, type MarketValuationDeps } from '../../valuations/valueMarket.ts'
import { answerList, answerPage, filledFields, uncachedPage } from '../answer.ts'
import { coverageDownload, strategiesDownload } from './download.ts'
import { strategiesPage, UnfinishedPage } from './listPage.ts'
import { strategyPage } from './page.ts'
import { strategyFieldsOf } from './query.ts'
import type { SeenPrices, StrategyPageDeps } from './read.ts'

const prefix = '/strategies/'
const readName = pathReader('name', StrategyPath.properties.name)

interface StrategyRouteDeps extends StrategyPageDeps, MarketValuationDeps {}

/** The pages of the published strategies, and their coverage as files. */
export function strategyPageRoutes(http: HttpPlugin, deps: StrategyRouteDeps) {
  return new Elysia({ name: 'strategyPages' })
    .use(http)
    .get(
      '/strategies',
      async ({ context }) => {
        noQuery(context)
        try {
          return await answerPage(deps, context, 'strategies', () => strategiesPage(deps))
        } catch (error) {
          if (error instanceof UnfinishedPage) return uncachedPage(context, error.page)
          throw error
        }
      },
      { access: 'page', detail: { hide: true } },
    )
    .get(
      '/strategies/download',
      async ({ context }) => {
        noQuery(context)
        const make = () => strategiesDownload(deps)
        const response = cacheable('strategies file', contentTypes.csv, make, compressions.marketRows, true)
        return respondFromCache(deps.responses, context, deps.dataVersion(), response)
      },
      { access: 'download', detail: { hide: true } },
    )
    .get(
      '/strategies/:name',
      async ({ context }) => {
        const name = readName(context.path.slice(prefix.length).replace(/\/$/, ''))
        const text = filledFields(context.queryText)
        const { rights } = context.authenticatedCaller
        const prices = await seenPrices(deps, rights, strategyOf(name), text)
        const ofPrices = prices.set === null ? (prices.why ?? '') : `prices ${prices.set.priceSetId}`
        const reader = {
          ...deps,
          valueCompanies: companyValuer(deps, computeCaller(rights, context.address)),
        }
        return answerList(deps, context, `strategy ${name} ${text} ${ofPrices}`, viewer =>
          strategyPage(reader, viewer, name, text, prices),
        )
      },
      { access: 'page', detail: { hide: true } },
    )
    .get(
      '/strategies/:name/download',
      async ({ context }) => {
        noQuery(context)
        const strategy = strategyOf(readName(context.path.slice(prefix.length).split('/')[0]))
        const make = () => coverageDownload(deps, strategy)
        const key = `strategy file ${strategy.name}`
        const response = cacheable(key, contentTypes.csv, make, compressions.marketRows, true)
        return respondFromCache(deps.responses, context, deps.dataVersion(), response)
      },
      { access: 'download', detail: { hide: true } },
    )
}

/** The set that a visitor sees, by the rights of this request, so that no cached page shows it to others. */
async function seenPrices(
  { sql }: Pick<StrategyPageDeps, 'sql'>,
  rights: Rights,
  strategy: Strategy,
  queryText: string,
): Promise<SeenPrices> {
  if (!strategy.takesPrices) return { set: null, why: null }
  try {
    const sent = strategyFieldsOf(queryText).prices
    return { set: await pricesOfStrategy(sql, rights, strategy, sent === '' ? undefined : sent), why: null }
  } catch (error) {
    if (error instanceof Failure && error.details.param === 'prices') return { set: null, why: error.message }
    throw error
  }
}
