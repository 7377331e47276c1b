import { Elysia } from 'elysia'
import { noQuery, pathReader } from '../../../http/parameters.ts'
import type { HttpPlugin } from '../../../http/plugin.ts'
import type { Sql } from '../../../postgres/client.ts'
import { PriceSetParams } from '../../prices/schema.ts'
import { requirePriceSet, visibleSets } from '../../prices/sets.ts'
import { uncachedPage } from '../answer.ts'
import type { PageDeps } from '../deps.ts'
import { priceSetPage, priceSetsPage } from './page.ts'

interface PricePageDeps extends PageDeps {
  /** The primary database, where a change of rights is seen first. */
  readonly primary: { readonly sql: Sql }
}

const readSet = pathReader('set', PriceSetParams.properties.set)
const page = { access: 'page', detail: { hide: true } } as const

/**
 * /prices: the price sets that a visitor may see. These pages are not cached: a right may belong to one key, and it ends at
 * once.
 */
export function pricePageRoutes(http: HttpPlugin, deps: PricePageDeps) {
  return new Elysia({ name: 'pricePages' })
    .use(http)
    .get(
      '/prices',
      async ({ context }) => {
        noQuery(context)
        const { rights } = context.authenticatedCaller
        const sets = await visibleSets(deps.primary.sql, rights)
        return uncachedPage(context, await priceSetsPage(deps, rights, sets))
      },
      { ...page },
    )
    .get(
      '/prices/:set',
      async ({ context }) => {
        noQuery(context)
        const { rights } = context.authenticatedCaller
        const name = readSet(context.path.slice('/prices/'.length).replace(/\/$/, ''))
        const set = await requirePriceSet(deps.primary.sql, rights, name)
        return uncachedPage(context, await priceSetPage(deps, rights, set))
      },
      { ...page },
    )
}
