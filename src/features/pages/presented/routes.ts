import { Elysia } from 'elysia'
import { cacheable, contentTypes, respondFromCache } from '../../../http/answers.ts'
import { compressions } from '../../../http/compression.ts'
import type { RequestContext } from '../../../http/context.ts'
import { pathReader } from '../../../http/parameters.ts'
import type { HttpPlugin } from '../../../http/plugin.ts'
import { CompanyParams } from '../../companyProfile/schema.ts'
import { answerPage, filledFields } from '../answer.ts'
import { type CompanyVisitor, type Visitor, viewerKey } from '../deps.ts'
import { segmentsDownload, statementDownload } from './download.ts'
import { statementPage } from './page.ts'
import {
  readSegmentsDownloadQuery,
  readSegmentsPageQuery,
  readStatementDownloadQuery,
  readStatementPageQuery,
} from './query.ts'
import type { PresentedDeps } from './read.ts'
import { segmentsPage } from './segments.ts'
import { standardPage } from './standardPage.ts'

const readId = pathReader('id', CompanyParams.properties.id)
const page = { access: 'page', detail: { hide: true } } as const
const download = { access: 'download', detail: { hide: true } } as const

const visitorOf = ({ authenticatedCaller: { rights, subject } }: RequestContext): Visitor => ({
  rights,
  subject,
})

const companyVisitor = async (deps: PresentedDeps, context: RequestContext): Promise<CompanyVisitor> => {
  const visitor = visitorOf(context)
  return { ...visitor, seesPrices: await deps.priceSets.hasAny(visitor.rights) }
}

/** The ID in a path of a company: `/companies/AAPL/statements`. */
const idIn = ({ path }: RequestContext): string => readId(path.split('/')[2] ?? '')

/** Pages that show a company's filings in full: its statements as presented, and breakdowns of its figures. */
export function presentedRoutes(http: HttpPlugin, deps: PresentedDeps) {
  return new Elysia({ name: 'presented' })
    .use(http)
    .get(
      '/companies/:id/statements',
      async ({ context }) => {
        const id = idIn(context)
        const query = readStatementPageQuery(filledFields(context.queryText))
        const visitor = await companyVisitor(deps, context)
        const key = `statements ${id} ${JSON.stringify(query)}${visitor.seesPrices ? ' prices' : ''}`
        const page = query.view === 'standard' ? standardPage : statementPage
        return answerPage(deps, context, key, () => page(deps, visitor, id, query))
      },
      { ...page },
    )
    .get(
      '/companies/:id/segments',
      async ({ context }) => {
        const id = idIn(context)
        const query = readSegmentsPageQuery(filledFields(context.queryText))
        const visitor = await companyVisitor(deps, context)
        const key = `segments ${id} ${JSON.stringify(query)}${visitor.seesPrices ? ' prices' : ''}`
        return answerPage(deps, context, key, () => segmentsPage(deps, visitor, id, query))
      },
      { ...page },
    )
    .get(
      '/companies/:id/statements/download',
      async ({ context }) => {
        const id = idIn(context)
        const query = readStatementDownloadQuery(context.queryText)
        const visitor = visitorOf(context)
        const key = `statement file ${viewerKey(visitor.rights)} ${deps.today()} ${id} ${JSON.stringify(query)}`
        const make = () => statementDownload(deps, visitor, id, query)
        const type = contentTypes[query.format ?? 'csv']
        const response = cacheable(key, type, make, compressions.companyRows, true)
        return respondFromCache(deps.responses, context, deps.dataVersion(), response)
      },
      { ...download },
    )
    .get(
      '/companies/:id/segments/download',
      async ({ context }) => {
        const id = idIn(context)
        const query = readSegmentsDownloadQuery(context.queryText)
        const visitor = visitorOf(context)
        const key = `segments file ${viewerKey(visitor.rights)} ${deps.today()} ${id} ${JSON.stringify(query)}`
        const make = () => segmentsDownload(deps, visitor, id, query)
        const type = contentTypes[query.format ?? 'csv']
        const response = cacheable(key, type, make, compressions.companyRows, true)
        return respondFromCache(deps.responses, context, deps.dataVersion(), response)
      },
      { ...download },
    )
}
