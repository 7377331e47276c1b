import type { IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { readDay } from '../../facts/dayParameters.ts'
import { dayOf, knownByField } from '../../instants.ts'
import { documentUrl } from '../../markets/documents.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { plainZero } from '../fundamentals/read.ts'
import { fiscalPeriods } from '../fundamentals/schema.ts'
import { countRows } from '../marketPages/answer.ts'
import { explainEmptyPage, pageFields } from '../marketPages/page.ts'
import {
  type MarketDeps,
  type MarketQuery,
  marketCacheKey,
  type PageViewer,
  readMetric,
  resolveMarketPage,
} from '../marketPages/query.ts'
import { type RestatementRow, restatementRows } from './queries.ts'
import {
  type Restatement,
  type RestatementList,
  type RestatementsQuery,
  restatementsLimit,
} from './schema.ts'

/** A restatements request after all decisions about access, as plain data. */
export interface RestatementsPlan extends MarketQuery {
  /** Earliest filing of a change, or null. */
  readonly from: IsoDate | null
  readonly cacheKey: string
}

/** Without a ticker, a request must name a metric and a market. */
export type MarketRestatementsQuery = Omit<RestatementsQuery, 'metric' | 'market'> &
  Required<Pick<RestatementsQuery, 'metric' | 'market'>>

/** Checks the query of a request without a ticker. */
export function requireMarketQuery({ metric, market, ...rest }: RestatementsQuery): MarketRestatementsQuery {
  if (market === undefined)
    throw refused('market', 'Send ticker (for example ticker=AAPL), or market and metric.')
  if (metric === undefined)
    throw refused('metric', 'Send metric (for example metric=revenue): without ticker it is required.')
  return { ...rest, metric, market }
}

const refused = (param: string, message: string) => new Failure('parameter_invalid', message, { param })

export function planRestatements(
  deps: MarketDeps,
  viewer: PageViewer,
  query: MarketRestatementsQuery,
): RestatementsPlan {
  const metric = readMetric(deps, query.metric)
  const from = query.from === undefined ? null : readDay('from', query.from)
  const own = { route: 'restatements', limits: restatementsLimit, query: [metric, from] }
  const plan = { metric, ...resolveMarketPage(deps, viewer, query, own), from }
  return { ...plan, cacheKey: marketCacheKey('restatements', viewer.rights, plan) }
}

export const restriction =
  'This key sees only the most recent reported fiscal year of each company. as_of and all other years require an evaluation key or a Personal or Commercial data licence.'

/** A page of the changes of one metric in a market. Companies with a change count against the key's cap. */
export async function readRestatements(
  deps: Pick<CompanyDeps, 'sql' | 'markets' | 'cursors'>,
  rights: Rights,
  plan: RestatementsPlan,
): Promise<RestatementList> {
  return (await readRestatementsWithFilings(deps, rights, plan)).list
}

/** The filing that states a value. */
export interface StatingFiling {
  readonly accession: string
  /** Its document at the register; null if its number does not lead to one. */
  readonly url: string | null
}

/** The filings that state the value before and after a change. */
export interface ChangeFilings {
  readonly before: StatingFiling
  readonly after: StatingFiling
}

/** The same page, and the filings of each of its changes, in the same order. */
export async function readRestatementsWithFilings(
  deps: Pick<CompanyDeps, 'sql' | 'markets' | 'cursors'>,
  rights: Rights,
  plan: RestatementsPlan,
): Promise<{ readonly list: RestatementList; readonly filings: readonly ChangeFilings[] }> {
  const page = await restatementRows(deps.sql, plan)
  const { rows, next } = page
  await countRows(deps, rights, plan, rows)
  const manifest = deps.markets.get(plan.market)
  const source = manifest?.source_notice ?? plan.market
  const notes = [
    rows.length === 0 ? emptyPageNote(deps, plan, next !== null) : null,
    plan.recentFiscalYearOnly ? restriction : null,
  ]
  const list: RestatementList = {
    object: 'restatement_list',
    metric: plan.metric,
    market: plan.market,
    from: plan.from,
    as_of: plan.asOf,
    ...pageFields(deps, plan, page, notes),
    data: rows.map(row => restatementRow(row, source)),
  }
  const filing = (issuerId: string, accession: string) => ({
    accession,
    url: documentUrl(manifest, issuerId, accession),
  })
  const filings = rows.map(({ issuerId, accession, accessionBefore }) => ({
    before: filing(issuerId, accessionBefore),
    after: filing(issuerId, accession),
  }))
  return { list, filings }
}

/** @param source the market's statutory source notice */
export const restatementRow = (row: RestatementRow, source: string): Restatement => ({
  ticker: row.ticker,
  issuer_id: row.issuerId,
  m: row.m,
  fy: row.fy,
  fp: fiscalPeriods[row.fp],
  end: row.end,
  filed_before: row.filedBefore,
  value_before: plainZero(row.valueBefore),
  unit_before: row.unitBefore,
  filed: row.filed,
  value: plainZero(row.value),
  unit: row.unit,
  source,
  ...knownByField(row.byTime),
})

function emptyPageNote(deps: Pick<CompanyDeps, 'markets'>, plan: RestatementsPlan, hasMore: boolean): string {
  const { market, metric, asOf, from } = plan
  if (from !== null && from > dayOf(asOf))
    return `from (${from}) is after as_of (${asOf}), so no day is between them. Send an earlier from.`
  const days = from === null ? `filed up to ${asOf}` : `filed from ${from} to ${asOf}`
  return explainEmptyPage(deps, plan, hasMore, {
    onPage: `No company on this page has a change in ${metric} ${days}`,
    afterCursor: `No company after this cursor has a change in ${metric} ${days}.`,
    atAll: `No company of market ${market} has a change in ${metric} ${days}.`,
  })
}
