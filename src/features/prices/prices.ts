import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { type AsOf, isInstant } from '../../instants.ts'
import { parseAsOf, resolveAsOf } from '../../markets/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { symbolsKnownOn } from '../../prices/knownSymbols.ts'
import { type PriceSet, readPriceHistories } from '../../prices/priceQueries.ts'
import { asKnownOn, lastPriceDay, type PriceHistory, tradedFactors } from '../../prices/priceSeries.ts'
import { enforceEntityCap } from '../../rights/entityCap.ts'
import { freeLicenceNotice, isFreeData } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { type ResolvedCompany, resolveCompanies } from '../companies/lookup.ts'
import { maxCompanies, maxPriceRows, type PriceList, type PricesQuery } from './schema.ts'
import { readVersion } from './setQueries.ts'
import { attributionOf } from './sets.ts'

type Deps = Pick<CompanyDeps, 'sql' | 'lookups' | 'markets' | 'directory' | 'today'>

/** A request for prices of companies after all decisions. */
export interface PricesPlan {
  readonly set: PriceSet
  readonly companies: readonly ResolvedCompany[]
  /** By company. */
  readonly asOf: readonly AsOf[]
  readonly from: string | null
  readonly to: string | null
  readonly freeLicence: boolean
  readonly cacheKey: string
}

/** Finds the companies that a request names. Each counts against a cap before any price of it is read. */
export async function findNamed(
  deps: Deps,
  rights: Rights,
  sent: string,
  query: Pick<PricesQuery, 'as_of' | 'tz'>,
): Promise<{ readonly companies: readonly ResolvedCompany[]; readonly asOf: readonly AsOf[] }> {
  const ids = [...new Set(sent.split(',').map(id => id.trim().toUpperCase()))].filter(id => id !== '')
  if (ids.length === 0 || ids.length > maxCompanies)
    throw new Failure(
      'parameter_invalid',
      `ticker names ${ids.length} companies. Send 1 to ${maxCompanies}, separated by commas.`,
      { param: 'ticker' },
    )
  const sentAsOf = parseAsOf(query)
  const companies = await resolveCompanies(deps, ids, sentAsOf)
  const entityIds = companies.map(({ entityId }) => entityId)
  await enforceEntityCap(deps, rights, entityIds, 'this request', 'ticker')
  const asOf = companies.map(({ market }) => resolveAsOf(deps.markets, market, sentAsOf, deps.today()))
  return { companies, asOf }
}

export async function planPrices(
  deps: Deps,
  rights: Rights,
  set: PriceSet,
  query: PricesQuery,
): Promise<PricesPlan> {
  const { from = null, to = null } = query
  requireOrder(from, to)
  const { companies, asOf } = await findNamed(deps, rights, query.ticker, query)
  const freeLicence = isFreeData(rights)
  const named = companies.map(({ entityId, ticker }) => [entityId, ticker])
  const cacheKey = `prices ${JSON.stringify([set.name, named, asOf, from, to, freeLicence])}`
  return { set, companies, asOf, from, to, freeLicence, cacheKey }
}

export function requireOrder(from: string | null, to: string | null): void {
  if (from !== null && to !== null && from > to)
    throw new Failure('parameter_invalid', `from=${from} is after to=${to}. Swap them.`, { param: 'from' })
}

export async function readPrices(sql: SqlClient, plan: PricesPlan): Promise<PriceList> {
  const { set, companies, from, to } = plan
  const range = { from: from ?? undefined, to: to ?? undefined }
  // Undoing an adjustment takes the splits of all later years.
  const needed = set.basis === 'split_adjusted' ? { from: range.from } : range
  const histories = await readPriceHistories(
    sql,
    set.priceSetId,
    companies.map(({ entityId }) => entityId),
    needed,
  )
  const data: PriceList['data'] = []
  const without: string[] = []
  for (const [index, { entityId, ticker }] of companies.entries()) {
    const own = histories.get(entityId) ?? []
    const before = data.length
    for (const history of own) addRows(data, history, { set, ticker, asOf: plan.asOf[index], from, to })
    if (data.length === before) without.push(ticker)
    if (data.length > maxPriceRows) throw tooManyRows()
  }
  const note =
    without.length === 0 ? '' : `No price of ${without.slice(0, 10).join(', ')} was known on these days.`
  return {
    object: 'price_list',
    set: set.name,
    currency: set.currency,
    basis: set.basis,
    as_of: asOfShown(plan.asOf),
    data_version: await readVersion(sql),
    ...(plan.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: attributionOf(set),
    ...(note === '' ? {} : { note }),
    count: data.length,
    data,
  }
}

/** Companies of several markets may read an instant in several zones; the first one is shown. */
const asOfShown = (asOf: readonly AsOf[]): AsOf => asOf.find(isInstant) ?? asOf[0]

interface RowRequest {
  readonly set: PriceSet
  readonly ticker: string
  readonly asOf: AsOf
  readonly from: string | null
  readonly to: string | null
}

function addRows(
  data: PriceList['data'],
  history: PriceHistory,
  { set, ticker, asOf, from, to }: RowRequest,
): void {
  const lastDay = lastPriceDay(asOf)
  const series = asKnownOn(history, lastDay)
  const isUndone = set.basis === 'raw' || (set.basis === 'split_adjusted' && set.statesSplits)
  const factors = tradedFactors(series, history, set)
  const symbols = symbolsKnownOn(history.symbols, lastDay)
  for (let at = 0; at < series.count && data.length <= maxPriceRows; at++) {
    const date = isoDate(series.days[at])
    if ((from !== null && date < from) || (to !== null && date > to)) continue
    data.push({
      date,
      ticker,
      symbol: symbols[symbols.length - 1],
      close: orNull(series.closes[at]),
      close_as_traded: isUndone ? orNull(series.closes[at] * factors[at]) : null,
      volume: orNull(series.volumes[at]),
      split_factor: series.splitFactors[at],
      dividend: series.dividends[at],
      delisting_return: orNull(series.delistingReturns[at]),
      known: isoDate(series.knownDays[at]),
    })
  }
}

export const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

function tooManyRows(): Failure {
  return new Failure(
    'parameter_invalid',
    `The answer would have more than ${maxPriceRows.toLocaleString('en-US')} rows. Send fewer companies, or from and to.`,
    { param: 'ticker' },
  )
}
