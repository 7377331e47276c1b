import { Type } from '@sinclair/typebox'
import { isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { CommentsSchema, FormatSchema } from '../../formats/columns.ts'
import { type CursorScope, type CursorSigner, notValid, refusedCursor } from '../../http/cursor.ts'
import { DataVersionParameter } from '../../http/pinned.ts'
import { type AsOf, dayOf } from '../../instants.ts'
import { readAsOf } from '../../markets/asOf.ts'
import { MarketCode, readMarket, readMetrics } from '../../markets/parameters.ts'
import type { Allowance } from '../../rights/entityCap.ts'
import { isFreeData } from '../../rights/licences.ts'
import type { RecentYearOnly } from '../../rights/openHistory.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { FundamentalsList } from '../fundamentals/schema.ts'

/** The number of companies that a page of a market may have. */
export interface PageLimit {
  readonly max: number
  readonly default: number
  /** Maximum for demo and free keys. */
  readonly maxFree: number
  /** Default for keys whose companies are counted: a page of the usual size would exhaust an evaluation. */
  readonly defaultCapped: number
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
        'The `next` of the previous page, with the other parameters unchanged; only `limit` and `format` may change. It is signed, and only valid for the rights and the day of that page: after midnight UTC, also send the `as_of` of that page.',
      examples: ['kx0cZcJ2Y0mVb3f5w1qk7Q3vJm0lTzV9u8h2b6a1c4VVUyAxIDIwMTAtMDItMDEgNA'],
    }),
  ),
  format: FormatSchema,
  comments: CommentsSchema,
}

const { as_of, data_version, licence, attribution } = FundamentalsList.properties

/**
 * Fields of every page of a market besides its rows.
 *
 * @param leftOut what else the note may explain, apart from missing rows
 */
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
  seen_only: Type.Optional(
    Type.Literal(true, {
      description:
        'Only present if the key may see fewer further companies than `limit`: this answer then only covers companies that it has already seen.',
    }),
  ),
  companies_left: Type.Optional(
    Type.Integer({
      description: 'With `seen_only`: how many further companies the key may see.',
      examples: [3],
    }),
  ),
  next: Type.Union([Type.String(), Type.Null()], {
    description:
      'Send it as `cursor` to get the companies after these; null on the last page. With an evaluation key a full page always has one.',
  }),
}

export type MarketDeps = Pick<CompanyDeps, 'markets' | 'today' | 'cursors'>

interface MarketRequest {
  readonly metric: string
  readonly market: string
  readonly as_of?: string | undefined
  readonly tz?: string | undefined
  readonly data_version?: number | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A validated request for one metric of all companies of a market, with defaults applied. */
export interface MarketQuery {
  readonly metric: string
  readonly market: string
  readonly asOf: AsOf
  readonly limit: number
  /** The entity after which to continue; null for the first page. */
  readonly after: number | null
  /** For sorted lists, that entity's figure; otherwise null. */
  readonly afterValue: number | null
  /** The data version of the first page; null on the first page itself. */
  readonly firstVersion: number | null
  readonly recentFiscalYearOnly: RecentYearOnly
  readonly freeLicence: boolean
  /** How many further companies a capped key may see; null if it has no cap. */
  readonly left: number | null
  /**
   * The companies that the response may concern: those that a capped key has seen, if a page could exceed its
   * cap. Null for all.
   */
  readonly seen: readonly number[] | null
  /** Scope of this list's cursors. */
  readonly scope: CursorScope
}

/** What the caller of a page of a market may see. */
export interface PageViewer {
  readonly rights: Rights
  /** Null if the key has no cap. */
  readonly allowance: Allowance | null
}

/** The parts of a request that only its own list has. */
export interface OwnPage {
  readonly route: string
  readonly limits: PageLimit
  /** The parameters that determine its rows, besides market and day. */
  readonly query: object
}

/** Validates the parts of a page's request that all lists share. */
export function resolveMarketPage(
  deps: MarketDeps,
  { rights, allowance }: PageViewer,
  sent: Omit<MarketRequest, 'metric'>,
  { route, limits, query }: OwnPage,
): Omit<MarketQuery, 'metric'> {
  if (rights.entityCap !== null && allowance === null)
    throw new Error('A page for a capped key is planned with its allowance.')
  const free = isFreeData(rights)
  const market = readMarket(deps.markets, sent.market, '')
  const asOf = readAsOf(deps.markets, market, sent, deps.today())
  for (const param of ['as_of', 'data_version'] as const)
    if (sent[param] !== undefined) rights.requirePastOfMarket(param)
  const limit = sent.limit ?? (allowance === null ? limits.default : defaultOf(allowance, limits))
  const scope = { route, rights: pageRights(rights), query }
  const position =
    sent.cursor === undefined ? null : decodeCursor(deps.cursors, scope, sent.cursor, market, asOf)
  return {
    market,
    asOf,
    limit: free ? Math.min(limit, limits.maxFree) : limit,
    after: position?.entityId ?? null,
    afterValue: position?.value ?? null,
    firstVersion: position?.dataVersion ?? null,
    recentFiscalYearOnly: rights.recentYearOnlyOfMarkets,
    freeLicence: free,
    left: allowance?.left ?? null,
    seen: allowance === null || allowance.left >= limit ? null : allowance.seen,
    scope,
  }
}

/** As many companies as the key may still see. */
const defaultOf = ({ left }: Allowance, { defaultCapped }: PageLimit): number =>
  left === 0 ? defaultCapped : Math.min(left, defaultCapped)

/** The rights encoded in a cursor. Callers with equal responses have equal ones. */
function pageRights(rights: Rights): string {
  if (rights.entityCap !== null) return `key ${rights.keyId}`
  return isFreeData(rights) ? 'free' : 'full'
}

/**
 * Equal keys give equal bytes while the data version stays the same. A capped key has its own cache entries:
 * rendering its response counts its companies, which another key's entry would skip. A response limited to
 * the companies it has seen changes with each further company.
 */
export function marketCacheKey(name: string, rights: Rights, plan: Omit<MarketQuery, 'metric'>): string {
  const { left, seen, scope: _, ...query } = plan
  const ofSeen = seen === null ? '' : ` seen ${seen.length} left ${left}`
  const viewer = rights.entityCap === null ? '' : `key ${rights.keyId}${ofSeen}`
  return `${name} ${viewer} ${JSON.stringify(Object.values(query))}`
}

export function readMetric(deps: MarketDeps, sent: string): string {
  const names = readMetrics(deps.markets.metrics, sent) ?? []
  if (names.length === 1) return names[0]
  throw new Failure(
    'parameter_invalid',
    `metric=${sent.slice(0, 64)} lists ${names.length} metrics; this route accepts one. Send one request per metric.`,
    { param: 'metric' },
  )
}

/** A position in the list of a market's companies, and the list to which it belongs. */
export interface PagePosition {
  readonly market: string
  /** The entity after which to continue. */
  readonly entityId: number
  /**
   * The as_of of the earlier pages. Later pages must have the same one: mixing two days would be look-ahead.
   */
  readonly asOf: AsOf
  /** Data version of the first page. */
  readonly dataVersion: number
  /** For sorted lists, the entity's figure as the page showed it; otherwise null. */
  readonly value: number | null
}

export function encodeCursor(cursors: CursorSigner, scope: CursorScope, position: PagePosition): string {
  const { market, entityId, asOf, dataVersion, value } = position
  const figure = value === null ? '' : ` ${value}`
  return cursors.write(scope, `${market} ${entityId} ${asOf} ${dataVersion}${figure}`)
}

/** The position in a cursor, which must belong to the same market and day. */
export function decodeCursor(
  cursors: CursorSigner,
  scope: CursorScope,
  cursor: string,
  market: string,
  asOf: AsOf,
): PagePosition {
  const position = parse(cursors.read(scope, cursor))
  if (position === null) throw notValid()
  if (position.market !== market) {
    throw refusedCursor(
      `cursor belongs to a page of market ${position.market}, not ${market}. Omit cursor for the first page.`,
    )
  }
  if (position.asOf === asOf) return position
  throw refusedCursor(
    `cursor belongs to a page as of ${position.asOf}, not ${asOf}: the pages would mix what was known on two days. Send as_of=${position.asOf} with it, or omit cursor for the first page.`,
  )
}

function parse(position: string): PagePosition | null {
  const [, market = '', digits = '', asOf = '', version = '', figure] =
    /^([A-Z]{2}) (\d{1,10}) (\d{4}-\d\d-\d\d(?:T[\d:.]{8,12}[+-]\d\d:\d\d)?) (\d{1,15})(?: ([-+.\de]{1,30}))?$/.exec(
      position,
    ) ?? []
  const value = figure === undefined ? null : Number(figure)
  return isIsoDate(dayOf(asOf))
    ? { market, entityId: Number(digits), asOf, dataVersion: Number(version), value }
    : null
}
