import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { IsoDateSchema } from '../../dates.ts'
import { redirectAnswer } from '../../http/answers.ts'
import type { RequestContext } from '../../http/context.ts'
import { routeUnknown } from '../../http/notFound.ts'
import { noQuery, pathReader, queryReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { MarketCode } from '../../markets/parameters.ts'
import { CompanyParams } from '../companyProfile/schema.ts'
import { answerPage, filledFields } from './answer.ts'
import { cataloguePage } from './catalogue.ts'
import { companyPage } from './company/page.ts'
import { readCompanyPageQuery } from './company/query.ts'
import type { CompanyPageDeps } from './company/read.ts'
import { homePage } from './home.ts'
import { marketPage, marketsPage } from './markets.ts'
import { samplePage } from './sample.ts'
import { exactMatch, searchPage } from './searchPage.ts'
import { startPage } from './start.ts'

const strict = { additionalProperties: false } as const
const readHome = queryReader(
  Type.Object({ on: Type.Optional(IsoDateSchema('A day of the picture.', '2010-01-25')) }, strict),
)
const readSearch = queryReader(
  Type.Object({ q: Type.Optional(Type.String({ maxLength: 1_000, allowed: 'a name or a symbol' })) }, strict),
)
const readCatalogue = queryReader(
  Type.Object({ market: Type.Optional(MarketCode('Only metrics of this market.')) }, strict),
)
const readId = pathReader('id', CompanyParams.properties.id)
const readCode = pathReader('code', MarketCode('Market code.'))

const page = { access: 'page', detail: { hide: true } } as const

/** The last part of the path. */
export const lastPart = ({ path }: RequestContext, prefix: string): string =>
  path.slice(prefix.length).replace(/\/$/, '')

/** The pages of the site. They call the API's own functions as the visitor, and need no key. */
export function pageRoutes(http: HttpPlugin, deps: CompanyPageDeps) {
  const rightsOf = (context: RequestContext) => context.authenticatedCaller.rights
  // `async` is required in handlers: Elysia awaits an answer only if the handler's source text looks
  // asynchronous.
  return new Elysia({ name: 'pages' })
    .use(http)
    .get(
      '/',
      async ({ context }) => {
        // The router also matches paths made only of slashes.
        if (context.path !== '/') throw routeUnknown(context)
        const { on } = readHome(filledFields(context.queryText))
        return answerPage(deps, context, `home ${on}`, () => homePage(deps, on))
      },
      { ...page },
    )
    .get(
      '/search',
      async ({ context }) => {
        const { q = '' } = readSearch(filledFields(context.queryText))
        const company = await exactMatch(deps, q)
        if (company !== null) return redirectAnswer(company)
        return answerPage(deps, context, `search ${q}`, () => searchPage(deps, q))
      },
      { ...page },
    )
    .get(
      '/companies/:id',
      async ({ context }) => {
        const id = readId(lastPart(context, '/companies/'))
        const query = readCompanyPageQuery(filledFields(context.queryText))
        const { rights, subject } = context.authenticatedCaller
        const seesPrices = await deps.priceSets.hasAny(rights)
        const key = `company ${id} ${JSON.stringify(query)}${seesPrices ? ' prices' : ''}`
        const visitor = { rights, subject, seesPrices }
        return answerPage(deps, context, key, () => companyPage(deps, visitor, id, query))
      },
      { ...page },
    )
    .get(
      '/markets',
      async ({ context }) => {
        noQuery(context)
        return answerPage(deps, context, 'markets', () => marketsPage(deps))
      },
      { ...page },
    )
    .get(
      '/markets/:code',
      async ({ context }) => {
        noQuery(context)
        const code = readCode(lastPart(context, '/markets/'))
        return answerPage(deps, context, `market ${code}`, () => marketPage(deps, rightsOf(context), code))
      },
      { ...page },
    )
    .get(
      '/catalogue',
      async ({ context }) => {
        const { market } = readCatalogue(filledFields(context.queryText))
        return answerPage(deps, context, `catalogue ${market}`, async () => cataloguePage(deps, market))
      },
      { ...page },
    )
    .get(
      '/start',
      async ({ context }) => {
        noQuery(context)
        return answerPage(deps, context, 'start', () => startPage(deps))
      },
      { ...page },
    )
    .get(
      '/sample',
      async ({ context }) => {
        noQuery(context)
        return answerPage(deps, context, 'sample', async () => samplePage(deps))
      },
      { ...page },
    )
}
