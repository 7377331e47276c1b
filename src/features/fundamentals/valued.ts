import { dayNumber } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { isInstant } from '../../instants.ts'
import { findValuation } from '../../markets/valuations.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import { choosePrices } from '../asOfJoins/valuationPrices.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { type ValuationDeps, valueCompanies } from '../valuations/valueCompanies.ts'
import { type CompanyPlan, planCompany } from './plan.ts'
import { answerCompany, dataVersionConflict, maxAttempts } from './read.ts'
import type { FundamentalsList, FundamentalsQuery, FundamentalsRow } from './schema.ts'

/** The most days that one request values. */
const maxDays = 3_700

export type ValuedDeps = CompanyDeps & ValuationDeps

/** A request that names valuations, after all decisions about access. */
export interface ValuedPlan {
  readonly set: PriceSet
  readonly company: CompanyPlan
  readonly valuations: readonly string[]
  /** The same request for the metrics that filings state; null: there are none. */
  readonly stated: FundamentalsQuery | null
  readonly days: Int32Array
  /** Equal keys give equal bytes while the data version stays the same. */
  readonly cacheKey: string
}

const namesOf = (metric: string | undefined): string[] => metric?.split(',').map(name => name.trim()) ?? []

/** Whether a request for companies names a valuation. */
export const asksForValuations = ({ ticker, metric }: FundamentalsQuery): boolean =>
  ticker !== undefined && namesOf(metric).some(name => findValuation(name) !== undefined)

/** Decides what a request for valuations may see: the company by its rights, then the prices by theirs. */
export async function planValued(
  deps: ValuedDeps,
  rights: Rights,
  { prices, ...query }: FundamentalsQuery,
): Promise<ValuedPlan> {
  const names = [...new Set(namesOf(query.metric))]
  const valuations = names.filter(name => findValuation(name) !== undefined)
  const others = names.filter(name => findValuation(name) === undefined)
  refuseParameters(query, valuations[0])
  const { metric: _, ...rest } = query
  const stated = others.length === 0 ? null : { ...rest, metric: others.join(',') }
  const company = await planCompany(deps, rights, stated ?? rest)
  if (isInstant(company.asOf))
    throw refused(
      'as_of',
      `${valuations[0]} is a valuation of a day. Send the day as as_of, without a time, or join rows with times by POST /api/v1/as-of.`,
    )
  if (company.recentFiscalYearOnly)
    throw new Failure(
      'licence_required',
      `${valuations[0]} of ${company.ticker} takes figures of several fiscal years, and this key sees the most recent one. It requires an evaluation key or a Personal or Commercial data licence.`,
      { param: 'metric' },
    )
  const set = await choosePrices(deps.sql, rights, prices ?? null, valuations[0])
  const days = daysOf(company)
  const cacheKey = JSON.stringify(['valued', set.priceSetId, set.name, valuations, others, company.cacheKey])
  return { set, company, valuations, stated, days, cacheKey }
}

/** A valuation belongs to a day, so parameters about fiscal periods and several rows do not apply to it. */
function refuseParameters(query: FundamentalsQuery, valuation: string): void {
  if (query.ticker?.includes(','))
    throw refused(
      'ticker',
      `${valuation} is read of one company at a time here. POST /api/v1/as-of values many companies on many days.`,
    )
  for (const param of [
    'fp',
    'fy',
    'layout',
    'lineage',
    'adjust',
    'vintage',
    'fields',
    'max_age_days',
  ] as const)
    if (query[param] !== undefined)
      throw refused(
        param,
        `${valuation} is a valuation of a day, to which ${param} does not apply. Omit ${param}, or request other metrics separately.`,
      )
}

const refused = (param: string, message: string) => new Failure('parameter_invalid', message, { param })

/** The day of as_of or, with view=history and from, every day from then on. */
function daysOf({ view, from, asOf }: CompanyPlan): Int32Array {
  const last = dayNumber(asOf)
  const first = view === 'history' && from !== null ? dayNumber(from) : last
  const count = last - first + 1
  if (count > maxDays)
    throw refused(
      'from',
      `from=${from} to ${asOf} are ${count.toLocaleString('en')} days; the limit is ${maxDays.toLocaleString('en')}. Send several requests.`,
    )
  return Int32Array.from({ length: Math.max(1, count) }, (_, i) => last - Math.max(1, count) + 1 + i)
}

/** The rows of a company that filings state, followed by its valuations. */
export async function answerValued(
  deps: ValuedDeps,
  rights: Rights,
  plan: ValuedPlan,
): Promise<FundamentalsList> {
  const { company, valuations: metrics, set, days, stated } = plan
  const source = deps.markets.get(company.market)?.source_notice ?? company.market
  for (let left = maxAttempts; left > 0; left--) {
    const list =
      stated === null
        ? emptyList(deps, company)
        : await answerCompany(deps, rights, stated, await planCompany(deps, rights, stated))
    const request = { metrics, set, entities: [company.entityId], days, checks: company.checks }
    const { dataVersion, valuations } = await valueCompanies(deps, request)
    if (stated !== null && list.data_version !== dataVersion) continue
    const isKnownOnOtherDay = days.length > 1
    const rows: FundamentalsRow[] = valuations
      // A day without a price of its own would repeat the one before.
      .filter(({ day, priceDay }) => !isKnownOnOtherDay || dayNumber(priceDay) === day)
      .map(({ metric, priceDay, known, value, unit }) => ({
        m: metric,
        fy: Number(priceDay.slice(0, 4)),
        fp: 'D',
        end: priceDay,
        filed: known,
        v: value,
        u: unit,
        ticker: company.ticker,
        issuer_id: company.issuerId,
        source: `${source}; prices: ${set.name}`,
        until: null,
        kind: 'derived',
      }))
    const shown = new Set(rows.map(({ m }) => m))
    const absent = metrics.filter(metric => !shown.has(metric))
    const notes = [list.note, absent.length === 0 ? undefined : whyAbsent(company, set, absent)]
    const note = notes.filter(one => one !== undefined).join(' ')
    const { data, count: _, missing, ...head } = list
    return {
      ...head,
      price_set: set.name,
      data_version: dataVersion,
      ...(note === '' ? {} : { note }),
      ...(missing === undefined ? {} : { missing }),
      count: data.length + rows.length,
      data: [...data, ...rows],
    }
  }
  throw dataVersionConflict()
}

const whyAbsent = ({ ticker, asOf }: CompanyPlan, { name, currency }: PriceSet, absent: readonly string[]) =>
  `${ticker} has no ${absent.join(', ')} on ${asOf}: ${name} has no close of the 10 days before, or closes of several of its securities; no count of shares on one basis with the close was known; or a figure was unknown, not in ${currency}, older than 550 days, or as a denominator not positive.`

function emptyList({ markets }: ValuedDeps, company: CompanyPlan): FundamentalsList {
  const manifest = markets.get(company.market)
  return {
    object: 'fundamentals_list',
    ticker: company.ticker,
    issuer_id: company.issuerId,
    name: company.name,
    market: company.market,
    as_of: company.asOf,
    view: company.view,
    ...(company.isSymbolAssumed ? { symbol_assumed: true as const } : {}),
    data_version: 0,
    ...(company.freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    count: 0,
    data: [],
  }
}
