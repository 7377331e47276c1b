import { Elysia } from 'elysia'
import { cacheable, contentTypes, respondFromCache } from '../../../http/answers.ts'
import { compressions } from '../../../http/compression.ts'
import { noQuery, pathReader } from '../../../http/parameters.ts'
import type { HttpPlugin } from '../../../http/plugin.ts'
import { StrategyPath } from '../../strategies/schema.ts'
import { strategyOf } from '../../strategies/values.ts'
import { answerList, answerPage, filledFields } from '../answer.ts'
import { coverageDownload, strategiesDownload } from './download.ts'
import { strategiesPage } from './listPage.ts'
import { strategyPage } from './page.ts'
import type { StrategyPageDeps } from './read.ts'

const prefix = '/strategies/'
const readName = pathReader('name', StrategyPath.properties.name)

/** The pages of the published strategies, and their coverage as files. */
export function strategyPageRoutes(http: HttpPlugin, deps: StrategyPageDeps) {
  return new Elysia({ name: 'strategyPages' })
    .use(http)
    .get(
      '/strategies',
      async ({ context }) => {
        noQuery(context)
        return answerPage(deps, context, 'strategies', () => strategiesPage(deps))
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
        return answerList(deps, context, `strategy ${name} ${text}`, viewer =>
          strategyPage(deps, viewer, name, text),
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
