import { Failure } from '../../../errors.ts'
import { readAsOf } from '../../../markets/asOf.ts'
import { readMarket } from '../../../markets/parameters.ts'
import { type CrossSectionPlan, planCrossSection } from '../../crossSection/crossSection.ts'
import type { PageViewer } from '../../marketPages/query.ts'
import type { PageDeps } from '../deps.ts'
import { listLimit } from '../fields.ts'
import { type NamedCompanies, namedCompanies } from './companies.ts'
import { columnFields, type Screen } from './query.ts'
import { type AgeLimit, ageLimit } from './recency.ts'

/** A screen as a request of the API, after all decisions about access. */
export interface ScreenPlan {
  readonly plan: CrossSectionPlan
  readonly age: AgeLimit
  /** Null for all companies of the market. */
  readonly named: NamedCompanies | null
}

/** @param limit the most companies that a visitor without a cap gets */
export async function planScreen(
  deps: PageDeps,
  viewer: PageViewer,
  screen: Screen,
  limit: number,
): Promise<ScreenPlan> {
  checkColumns(deps, screen)
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
  }
  const asOf = readAsOf(deps.markets, market, { as_of: screen.asOf }, deps.today())
  const age = await ageLimit(deps.sql, screen, market, asOf)
  const aged = age.days === null ? query : { ...query, max_age_days: age.days }
  const planFor = ({ rights, allowance }: PageViewer) =>
    planCrossSection(
      deps,
      { rights, allowance },
      { ...aged, limit: listLimit(allowance, limit) },
      screen.bounds,
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
    if (markets.metrics.has(name)) return
    const param = columnFields[index]
    throw new Failure('parameter_invalid', `${name} is no metric. Choose one from the list.`, { param })
  })
}
