import { Elysia } from 'elysia'
import { cacheable, contentTypes, respondFromCache } from '../../../http/answers.ts'
import { compressions } from '../../../http/compression.ts'
import type { HttpPlugin } from '../../../http/plugin.ts'
import { answerPage, filledFields } from '../answer.ts'
import { type PageDeps, viewerKey } from '../deps.ts'
import { universeDownload } from './download.ts'
import { universePage } from './page.ts'
import { readUniverseFileQuery } from './query.ts'

/** /universe: the companies of a market on a day, and the same as a file. */
export function universePageRoutes(http: HttpPlugin, deps: PageDeps) {
  return new Elysia({ name: 'universePage' })
    .use(http)
    .get(
      '/universe',
      async ({ context }) => {
        const text = filledFields(context.queryText)
        const { rights } = context.authenticatedCaller
        return answerPage(deps, context, `universe ${text}`, () => universePage(deps, rights, text))
      },
      { access: 'page', detail: { hide: true } },
    )
    .get(
      '/universe/download',
      async ({ context }) => {
        const { market = 'US', ...query } = readUniverseFileQuery(context.queryText)
        const { rights } = context.authenticatedCaller
        const key = `universe file ${viewerKey(rights)} ${deps.today()} ${JSON.stringify({ market, ...query })}`
        const make = () => universeDownload(deps, rights, { market, ...query })
        const response = cacheable(key, contentTypes.csv, make, compressions.marketRows, true)
        return respondFromCache(deps.responses, context, deps.dataVersion(), response)
      },
      { access: 'download', detail: { hide: true } },
    )
}
