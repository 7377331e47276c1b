import { Elysia } from 'elysia'
import { readOutputFormat } from '../../formats/columns.ts'
import { renderList } from '../../formats/rows.ts'
import {
  type CachedResponse,
  cacheable,
  contentTypes,
  dataHeaders,
  jsonType,
  notModified,
  respondFromCache,
  streamAnswer,
} from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { entityTag } from '../../http/etag.ts'
import { asFile } from '../../http/fileName.ts'
import { queryReader } from '../../http/parameters.ts'
import { answerPinned, type Pinnable } from '../../http/pinned.ts'
import { cachedToday, PlanCache } from '../../http/planCache.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { acceptedFormat, withAcceptedFormat } from '../../http/preferences.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import type { DataVersionWatch } from '../../postgres/dataVersion.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { withLicenceNotice } from '../../rights/licences.ts'
import type { EventStore } from '../asOfJoins/eventStore.ts'
import type { CompanyDeps, PinnedStore } from '../companies/deps.ts'
import { termsOf } from '../companies/licenceTerms.ts'
import { coverageIndex } from '../coverage/index.ts'
import type { Freshness } from '../syncs/freshness.ts'
import { fundamentalsOperation } from './documentation.ts'
import { type CompanyPlan, planCompanies, planCompany } from './plan.ts'
import { answerCompany } from './read.ts'
import { FundamentalsQuery } from './schema.ts'
import { sheetOf } from './sheet.ts'
import { streamCompanies } from './stream.ts'
import { tableOf } from './table.ts'
import { fundamentalsTableSheet } from './tableSchema.ts'
import { answerValued, asksForValuations, planValued } from './valued.ts'

export interface FundamentalsDeps extends CompanyDeps, Pinnable<PinnedStore> {
  readonly events: EventStore
  readonly responses: ResponseCache
  readonly readLimiter: ReadLimiter
  readonly dataVersion: DataVersionWatch['current']
  readonly elapsedMs: () => number
  readonly freshness: Freshness
}

const readQuery = queryReader(FundamentalsQuery)

/** GET /api/v1/fundamentals: figures of one company or several or, without `ticker`, the coverage index. */
export function fundamentalsRoutes(http: HttpPlugin, deps: FundamentalsDeps) {
  const today = cachedToday(deps.today, deps.elapsedMs)
  const plans = new PlanCache<CachedResponse>()

  return new Elysia({ name: 'fundamentals' }).use(http).get(
    '/api/v1/fundamentals',
    ({ context }) => {
      const version = deps.dataVersion()
      const day = today()
      const { rights } = context.authenticatedCaller
      const cached = plans.find(rights, planQuery(context), version, day)
      if (cached !== undefined) return respondFromCache(deps.responses, context, version, cached)
      return answer(context, version, day)
    },
    { ...fundamentalsOperation },
  )

  async function answer(context: RequestContext, version: number, day: string): Promise<Answer> {
    const { rights } = context.authenticatedCaller
    const sent = readQuery(context.queryText)
    const query = sent.ticker === undefined ? sent : withAcceptedFormat(context, sent)
    const { data_version: pinned } = query
    if (pinned !== undefined) {
      // Checked before the range of versions is looked up; `planCompany` refuses the other requests of such
      // keys.
      if (query.ticker === undefined) rights.requireVersion(pinned, 'the coverage index', null)
      return answerPinned(deps, context, pinned, async atVersion =>
        asksForValuations(query)
          ? respondFromCache(
              atVersion.responses,
              context,
              pinned,
              await valuedResponse({ ...deps, ...atVersion }, context, query),
            )
          : query.ticker?.includes(',')
            ? answerSeveral(atVersion, context, query, pinned)
            : respondFromCache(
                deps.responses,
                context,
                pinned,
                await pinnedResponse(atVersion, context, query, day),
              ),
      )
    }
    if (asksForValuations(query))
      return respondFromCache(deps.responses, context, version, await valuedResponse(deps, context, query))
    if (query.ticker?.includes(',')) return answerSeveral(deps, context, query, version)
    // The index also depends on runs of `sync`, which create no new data version if they find nothing new.
    if (query.ticker === undefined)
      return respondFromCache(
        deps.responses,
        context,
        version,
        await indexResponse(deps, context, query, day),
      )
    const { first, later } = await answerOne(deps, context, query)
    plans.store(rights, planQuery(context), version, day, later)
    return respondFromCache(deps.responses, context, version, first)
  }
}

/** A request for one company, or for the coverage index, at a pinned version. */
async function pinnedResponse(
  deps: FundamentalsDeps,
  context: RequestContext,
  query: FundamentalsQuery,
  day: string,
): Promise<CachedResponse> {
  if (query.ticker === undefined) return indexResponse(deps, context, query, day)
  return (await answerOne(deps, context, query)).first
}

/** Valuations depend on which sets of prices the caller may see, so their plans are not cached. */
async function valuedResponse(
  deps: FundamentalsDeps,
  context: RequestContext,
  query: FundamentalsQuery,
): Promise<CachedResponse> {
  const { rights } = context.authenticatedCaller
  const output = readOutputFormat(query)
  const plan = await planValued(deps, rights, query)
  const { ticker, asOf, market } = plan.company
  return cacheable(`${output.key} ${plan.cacheKey}`, contentTypes[output.format], async () => {
    const list = await answerValued(deps, rights, plan)
    const { content, headers } = await renderList(
      output,
      sheetOf(plan.company),
      list,
      termsOf(deps.markets, [market]),
    )
    return { content, headers: { ...headers, ...asFile(output.format, ticker, asOf) } }
  })
}

async function indexResponse(
  deps: FundamentalsDeps,
  context: RequestContext,
  query: FundamentalsQuery,
  day: string,
): Promise<CachedResponse> {
  const { rights } = context.authenticatedCaller
  const { data_version: pinned, ...selection } = query
  // The server's freshness says nothing about an earlier version of its data.
  const syncs = pinned === undefined ? await deps.freshness.syncs() : []
  const key = `index ${rights.licence} ${day} ${JSON.stringify([selection, syncs])}`
  return cacheable(key, jsonType, async () => {
    const index = await withSnapshot(deps.sql, sql => coverageIndex({ ...deps, sql }, selection, syncs))
    return JSON.stringify(withLicenceNotice(rights, index))
  })
}

/**
 * What determines a plan besides its caller: the query and, if it names no format, the one that Accept
 * selects.
 */
function planQuery({ queryText, request }: RequestContext): string {
  const format = acceptedFormat(request.headers.get('accept'))
  // A raw query string never contains a space, so the keys cannot collide.
  return format === 'json' ? queryText : `${queryText} ${format}`
}

/**
 * A response that may use the rows found with its company, and the variant to cache as a plan. The latter has
 * no rows: thousands of plans with rows would fill the memory and become outdated.
 */
interface PlannedAnswer {
  readonly first: CachedResponse
  readonly later: CachedResponse
}

async function answerOne(
  deps: FundamentalsDeps,
  context: RequestContext,
  query: FundamentalsQuery,
): Promise<PlannedAnswer> {
  const { rights } = context.authenticatedCaller
  const output = readOutputFormat(query)
  const { ready, ...plan } = await planCompany(deps, rights, query)
  const render = async (given: CompanyPlan) => {
    const list = await answerCompany(deps, rights, query, given)
    const terms = termsOf(deps.markets, [list.market])
    const table = plan.layout === 'long' ? null : tableOf(list, plan.columns)
    const { content, headers } =
      table === null
        ? await renderList(output, sheetOf(plan), list, terms)
        : await renderList(output, fundamentalsTableSheet(table.metrics, plan.asOf), table, terms)
    return { content, headers: { ...headers, ...asFile(output.format, plan.ticker, plan.asOf) } }
  }
  const later = cacheable(
    `${output.key} ${plan.cacheKey}`,
    contentTypes[output.format],
    () => render(plan),
    compressions.companyRows,
  )
  if (ready === undefined) return { first: later, later }
  // This server may have learned of a newer version since. The response is then rendered again and must not
  // use these rows.
  const isOld = () => ready !== null && ready.dataVersion < deps.dataVersion()
  const make = () => render(isOld() ? plan : { ...plan, ready })
  return { first: { ...later, make }, later }
}

async function answerSeveral(
  deps: FundamentalsDeps,
  context: RequestContext,
  query: FundamentalsQuery,
  version: number,
): Promise<Answer> {
  const { rights, subject } = context.authenticatedCaller
  const output = readOutputFormat(query)
  const plan = await planCompanies(deps, rights, query)
  const own = dataHeaders(contentTypes[output.format], entityTag(version, `${output.key} ${plan.cacheKey}`))
  const same = notModified(context, own)
  if (same !== null) return same
  const { signal } = context.request
  const { body, headers } = await deps.readLimiter.openStream(subject, signal, () =>
    streamCompanies(deps, rights, query, plan, signal),
  )
  const tickers = plan.companies.map(({ ticker }) => ticker)
  const file = asFile(output.format, tickers, plan.selection.asOf)
  return streamAnswer(context, body, { ...own, ...headers, ...file }, compressions.companyRows)
}
