import { dayNumber } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { dayOf, isInstant } from '../../instants.ts'
import type { ServedMetric } from '../../markets/markets.ts'
import type { MetricDefinition } from '../../markets/metrics.ts'
import { findValuation, valuationMetrics } from '../../markets/valuations.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import type { Rights } from '../../rights/rights.ts'
import { choosePrices } from '../asOfJoins/valuationPrices.ts'
import { fiscalPeriods } from '../fundamentals/schema.ts'
import type { MarketQuery } from '../marketPages/query.ts'
import type { Valuation } from '../valuations/valueCompanies.ts'
import type { MarketValuationRequest } from '../valuations/valueMarket.ts'
import type { Filter } from './filters.ts'
import { pricedCompanies } from './pricedQueries.ts'
import type { TableCompany, TableFigure } from './tablePage.ts'
import type { TableScope } from './tableQueries.ts'

/** The valuations of a request for a market, after all decisions about access. */
export interface ValuedPart {
  readonly set: PriceSet
  /** Those of the columns, the bounds and the order, each once. */
  readonly metrics: readonly string[]
  readonly filters: readonly Filter[]
  readonly maxAgeDays: number | null
}

/** Values companies, as `valueMarket` does on behalf of a caller. */
export type ValueCompanies = (
  snapshot: SqlClient,
  request: MarketValuationRequest,
) => Promise<readonly Valuation[]>

interface NamedMetrics {
  readonly metric: string
  readonly sort?: string | undefined
  readonly prices?: string | undefined
}

/** The first valuation that a request names and the parameter that names it; null: it names none. */
function firstValuation(
  { metric, sort }: NamedMetrics,
  bounds: ReadonlyMap<string, number>,
): { readonly name: string; readonly param: string } | null {
  const named = [
    ...metric.split(',').map(name => ({ name: name.trim(), param: 'metric' })),
    ...[...bounds.keys()].map(param => ({ name: param.slice(4), param })),
    { name: sort?.replace(/^-/, '') ?? '', param: 'sort' },
  ]
  return named.find(({ name }) => findValuation(name) !== undefined) ?? null
}

/** Whether a request names a valuation. Fails if the caller may not see any. */
export function namesValuations(
  rights: Rights,
  sent: NamedMetrics,
  bounds: ReadonlyMap<string, number>,
): boolean {
  const first = firstValuation(sent, bounds)
  if (first === null && sent.prices !== undefined)
    throw new Failure(
      'parameter_invalid',
      `prices=${sent.prices} names a set of prices, but the request names no valuation such as price_to_earnings. Omit prices.`,
      { param: 'prices' },
    )
  if (first === null) return false
  if (!rights.seesAllHistory)
    throw new Failure(
      'licence_required',
      `${first.name} takes figures of several fiscal years, and this key sees the most recent one. It requires an evaluation key or a Personal or Commercial data licence.`,
      { param: first.param },
    )
  return true
}

/**
 * The set of prices that a request takes; null: it names no valuation. The rights are read for each request, so a caller who
 * may not see the set never finds a cached answer.
 */
export async function pricesOfRequest(
  sql: Sql,
  rights: Rights,
  sent: NamedMetrics,
  bounds: ReadonlyMap<string, number>,
): Promise<PriceSet | null> {
  const first = firstValuation(sent, bounds)
  return first === null ? null : choosePrices(sql, rights, sent.prices ?? null, first.name)
}

/** The metrics that a request for a market may name. */
export const metricsWithValuations = (
  metrics: ReadonlyMap<string, ServedMetric>,
): ReadonlyMap<string, MetricDefinition> =>
  new Map<string, MetricDefinition>([...metrics, ...valuationMetrics.map(one => [one.name, one] as const)])

/** A valuation belongs to a day. */
export function requireDay({ asOf }: Pick<MarketQuery, 'asOf'>, metric: string): void {
  if (!isInstant(asOf)) return
  throw new Failure(
    'parameter_invalid',
    `${metric} is a valuation of a day. Send the day as as_of, without a time, or join rows with times by POST /api/v1/as-of.`,
    { param: 'as_of' },
  )
}

/** Stands for a day in place of a fiscal period. */
const dayPeriod = fiscalPeriods.length

export const periodName = (fp: number) => (fp === dayPeriod ? 'D' : fiscalPeriods[fp])

/**
 * Adds their valuations to companies that have figures, and those companies of the market that have valuations alone.
 *
 * @param stated in order of first import
 * @param scope of the figures that filings state, in any currency
 * @param bound the most companies
 */
export async function withValuations(
  snapshot: SqlClient,
  value: ValueCompanies,
  { set, metrics, filters, maxAgeDays }: ValuedPart,
  stated: readonly TableCompany[],
  scope: TableScope,
  bound: number,
): Promise<TableCompany[]> {
  const { asOf, checks = null, boundsIn = null } = scope
  const day = dayNumber(dayOf(asOf))
  const priced = await pricedCompanies(snapshot, scope, set.priceSetId, day, bound)
  const entities = priced.map(({ entityId }) => entityId)
  const found = await value(snapshot, {
    metrics,
    set,
    market: scope.market,
    entities,
    day,
    maxAgeDays,
    checks,
  })
  const companies = new Map(stated.map(company => [company.entityId, company]))
  for (const company of priced)
    if (!companies.has(company.entityId)) companies.set(company.entityId, { ...company, figures: new Map() })
  const valued = Map.groupBy(found, ({ entityId }) => entityId)
  return [...companies.values()]
    .map(company => {
      const own = valued.get(company.entityId) ?? []
      return { ...company, figures: new Map([...company.figures, ...own.map(figureOf)]) }
    })
    .filter(({ figures }) => filters.every(filter => fits(figures.get(filter.metric), filter, boundsIn)))
    .sort((a, b) => a.entityId - b.entityId)
}

const figureOf = ({ metric, value, priceDay, known, unit }: Valuation): readonly [string, TableFigure] => [
  metric,
  {
    value,
    unit,
    end: priceDay,
    filed: known,
    fy: Number(priceDay.slice(0, 4)),
    fp: dayPeriod,
    earlier: false,
    byTime: false,
  },
]

/** As for figures that filings state, amounts in another currency pass their bounds, and are then not compared. */
function fits(
  figure: TableFigure | undefined,
  { metric, min, max }: Filter,
  boundsIn: TableScope['boundsIn'],
): boolean {
  if (figure === undefined) return false
  const rule = boundsIn ?? null
  if (rule?.metrics.includes(metric) && figure.unit !== rule.code) return true
  return (
    figure.value >= (min ?? Number.NEGATIVE_INFINITY) && figure.value <= (max ?? Number.POSITIVE_INFINITY)
  )
}

/** The day of the close of a company's valuations, which is the same for all of them; null: it has none. */
export function priceDayOf(figures: ReadonlyMap<string, TableFigure>): string | null {
  for (const { fp, end } of figures.values()) if (fp === dayPeriod) return end
  return null
}
