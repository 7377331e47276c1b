import { Elysia } from 'elysia'
import {
  cacheable,
  contentTypes,
  respondFromCache,
  SharedDocument,
  streamAnswer,
} from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import type { Answer } from '../../http/context.ts'
import { answerHeaders } from '../../http/headers.ts'
import { routeUnknown } from '../../http/notFound.ts'
import { noQuery, pathReader } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { CompanyParams } from '../companyProfile/schema.ts'
import { type PageDeps, viewerKey } from './deps.ts'
import { companyDownload, readDownloadQuery } from './downloads.ts'
import { lastPart } from './routes.ts'
import { type SampleFile, sampleBytes, sampleFiles } from './sample.ts'
import { companiesMap, pagesMap, robotsText, sitemapIndex } from './sitemap.ts'

const xml = 'application/xml; charset=utf-8'
const readId = pathReader('id', CompanyParams.properties.id)

const download = { access: 'download', detail: { hide: true } } as const
const page = { access: 'page', detail: { hide: true } } as const

/** Serves files: downloads of companies and of the sample, and the files for crawlers. */
export function fileRoutes(http: HttpPlugin, deps: PageDeps) {
  const samples = new Map<string, SharedDocument>(
    (Object.keys(sampleFiles) as SampleFile[]).map(name => [name, sampleDocument(deps, name)]),
  )
  return new Elysia({ name: 'files' })
    .use(http)
    .get(
      '/companies/:id/download',
      async ({ context }) => {
        const id = readId(lastPart(context, '/companies/').replace(/\/download$/, ''))
        const query = readDownloadQuery(context.queryText)
        const { format = 'csv' } = query
        const { rights } = context.authenticatedCaller
        const key = `download ${viewerKey(rights)} ${deps.today()} ${id} ${JSON.stringify(query)}`
        const make = () => companyDownload(deps, rights, id, query)
        const response = cacheable(key, contentTypes[format], make, compressions.companyRows, true)
        return respondFromCache(deps.responses, context, deps.dataVersion(), response)
      },
      { ...download },
    )
    .get(
      '/sample/:file',
      async ({ context }) => {
        noQuery(context)
        const name = lastPart(context, '/sample/')
        const document = samples.get(name)
        if (document === undefined) throw routeUnknown(context)
        return document.answer(context)
      },
      { ...download },
    )
    .get(
      '/robots.txt',
      async ({ context }) => {
        noQuery(context)
        return text(robotsText(deps.settings.baseUrl), 'text/plain; charset=utf-8')
      },
      { access: 'open', detail: { hide: true } },
    )
    .get(
      '/sitemap.xml',
      async ({ context }) => {
        noQuery(context)
        return text(await sitemapIndex(deps), xml)
      },
      { ...page },
    )
    .get(
      '/sitemaps/:file',
      async ({ context }) => {
        noQuery(context)
        const name = lastPart(context, '/sitemaps/')
        if (name === 'pages.xml') return text(pagesMap(deps), xml)
        const [, market = '', part = ''] = /^([A-Z]{2})-([1-9]\d{0,3})\.xml$/.exec(name) ?? []
        if (deps.markets.get(market) === undefined) throw routeUnknown(context)
        const { signal } = context.request
        const { subject } = context.authenticatedCaller
        const found = await deps.readLimiter.openStream(subject, signal, async () => {
          const opened = await companiesMap(deps, market, Number(part), signal)
          if (opened === null) throw routeUnknown(context)
          return opened
        })
        return streamAnswer(context, found.body, {
          'Content-Type': xml,
          'Cache-Control': 'public, max-age=3600',
          Vary: 'Accept-Encoding',
        })
      },
      { ...page },
    )
}

function sampleDocument(deps: PageDeps, name: SampleFile): SharedDocument {
  const type = name.endsWith('.gz') ? 'application/gzip' : 'text/csv; charset=utf-8; header=present'
  const headers = {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="asfiled-sample-${name}"`,
    'Cache-Control': 'public, max-age=3600',
  }
  return new SharedDocument(() => sampleBytes(deps, name), headers, !name.endsWith('.gz'))
}

const text = (body: string, type: string): Answer => ({
  status: 200,
  headers: answerHeaders({ 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' }),
  body,
})
