import { Failure } from '../../../errors.ts'
import { readAsOf } from '../../../markets/asOf.ts'
import { readMarket } from '../../../markets/parameters.ts'
import { findValuation } from '../../../markets/valuations.ts'
import type { PriceSet } from '../../../prices/priceQueries.ts'
import type { Rights } from '../../../rights/rights.ts'
import {
  type CrossSectionDeps,
  type CrossSectionPlan,
  planCrossSection,
} from '../../crossSection/crossSection.ts'
import { namesValuations, pricesOfRequest } from '../../crossSection/valued.ts'
import type { PageViewer } from '../../marketPages/query.ts'
import type { PageDeps } from '../deps.ts'
import { listLimit } from '../fields.ts'
import { type NamedCompanies, namedCompanies } from './companies.ts'
import { columnFields, type Screen } from './query.ts'
import { type AgeLimit, ageLimit } from './recency.ts'

export type ScreenDeps = PageDeps & Pick<CrossSectionDeps, 'valueCompanies'>

/** A screen as a request of the API, after all decisions about access. */
export interface ScreenPlan {
  readonly plan: CrossSectionPlan
  readonly age: AgeLimit
  /** Null for all companies of the market. */
  readonly named: NamedCompanies | null
}

/** The set of prices that a screen takes, by the visitor's rights; null: it has no valuation. */
export async function pricesOfScreen(
  { sql }: Pick<PageDeps, 'sql'>,
  rights: Rights,
  { columns, sort, prices, bounds }: Screen,
): Promise<PriceSet | null> {
  const sent = { metric: columns.join(','), sort: sort.metric, prices }
  return namesValuations(rights, sent, bounds) ? pricesOfRequest(sql, rights, sent, bounds) : null
}

/**
 * @param limit the most companies that a visitor without a cap gets
 * @param set what `pricesOfScreen` found
 */
export async function planScreen(
  deps: PageDeps,
  viewer: PageViewer,
  screen: Screen,
  limit: number,
  set: PriceSet | null,
): Promise<ScreenPlan> {
  checkColumns(deps, screen)
  const { bounds } = screen
  const market = readMarket(deps.markets, screen.market, '')
  const { sort } = screen
  const query = {
    metric: screen.columns.join(','),
    market,
    fp: screen.period,
    sort: `${sort.descending ? '-' : ''}${sort.metric}`,
    ...(screen.currency === undefined ? {} : { currency: screen.currency }),
    ...(screen.asOf === undefined ? {} : { as_of: screen.asOf }),
    ...(screen.checks === undefined ? {} : { checks: screen.checks }),
    ...(screen.group === undefined ? {} : { group: screen.group }),
    ...(screen.cursor === undefined ? {} : { cursor: screen.cursor }),
    ...(screen.prices === undefined ? {} : { prices: screen.prices }),
  }
  const asOf = readAsOf(deps.markets, market, { as_of: screen.asOf }, deps.today())
  const age = await ageLimit(deps.sql, screen, market, asOf)
  const aged = age.days === null ? query : { ...query, max_age_days: age.days }
  const planFor = ({ rights, allowance }: PageViewer) =>
    planCrossSection(
      deps,
      { rights, allowance },
      { ...aged, limit: listLimit(allowance, limit) },
      bounds,
      set,
    )
  const plan = planFor(viewer)
  if (screen.companies === undefined) return { plan, age, named: null }
  const named = await namedCompanies(deps, viewer, screen, market)
  const { entityIds: seen } = named
  if (viewer.allowance === null) return { plan: { ...plan, seen }, age, named }
  // They have been counted, so the request is about companies that the key has seen.
  return { plan: planFor({ ...viewer, allowance: { seen, left: 0 } }), age, named }
}

function checkColumns({ markets }: Pick<PageDeps, 'markets'>, { columns }: Screen): void {
  columns.forEach((name, index) => {
    if (markets.metrics.has(name) || findValuation(name) !== undefined) return
    const param = columnFields[index]
    throw new Failure('parameter_invalid', `${name} is no metric. Choose one from the list.`, { param })
  })
}
