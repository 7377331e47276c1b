import { Elysia } from 'elysia'
import { pathReader } from '../../../http/parameters.ts'
import type { HttpPlugin } from '../../../http/plugin.ts'
import { CompanyParams } from '../../companyProfile/schema.ts'
import { filledFields, uncachedPage } from '../answer.ts'
import { companyPricesPage } from './page.ts'
import { readCompanyPricesQuery } from './query.ts'
import type { CompanyPricesDeps } from './read.ts'

const readId = pathReader('id', CompanyParams.properties.id)

/**
 * /companies/{id}/prices: the prices of a company in a set that the visitor may see. The page is not cached: a right may belong
 * to one key, and it ends at once.
 */
export function companyPricesRoutes(http: HttpPlugin, deps: CompanyPricesDeps) {
  return new Elysia({ name: 'companyPrices' }).use(http).get(
    '/companies/:id/prices',
    async ({ context }) => {
      const id = readId(context.path.split('/')[2] ?? '')
      const query = readCompanyPricesQuery(filledFields(context.queryText))
      const { rights, subject } = context.authenticatedCaller
      return uncachedPage(context, await companyPricesPage(deps, { rights, subject }, id, query))
    },
    { access: 'page', detail: { hide: true } },
  )
}
