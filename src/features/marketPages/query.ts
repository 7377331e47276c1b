import { Type } from '@sinclair/typebox'
import { isFreeData, type Principal } from '../../access/licences.ts'
import { type IsoDate, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { readAsOf } from '../../facts/asOf.ts'
import { CommentsSchema, FormatSchema } from '../../formats/columns.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { MarketCode, readMarket, readMetrics } from '../../markets/parameters.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { FundamentalsList } from '../fundamentals/schema.ts'

/** How many companies a page of a market may have. */
export interface PageLimit {
  readonly max: number
  readonly default: number
  /** For demo and free keys. */
  readonly maxFree: number
}

/** Parameters of every request for one metric of all companies of a market. */
export const marketParameters = {
  metric: (example: string) =>
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'One metric name. The coverage index lists all metrics.',
      examples: [example],
    }),
  market: MarketCode(
    'Market code. One market per request: the same metric can mean different things in different markets.',
  ),
  data_version: DataVersionParameter,
  limit: (limits: PageLimit, description: string) =>
    Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.max,
        default: limits.default,
        description,
        examples: [limits.default],
      }),
    ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'The `next` of the previous page, with the other parameters unchanged. It is valid for the day of that page: after midnight UTC, also send the `as_of` of that page.',
      examples: ['VVMgMSAyMDEwLTAyLTAxIDQ'],
    }),
  ),
  format: FormatSchema,
  comments: CommentsSchema,
}

const { as_of, data_version, licence, attribution } = FundamentalsList.properties

/** Fields of every page of a market besides its rows.
 *
 * @param leftOut what else the note may explain, apart from missing rows */
export const marketPageFields = {
  market: Type.String({ examples: ['US'] }),
  as_of,
  data_version,
  licence,
  attribution,
  note: (leftOut: string) =>
    Type.Optional(
      Type.String({
        description: `Why there are no rows, ${leftOut}, or that data was imported since the first page.`,
      }),
    ),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Send it as `cursor` to get the companies after these; null on the last page.',
  }),
}

export type MarketDeps = Pick<CompanyDeps, 'markets' | 'today'>

interface MarketRequest {
  readonly metric: string
  readonly market: string
  readonly as_of?: string | undefined
  readonly data_version?: number | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A request for one metric of all companies of a market, checked and with its defaults. */
export interface MarketQuery {
  readonly metric: string
  readonly market: string
  readonly asOf: IsoDate
  readonly limit: number
  /** The entity after which to continue; null: the first page. */
  readonly after: number | null
  /** The data version of the first page; null: this is it. */
  readonly firstVersion: number | null
  /** Demo and free keys. Flagship companies are no exception on pages of a market. */
  readonly recentFiscalYearOnly: boolean
  readonly freeLicence: boolean
}

export function resolveMarketQuery(
  deps: MarketDeps,
  principal: Principal,
  sent: MarketRequest,
  limits: PageLimit,
): MarketQuery {
  return { metric: readMetric(deps, sent.metric), ...resolveMarketPage(deps, principal, sent, limits) }
}

/** The same without the metric. */
export function resolveMarketPage(
  deps: MarketDeps,
  principal: Principal,
  sent: Omit<MarketRequest, 'metric'>,
  limits: PageLimit,
): Omit<MarketQuery, 'metric'> {
  const free = isFreeData(principal)
  const market = readMarket(deps.markets, sent.market, '')
  const asOf = readAsOf(sent.as_of, deps.today())
  for (const param of ['as_of', 'data_version'] as const)
    if (free && sent[param] !== undefined) throw pastRefused(principal, param)
  const limit = sent.limit ?? limits.default
  const place = sent.cursor === undefined ? null : decodeCursor(sent.cursor, market, asOf)
  return {
    market,
    asOf,
    limit: free ? Math.min(limit, limits.maxFree) : limit,
    after: place?.entityId ?? null,
    firstVersion: place?.dataVersion ?? null,
    recentFiscalYearOnly: free,
    freeLicence: free,
  }
}

/** Equal keys mean equal bytes while the data version stays the same. A capped key has cache entries of its own: rendering its
 * answer counts its companies, and another key's entry would skip that. */
export function marketCacheKey(name: string, principal: Principal, plan: object): string {
  const viewer = principal.entityCap === null ? '' : `key ${principal.keyId}`
  return `${name} ${viewer} ${JSON.stringify(Object.values(plan))}`
}

function readMetric(deps: MarketDeps, sent: string): string {
  const names = readMetrics(deps.markets.metrics, sent) ?? []
  if (names.length === 1) return names[0]
  throw new Failure(
    'parameter_invalid',
    `metric=${sent.slice(0, 64)} lists ${names.length} metrics; this route accepts one. Send one request per metric.`,
    { param: 'metric' },
  )
}

function pastRefused(principal: Principal, param: 'as_of' | 'data_version'): Failure {
  return new Failure(
    'licence_required',
    `${param} for all companies of a market requires an evaluation key or a Personal or Commercial data licence; this key has the ${principal.licence} licence. Omit ${param} to get the most recent reported fiscal year of each company.`,
    { param },
  )
}

/** A position among the companies of a market, and which pages it belongs to. */
export interface PagePosition {
  readonly market: string
  /** The entity after which to continue. */
  readonly entityId: number
  /** The as_of of the earlier pages. Later pages must have the same: a mix of two days would look ahead. */
  readonly asOf: IsoDate
  /** Of the first page. */
  readonly dataVersion: number
}

const maxEntityId = 2_147_483_647

/** A position as opaque text. */
export function encodeCursor({ market, entityId, asOf, dataVersion }: PagePosition): string {
  return Buffer.from(`${market} ${entityId} ${asOf} ${dataVersion}`).toString('base64url')
}

/** The position that a cursor names. It has to belong to the same market and day. */
export function decodeCursor(cursor: string, market: string, asOf: IsoDate): PagePosition {
  const place = parse(cursor)
  if (place === null) {
    throw refused(
      'cursor is not valid. Send the `next` of the previous page unchanged, or omit cursor for the first page.',
    )
  }
  if (place.market !== market) {
    throw refused(
      `cursor belongs to a page of market ${place.market}, not ${market}. Omit cursor for the first page.`,
    )
  }
  if (place.asOf === asOf) return place
  throw refused(
    `cursor belongs to a page as of ${place.asOf}, not ${asOf}: together they would mix what was known on two days. Send as_of=${place.asOf} with it, or omit cursor for the first page.`,
  )
}

function parse(cursor: string): PagePosition | null {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, market = '', digits = '', asOf = '', version = ''] =
    /^([A-Z]{2}) (\d{1,10}) (\d{4}-\d\d-\d\d) (\d{1,15})$/.exec(text) ?? []
  const place = { market, entityId: Number(digits), asOf, dataVersion: Number(version) }
  return isIsoDate(asOf) && place.entityId <= maxEntityId && encodeCursor(place) === cursor ? place : null
}

const refused = (message: string) => new Failure('parameter_invalid', message, { param: 'cursor' })
