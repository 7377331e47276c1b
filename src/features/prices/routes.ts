import { Elysia } from 'elysia'
import { readOutputFormat } from '../../formats/columns.ts'
import { rowMediaTypes } from '../../formats/mediaTypes.ts'
import { renderList } from '../../formats/rows.ts'
import { cacheable, contentTypes, encodedAnswer, jsonType, respondFromCache } from '../../http/answers.ts'
import { type BodyReader, formatOfBody } from '../../http/body.ts'
import { compressions } from '../../http/compression.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { asFile } from '../../http/fileName.ts'
import { pathReader, queryReader } from '../../http/parameters.ts'
import { answerPinned } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import type { Sql } from '../../postgres/client.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { termsOf } from '../companies/licenceTerms.ts'
import type { MarketPageDeps } from '../marketPages/answer.ts'
import { listOperation, pricesOperation, returnsOfRowsOperation, returnsOperation } from './documentation.ts'
import { readForwardReturns } from './forwardReturns.ts'
import { planPrices, readPrices } from './prices.ts'
import { planReturns, planReturnsOfRows, readReturnsBody } from './returnRequests.ts'
import {
  type ForwardReturnList,
  ForwardReturnsPostQuery,
  ForwardReturnsQuery,
  forwardReturnSheet,
  PriceSetParams,
  PriceSetsQuery,
  PricesQuery,
  priceSheet,
} from './schema.ts'
import { listPriceSets, requirePriceSet, visibleSets } from './sets.ts'

interface PriceDeps extends MarketPageDeps, CompanyDeps {
  readonly bodies: BodyReader
  /** The primary database, where a change of rights is seen first. */
  readonly primary: { readonly sql: Sql }
}

const path = '/api/v1/prices'
const readSet = pathReader('set', PriceSetParams.properties.set)
const readListQuery = queryReader(PriceSetsQuery)
const readPricesQuery = queryReader(PricesQuery)
const readReturnsQuery = queryReader(ForwardReturnsQuery)
const readPostQuery = queryReader(ForwardReturnsPostQuery)

/** The sets of prices that the operator imported, their rows, and forward returns from them. */
export function priceRoutes(http: HttpPlugin, deps: PriceDeps) {
  return new Elysia({ name: 'prices' })
    .use(http)
    .get(path, ({ context }) => list(deps, context), { ...listOperation })
    .get(`${path}/:set`, ({ context }) => rows(deps, context), { ...pricesOperation })
    .get(`${path}/:set/forward-returns`, ({ context }) => returns(deps, context), { ...returnsOperation })
    .post(`${path}/:set/forward-returns`, ({ context }) => returnsOfRows(deps, context), {
      ...returnsOfRowsOperation,
      parse: 'none',
    })
}

const nameOf = (context: RequestContext) => readSet(context.path.split('/')[4] ?? '')

/** Fails for a set that the caller may not see, whatever is in a cache. */
const requireVisible = ({ primary }: PriceDeps, rights: Rights, name: string) =>
  requirePriceSet(primary.sql, rights, name)

async function list(deps: PriceDeps, context: RequestContext): Promise<Answer> {
  const query = context.queryText === '' ? {} : readListQuery(context.queryText)
  const { rights } = context.authenticatedCaller
  rights.requireVersion(query.data_version, 'price sets', null)
  return answerPinned(deps, context, query.data_version, async ({ sql }) => {
    const visible = await visibleSets(deps.primary.sql, rights)
    const text = JSON.stringify(await withSnapshot(sql, snapshot => listPriceSets(snapshot, rights, visible)))
    return encodedAnswer(context, text, plainHeaders(jsonType))
  })
}

/** Who may see a set may change at any time, so nothing of it is kept by clients without asking again. */
const plainHeaders = (type: string) => ({
  'Content-Type': type,
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization, Accept-Encoding',
})

async function rows(deps: PriceDeps, context: RequestContext): Promise<Answer> {
  const name = nameOf(context)
  const query = withAcceptedFormat(context, readPricesQuery(context.queryText))
  const output = readOutputFormat(query)
  const { rights, subject } = context.authenticatedCaller
  await requireVisible(deps, rights, name)
  rights.requireVersion(query.data_version, 'prices', null)
  return answerPinned(deps, context, query.data_version, async deps => {
    const set = await requirePriceSet(deps.sql, rights, name)
    const plan = await planPrices(deps, rights, set, query)
    const response = cacheable(
      `${output.key} ${plan.cacheKey}`,
      contentTypes[output.format],
      async () => {
        const list = await deps.readLimiter.run(subject, () =>
          withSnapshot(deps.sql, snapshot => readPrices(snapshot, plan)),
        )
        const body = await renderList(output, priceSheet, list, termsOf(deps.markets, []))
        return { ...body, headers: { ...body.headers, ...asFile(output.format, 'prices', name, list.as_of) } }
      },
      compressions.marketRows,
    )
    return respondFromCache(deps.responses, context, deps.dataVersion(), response)
  })
}

async function returns(deps: PriceDeps, context: RequestContext): Promise<Answer> {
  const name = nameOf(context)
  const query = withAcceptedFormat(context, readReturnsQuery(context.queryText))
  const output = readOutputFormat(query)
  const { rights, subject } = context.authenticatedCaller
  await requireVisible(deps, rights, name)
  rights.requireVersion(query.data_version, 'forward returns', null)
  return answerPinned(deps, context, query.data_version, async deps => {
    const set = await requirePriceSet(deps.sql, rights, name)
    const plan = await planReturns(deps, rights, set, query)
    const answer = await deps.readLimiter.run(subject, () =>
      withSnapshot(deps.sql, snapshot => readForwardReturns(snapshot, set, plan.rows, plan.settings)),
    )
    return answerReturns(deps, context, output, answer)
  })
}

const maxBodyBytes = 8 * 1_024 * 1_024
const bodyTypes = { json: rowMediaTypes.json }

function returnsOfRows(deps: PriceDeps, context: RequestContext): Promise<Answer> {
  const name = nameOf(context)
  formatOfBody(context.request.headers, bodyTypes)
  const sent = context.queryText === '' ? {} : readPostQuery(context.queryText)
  const output = readOutputFormat(withAcceptedFormat(context, sent))
  const { rights, subject } = context.authenticatedCaller
  return deps.bodies.use(
    context,
    async bytes => {
      await requireVisible(deps, rights, name)
      const body = readReturnsBody(bytes)
      const set = await requirePriceSet(deps.sql, rights, name)
      const plan = await planReturnsOfRows(deps, rights, body)
      const answer = await deps.readLimiter.run(subject, () =>
        withSnapshot(deps.sql, snapshot => readForwardReturns(snapshot, set, plan.rows, plan.settings)),
      )
      return answerReturns(deps, context, output, answer)
    },
    { maxBytes: maxBodyBytes, unpacks: true },
  )
}

async function answerReturns(
  deps: Pick<PriceDeps, 'markets'>,
  context: RequestContext,
  output: ReturnType<typeof readOutputFormat>,
  answer: ForwardReturnList,
): Promise<Answer> {
  const body = await renderList(output, forwardReturnSheet, answer, termsOf(deps.markets, []))
  return encodedAnswer(context, body.content, {
    ...plainHeaders(contentTypes[output.format]),
    ...body.headers,
    ...asFile(output.format, 'forward-returns', answer.set, answer.as_of),
  })
}
