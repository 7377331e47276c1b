import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { knownByField } from '../../instants.ts'
import { currencyOf } from '../../markets/currency.ts'
import { readMarket } from '../../markets/parameters.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { Rights } from '../../rights/rights.ts'
import { firstFrameYear, frameCode, lastFrameYear, parseFrame } from '../../wholeFilings/frames.ts'
import { type FrameFigure, readFrame } from '../../wholeFilings/readFrame.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { countRows } from '../marketPages/answer.ts'
import { nextCompany, pageFields } from '../marketPages/page.ts'
import {
  type MarketDeps,
  type MarketQuery,
  marketCacheKey,
  type PageViewer,
  resolveMarketPage,
} from '../marketPages/query.ts'
import { type FrameList, type FrameRow, type FramesQuery, framesLimit } from './schema.ts'

/** A request for a frame after all decisions about access, as plain data. */
export interface FramePlan extends Omit<MarketQuery, 'metric'> {
  readonly tag: string
  readonly period: string
  readonly frame: number
  readonly unit: string
  readonly cacheKey: string
}

export function planFrame(deps: MarketDeps, viewer: PageViewer, query: FramesQuery): FramePlan {
  viewer.rights.requireHistoryOfMarket('Frames')
  const { tag, period, unit: sent } = query
  const frame = parseFrame(period)
  if (frame === null)
    throw new Failure(
      'parameter_invalid',
      `period=${period} is not a frame. Send a calendar year like CY2009, a quarter like CY2009Q1, or the end of one like CY2009Q1I, from ${firstFrameYear} to ${lastFrameYear}.`,
      { param: 'period' },
    )
  const market = readMarket(deps.markets, query.market, '')
  const manifest = deps.markets.get(market)
  const unit = sent ?? (manifest === undefined ? '' : currencyOf(manifest))
  const question = resolveMarketPage(deps, viewer, query, {
    route: 'frames',
    limits: framesLimit,
    query: [tag, period, unit],
  })
  const plan = { ...question, tag, period, frame: frameCode(frame), unit }
  return { ...plan, cacheKey: marketCacheKey('frames', viewer.rights, plan) }
}

export interface FrameDeps extends Pick<CompanyDeps, 'sql' | 'markets' | 'cursors'> {
  readonly terms: Terms
}

/** A page of a frame. The companies on the page count against the key's cap. */
export async function readFramePage(deps: FrameDeps, rights: Rights, plan: FramePlan): Promise<FrameList> {
  const { tag, period, unit, market, asOf, frame, after, seen } = plan
  const page = await withSnapshot(deps.sql, snapshot =>
    readFrame(snapshot, deps.terms, { market, frame, asOf, after, seen }, plan),
  )
  await countRows(deps, rights, plan, page.rows)
  const next = nextCompany(plan, page)
  const source = deps.markets.get(market)?.source_notice ?? market
  const notes = [page.rows.length === 0 ? emptyPageNote(deps, plan) : null]
  return {
    object: 'frame',
    tag,
    period,
    unit,
    market,
    as_of: asOf,
    ...pageFields(deps, { ...plan, metric: tag }, { ...page, next }, notes),
    data: page.rows.map(row => rowOf(row, source)),
  }
}

function rowOf(row: FrameFigure, source: string): FrameRow {
  const { figure, ticker, issuerId, accession, form, filed, byTime } = row
  const { context, value, decimals, unit } = figure
  return {
    ticker,
    issuer_id: issuerId,
    start: context.start === null ? null : isoDate(context.start),
    end: isoDate(context.end),
    value: Number(value),
    decimals: decimals === null ? null : decimals === Number.POSITIVE_INFINITY ? 'INF' : `${decimals}`,
    unit,
    accession,
    form,
    filed,
    source,
    ...knownByField(byTime),
  }
}

/** Why a page has no rows. */
function emptyPageNote({ markets }: Pick<CompanyDeps, 'markets'>, plan: FramePlan): string {
  const { tag, period, unit, market, asOf, after, seen } = plan
  if (markets.get(market)?.status === 'announced')
    return `Market ${market} is announced, but its figures are not served yet: there is no importer for it.`
  if (seen !== null) return 'No company that this key has seen fits these parameters.'
  if (after !== null) return 'No company after those of the earlier pages has such a figure.'
  return `No filing of market ${market} that was public as of ${asOf} states ${tag} in ${unit} for ${period} in a document that is on record in full. Tags are spelled as in filings, with their prefix and in the same case.`
}
