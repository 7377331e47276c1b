import { Type } from '@sinclair/typebox'
import { isFreeData, type Principal } from '../../access/licences.ts'
import { type IsoDate, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { readAsOf } from '../../facts/asOf.ts'
import { FormatSchema } from '../../formats/columns.ts'
import { readMarket, readMetrics } from '../../markets/parameters.ts'
import type { FundamentalsDeps } from '../companies/deps.ts'
import { FundamentalsList } from '../fundamentals/schema.ts'

/** How many companies a page of a market may have. */
export interface PageLimit {
  readonly most: number
  readonly usual: number
  /** Of a demo or free key. */
  readonly mostOfFree: number
}

/** Parameters of every question for one metric of all companies of a market. */
export const marketQuestion = {
  metric: (example: string) =>
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'One metric name; the coverage index lists them.',
      examples: [example],
    }),
  market: Type.String({
    pattern: '^[A-Za-z]{2}$',
    description: 'Market code. One market at a time: the same column can mean different things in two.',
    examples: ['US'],
  }),
  limit: ({ most, usual }: PageLimit, description: string) =>
    Type.Optional(
      Type.Integer({ minimum: 1, maximum: most, default: usual, description, examples: [usual] }),
    ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'The `next` of the page before, with the other parameters unchanged. It holds for the day of that page: where `as_of` is left out, send the `as_of` of its answer from midnight UTC on.',
      examples: ['VVMgMSAyMDEwLTAyLTAxIDQ'],
    }),
  ),
  format: FormatSchema,
}

const { as_of, data_version, licence, attribution } = FundamentalsList.properties

/** What every page of a market says beside its rows.
 *
 * @param leftOut what a note may say beside why there are no rows */
export const marketPage = {
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
    description: 'Send it as `cursor` for the companies after these; null at the end.',
  }),
}

export type MarketDeps = Pick<FundamentalsDeps, 'markets' | 'today'>

interface Sent {
  readonly metric: string
  readonly market: string
  readonly as_of?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** What every question for one metric of all companies of a market has in common. */
export interface MarketQuestion {
  readonly metric: string
  readonly market: string
  readonly asOf: IsoDate
  readonly limit: number
  /** The entity after which to continue; null: the first page. */
  readonly after: number | null
  /** The data version of the first page; null: this is it. */
  readonly firstVersion: number | null
  /** Demo and free keys: flagship companies are no exception where all are asked for. */
  readonly recentFiscalYearOnly: boolean
  readonly freeLicence: boolean
}

export function readMarketQuestion(
  deps: MarketDeps,
  principal: Principal,
  sent: Sent,
  limits: PageLimit,
): MarketQuestion {
  const free = isFreeData(principal)
  const metric = readMetric(deps, sent.metric)
  const market = readMarket(deps.markets, sent.market, '')
  const asOf = readAsOf(sent.as_of, deps.today())
  if (free && sent.as_of !== undefined) throw asOfRefused(principal)
  const limit = sent.limit ?? limits.usual
  const place = sent.cursor === undefined ? null : readPlace(sent.cursor, market, asOf)
  return {
    metric,
    market,
    asOf,
    limit: free ? Math.min(limit, limits.mostOfFree) : limit,
    after: place?.entityId ?? null,
    firstVersion: place?.dataVersion ?? null,
    recentFiscalYearOnly: free,
    freeLicence: free,
  }
}

/** Equal keys mean equal bytes while the data version stays the same. What a capped key is shown is its own: its
 * companies are counted while the answer is made. */
export function marketCacheKey(name: string, principal: Principal, plan: object): string {
  const viewer = principal.entityCap === null ? '' : `key ${principal.keyId}`
  return `${name} ${viewer} ${JSON.stringify(Object.values(plan))}`
}

function readMetric(deps: MarketDeps, sent: string): string {
  const names = readMetrics(deps.markets.metrics, sent) ?? []
  if (names.length === 1) return names[0]
  throw new Failure(
    'parameter_invalid',
    `metric=${sent.slice(0, 64)} names ${names.length} metrics; one is answered at a time. Ask once for each.`,
    { param: 'metric' },
  )
}

function asOfRefused(principal: Principal): Failure {
  return new Failure(
    'licence_required',
    `as_of for all companies of a market needs an evaluation key or a Personal or Commercial data licence; this key has the ${principal.licence} licence. Leave as_of out for the most recent reported fiscal year of each.`,
    { param: 'as_of' },
  )
}

/** A place among the companies of a market, and of what its pages are made. */
export interface MarketPlace {
  readonly market: string
  /** The entity after which to continue. */
  readonly entityId: number
  /** The day as of which the pages before were answered: those after it are of no other. */
  readonly asOf: IsoDate
  /** Of the first page. */
  readonly dataVersion: number
}

const most = 2_147_483_647

/** A place as an opaque text. */
export function writePlace({ market, entityId, asOf, dataVersion }: MarketPlace): string {
  return Buffer.from(`${market} ${entityId} ${asOf} ${dataVersion}`).toString('base64url')
}

/** The place that a cursor names, which has to be one of the same question. */
export function readPlace(cursor: string, market: string, asOf: IsoDate): MarketPlace {
  const place = parse(cursor)
  if (place === null) {
    throw refused(
      'cursor is not one that this service gave out. Send the `next` of the page before unchanged, or leave it out for the first page.',
    )
  }
  if (place.market !== market) {
    throw refused(
      `cursor belongs to a page of market ${place.market}, not ${market}. Leave it out for the first page.`,
    )
  }
  if (place.asOf === asOf) return place
  throw refused(
    `cursor belongs to a page as of ${place.asOf}, not ${asOf}: together they would mix what was known on two days. Send as_of=${place.asOf} with it, or leave it out for the first page.`,
  )
}

function parse(cursor: string): MarketPlace | null {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, market = '', digits = '', asOf = '', version = ''] =
    /^([A-Z]{2}) (\d{1,10}) (\d{4}-\d\d-\d\d) (\d{1,15})$/.exec(text) ?? []
  const place = { market, entityId: Number(digits), asOf, dataVersion: Number(version) }
  return isIsoDate(asOf) && place.entityId <= most && writePlace(place) === cursor ? place : null
}

const refused = (message: string) => new Failure('parameter_invalid', message, { param: 'cursor' })
