import { Elysia } from 'elysia'
import { cacheable, jsonType, respondFromCache, type SharedDocument } from '../../http/answers.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { page } from '../../http/docs/routes.ts'
import { noQuery, queryReader } from '../../http/parameters.ts'
import { answerPinned, type Pinnable } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import { definitionOf } from '../../markets/metrics.ts'
import { readMarket } from '../../markets/parameters.ts'
import { valuationMetrics } from '../../markets/valuations.ts'
import type { SqlClient } from '../../postgres/client.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { withLicenceNotice } from '../../rights/licences.ts'
import type { CompanyDeps, PinnedStore } from '../companies/deps.ts'
import { metricCatalogue, type TagGroups } from './catalogue.ts'
import { metricsPage } from './page.ts'
import { type Presence, presenceIn } from './queries.ts'
import { MetricList, MetricsQuery } from './schema.ts'

export interface MetricsDeps extends Pick<CompanyDeps, 'sql' | 'markets' | 'today'>, Pinnable<PinnedStore> {
  readonly tagGroups: TagGroups
  readonly responses: ResponseCache
  readonly readLimiter: ReadLimiter
  readonly dataVersion: () => number
  readonly elapsedMs: () => number
}

const readQuery = queryReader(MetricsQuery)

/** The page needs no key, so its reads must not grow with its readers. */
const pageAgeMs = 600_000

/** GET /api/v1/metrics: the catalogue of metrics. GET /docs/metrics: the same as a page. */
export function metricsRoutes(http: HttpPlugin, deps: MetricsDeps) {
  const pages = agingPage(deps)
  return new Elysia({ name: 'metrics' })
    .use(http)
    .get(
      '/api/v1/metrics',
      ({ context }) => {
        const query = readQuery(context.queryText)
        const market = query.market === undefined ? null : readMarket(deps.markets, query.market)
        const { rights, subject } = context.authenticatedCaller
        const { data_version: version } = query
        rights.requireVersion(version, 'all companies of a market', null)
        const key = `metrics ${rights.licence} ${deps.today()} ${market}`
        return answerPinned(deps, context, version, deps => {
          const response = cacheable(key, jsonType, async () => {
            const list = await deps.readLimiter.run(subject, () => readCatalogue(deps, market))
            return JSON.stringify(withLicenceNotice(rights, list))
          })
          return respondFromCache(deps.responses, context, deps.dataVersion(), response)
        })
      },
      { ...metricsOperation },
    )
    .get(
      '/docs/metrics',
      ({ context }) => {
        noQuery(context)
        return pages().answer(context)
      },
      { access: 'open', detail: { hide: true } },
    )
}

async function readCatalogue(deps: MetricsDeps, market: string | null): Promise<MetricList> {
  const { markets, tagGroups } = deps
  const codes = market === null ? markets.codes : [market]
  const { presence, dataVersion } = await withSnapshot(deps.sql, sql => readPresence(deps, sql, codes))
  const data = metricCatalogue(markets, tagGroups, presence, codes)
  const valuations = valuationMetrics.map(definitionOf)
  return { object: 'metric_list', data_version: dataVersion, count: data.length, data, valuations }
}

async function readPresence({ today }: MetricsDeps, sql: SqlClient, codes: readonly string[]) {
  const presence = new Map<string, Presence>()
  let dataVersion = 0
  for (const code of codes) {
    const found = await presenceIn(sql, code, today())
    presence.set(code, found)
    dataVersion = found.dataVersion
  }
  return { presence, dataVersion }
}

/**
 * Caches the page for ten minutes. If the database does not respond, the page omits the shares and the next
 * request tries again.
 */
function agingPage(deps: MetricsDeps): () => SharedDocument {
  let made: { readonly document: SharedDocument; readonly at: number } | null = null
  const fresh = () =>
    page(async () => {
      const { markets, tagGroups } = deps
      const list = await readCatalogue(deps, null).catch(() => null)
      if (list !== null) return metricsPage(list.data, true)
      made = null
      return metricsPage(metricCatalogue(markets, tagGroups, new Map(), markets.codes), false)
    })
  return () => {
    const now = deps.elapsedMs()
    if (made === null || now - made.at > pageAgeMs) made = { document: fresh(), at: now }
    return made.document
  }
}

const metricsOperation = operation({
  id: 'getMetrics',
  tag: 'Fundamentals',
  summary: 'The catalogue of metrics',
  description:
    'Every metric with its definition, unit and sign; by market the tags under which the register states it, in order of preference, and how often it is present. The page /docs/metrics shows the same.',
  access: 'key',
  query: MetricsQuery,
  example: { market: 'NZ' },
  answer: {
    schema: MetricList,
    description: 'The metrics.',
    examples: { nz: { summary: 'Metrics of New Zealand (shortened)', value: answers.metrics } },
  },
  errors: ['licence_required', 'compute_busy', 'statement_timeout'],
  data: true,
})
