import { daysBefore, type IsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { readDay } from '../../facts/dayParameters.ts'
import { type AsOf, dayOf } from '../../instants.ts'
import { parseAsOf, pastDay, resolveAsOf, type SentAsOf } from '../../markets/asOf.ts'
import { type CheckState, readChecks } from '../../markets/checkStates.ts'
import { readColumns, readMarket, readMetrics } from '../../markets/parameters.ts'
import { enforceEntityCap } from '../../rights/entityCap.ts'
import { isFreeData } from '../../rights/licences.ts'
import type { RecentYearOnly } from '../../rights/openHistory.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { type KnownLineage, lineageOf, lineageShown, successionsOf } from '../companies/lineage.ts'
import { idPattern, type ResolvedCompany, resolveCompanies } from '../companies/lookup.ts'
import { findByNumbers } from '../companies/symbolQueries.ts'
import { type ProvenanceField, readFields } from './fields.ts'
import { type PeriodFilter, readPeriodFilter, selectsAllPeriods } from './periods.ts'
import { type FundamentalsQuery, maxTickers, type Vintage } from './schema.ts'

/** What a request selects from each of its companies: its parameters, validated and with defaults applied. */
export interface Selection extends PeriodFilter {
  readonly asOf: AsOf
  readonly view: 'history' | 'latest'
  readonly vintage: Vintage
  /** Null for all. */
  readonly metrics: readonly string[] | null
  /** Earliest period end, or null. */
  readonly from: IsoDate | null
  /** States of figures; figures in others are left out. Null for all. */
  readonly checks: readonly CheckState[] | null
  /** Additional columns. */
  readonly fields: readonly ProvenanceField[]
  /** `splits` adjusts share counts and per-share figures for splits; null leaves them as filed. */
  readonly adjust: 'splits' | null
  /** One row per figure, or per period. */
  readonly layout: 'long' | 'wide'
  /** For a wide layout: the metrics in the order of the request, or null for all that have a figure. */
  readonly columns: readonly string[] | null
}

/**
 * A request for one company's figures after all decisions about access, as plain data. Queries execute it
 * without further decisions.
 */
export interface CompanyPlan extends Selection, ResolvedCompany {
  /** The requested market, if the company belongs to another one; there are no rows then. */
  readonly otherMarket: string | null
  readonly recentFiscalYearOnly: RecentYearOnly
  /** Its predecessors and successors as known on the day, or null. */
  readonly lineage: KnownLineage | null
  /** The plans of the other registrants of its lineage, if the response follows it. */
  readonly others: readonly CompanyPlan[]
  /** Whether the response states the Free Licence. */
  readonly freeLicence: boolean
  /** The parameter with which the caller chose a day or data version, or null. */
  readonly choosesBy: 'as_of' | 'data_version' | null
  /** Equal keys give equal bytes while the data version stays the same. */
  readonly cacheKey: string
}

export async function planCompany(
  deps: CompanyDeps,
  rights: Rights,
  query: FundamentalsQuery,
): Promise<CompanyPlan> {
  const [ticker, ...further] = readTickers(query)
  if (further.length > 0) throw new Error('Several companies are planned by planCompanies.')
  const request = readRequest(deps, query)
  const [company] = await resolveCompanies(deps, [ticker], request.sent)
  const checked = request.of(company.market)
  const { asOf } = checked.selection
  const lineage = lineageOf(await successionsOf(deps.lookups, deps.directory), company.entityId, asOf)
  const plan = { ...planFor(rights, checked, company), lineage }
  const others = query.lineage === 'follow' ? await planOthers(deps, rights, checked, plan) : []
  const ids = [company, ...others].map(({ entityId }) => entityId)
  await enforceEntityCap(deps, rights, ids, company.ticker, 'ticker')
  if (lineage === null) return plan
  const shown = [lineageShown(lineage), ...others.map(other => other.cacheKey)]
  return { ...plan, others, cacheKey: `${plan.cacheKey} ${JSON.stringify(shown)}` }
}

/** Plans the other registrants of a lineage. The caller's rights apply to each as to a separate request. */
async function planOthers(
  deps: Pick<CompanyDeps, 'lookups'>,
  rights: Rights,
  request: CheckedRequest,
  { lineage, entityId }: CompanyPlan,
): Promise<CompanyPlan[]> {
  const others = lineage?.registrants.filter(registrant => registrant.entityId !== entityId) ?? []
  const companies = await findByNumbers(deps.lookups, others)
  return companies.map(company => planFor(rights, request, { ...company, isSymbolAssumed: false }))
}

/** A request for several companies after all decisions; each is treated as if requested alone. */
export interface CompaniesPlan {
  readonly selection: Selection
  /** In the order of the request. */
  readonly companies: readonly CompanyPlan[]
  readonly freeLicence: boolean
  /** Equal keys give equal bytes while the data version stays the same. */
  readonly cacheKey: string
}

export async function planCompanies(
  deps: CompanyDeps,
  rights: Rights,
  query: FundamentalsQuery,
): Promise<CompaniesPlan> {
  const tickers = readTickers(query)
  const request = readRequest(deps, query)
  const found = await resolveCompanies(deps, tickers, request.sent)
  request.requireOneInstant([...new Set(found.map(company => company.market))])
  const successions = await successionsOf(deps.lookups, deps.directory)
  const companies = found.map(company => {
    const plan = planFor(rights, request.of(company.market), company)
    const lineage = lineageOf(successions, company.entityId, plan.asOf)
    if (lineage === null) return plan
    return { ...plan, lineage, cacheKey: `${plan.cacheKey} ${JSON.stringify(lineageShown(lineage))}` }
  })
  refuseRepeats(found)
  const ids = [...new Set(found.map(company => company.entityId))]
  await enforceEntityCap(deps, rights, ids, 'this list', 'ticker', '; a shorter list may still be allowed')
  return {
    selection: request.of(found[0].market).selection,
    companies,
    freeLicence: companies[0].freeLicence,
    cacheKey: `batch ${companies.map(company => company.cacheKey).join(' ')}`,
  }
}

/** A former ID or a number beside the current ID would duplicate the company's rows under one ID. */
function refuseRepeats(companies: readonly ResolvedCompany[]): void {
  const seen = new Map<string, ResolvedCompany>()
  for (const company of companies) {
    const other = seen.get(company.ticker)
    seen.set(company.ticker, company)
    if (other === undefined) continue
    const sentId = company.sentId ?? other.sentId
    const why = sentId === null ? 'it was sent in two spellings' : `${sentId} is another ID of it`
    throw refused(`ticker names ${company.ticker} more than once: ${why}. Send each company once.`)
  }
}

interface CheckedRequest {
  readonly selection: Selection
  readonly market: string | null
  /** The parameter with which the caller chose a day or data version, or null. */
  readonly choosesBy: 'as_of' | 'data_version' | null
}

/** A request whose day or instant is resolved in its company's market: an instant is written in the market's zone. */
interface SentRequest {
  readonly sent: SentAsOf | null
  /** Fails for a local time or a session that is a different instant in each of these markets. */
  requireOneInstant(markets: readonly string[]): void
  of(market: string): CheckedRequest
}

function readRequest(deps: Pick<CompanyDeps, 'markets' | 'today'>, query: FundamentalsQuery): SentRequest {
  const sent = parseAsOf(query)
  const today = deps.today()
  // A day is the same in every market, and is checked before the companies are looked up.
  if (sent === null || sent.kind === 'day') {
    const checked = checkRequest(deps, query, sent === null ? today : pastDay(sent.day, today))
    return { sent, of: () => checked, requireOneInstant: () => {} }
  }
  checkRequest(deps, query, today)
  const requireOneInstant = (markets: readonly string[]) => {
    if (sent.kind === 'instant' || markets.length < 2) return
    throw new Failure(
      'parameter_invalid',
      `as_of=${query.as_of} means a different instant in each of the markets ${markets.join(', ')}. Send a time with its offset, like 2010-01-25T16:00:00-05:00.`,
      { param: 'as_of' },
    )
  }
  return {
    sent,
    requireOneInstant,
    of: market => checkRequest(deps, query, resolveAsOf(deps.markets, market, sent, today)),
  }
}

function checkRequest(
  deps: Pick<CompanyDeps, 'markets'>,
  query: FundamentalsQuery,
  asOf: AsOf,
): CheckedRequest {
  const view = query.view ?? 'history'
  if (view === 'latest' && query.vintage !== undefined) {
    throw new Failure(
      'parameter_invalid',
      `vintage=${query.vintage} chooses among the vintages of view=history, but view=latest always shows the vintage that is current on as_of. Omit one of the two.`,
      { param: 'vintage' },
    )
  }
  const layout = query.layout ?? 'long'
  if (layout === 'wide') checkWide(query, view)
  if (query.lineage === 'follow') checkLineage(query)
  if (view === 'history' && query.max_age_days !== undefined) {
    throw new Failure(
      'parameter_invalid',
      `max_age_days=${query.max_age_days} is for view=latest. Send view=latest, or from= for the earliest period end of a history.`,
      { param: 'max_age_days' },
    )
  }
  const known = deps.markets.metrics
  return {
    selection: {
      asOf,
      view,
      vintage: query.vintage ?? (layout === 'wide' ? 'latest' : 'all'),
      adjust: query.adjust ?? null,
      layout,
      columns: layout === 'wide' && query.metric !== undefined ? readColumns(known, query.metric) : null,
      metrics: readMetrics(known, query.metric),
      from: earliestEnd(query, asOf),
      checks: readChecks(query.checks),
      fields: readFields(query.fields),
      ...readPeriodFilter(query),
    },
    market: query.market === undefined ? null : readMarket(deps.markets, query.market),
    choosesBy: query.as_of !== undefined ? 'as_of' : query.data_version !== undefined ? 'data_version' : null,
  }
}

/** The later of the two bounds, or null. */
function earliestEnd({ from, max_age_days }: FundamentalsQuery, asOf: AsOf): IsoDate | null {
  const sent = from === undefined ? null : readDay('from', from)
  if (max_age_days === undefined) return sent
  const oldest = daysBefore(dayOf(asOf), max_age_days)
  return sent !== null && sent > oldest ? sent : oldest
}

/** In a wide layout a cell has one figure and a row one period. */
function checkWide(
  { vintage, ticker = '', metric, fields }: FundamentalsQuery,
  view: Selection['view'],
): void {
  const refuse = (param: string, why: string) => {
    throw new Failure('parameter_invalid', why, { param })
  }
  if (view === 'latest') {
    refuse('view', 'layout=wide has a row per period, and view=latest a row per metric. Omit one of the two.')
  }
  if (vintage === 'all') {
    refuse(
      'vintage',
      'layout=wide shows one figure per period and metric, and vintage=all shows several. Send vintage=latest or vintage=first.',
    )
  }
  if (fields !== undefined) {
    refuse(
      'fields',
      'fields says where one figure comes from, and a row of layout=wide has several. Omit one of the two.',
    )
  }
  if (metric === undefined && ticker.includes(',')) {
    refuse(
      'metric',
      'layout=wide of several companies requires metric: the columns are written before the companies are read. Send the metrics, separated by commas.',
    )
  }
}

/** A lineage is read for one company, row by row. */
function checkLineage({ ticker = '', layout, adjust }: FundamentalsQuery): void {
  const refuse = (param: string, why: string) => {
    throw new Failure('parameter_invalid', `lineage=follow ${why}`, { param })
  }
  if (ticker.includes(',')) refuse('ticker', 'is for one company. Send one request for each.')
  if (layout === 'wide')
    refuse(
      'layout',
      'returns rows of several registrants, but a row of layout=wide has only one. Omit one of the two.',
    )
  if (adjust !== undefined)
    refuse(
      'adjust',
      'cannot be combined with adjust: splits are detected for each registrant. Omit one of the two.',
    )
}

/** Decides what the caller may see of one company. */
function planFor(
  rights: Rights,
  { selection, market, choosesBy }: CheckedRequest,
  company: ResolvedCompany,
): CompanyPlan {
  rights.requirePastOf(company, choosesBy)
  const freeLicence = isFreeData(rights)
  const recentFiscalYearOnly = rights.recentYearOnly(company)
  const otherMarket = market === null || market === company.market ? null : market
  const { entityId, ticker, issuerId, name, twin, sentId, formerHolders } = company
  const { asOf, view, vintage, metrics, from, fps, years, layout, columns, adjust, checks, fields } =
    selection
  const cacheKey = JSON.stringify([
    entityId,
    ticker,
    issuerId,
    name,
    company.market,
    twin,
    sentId,
    formerHolders,
    asOf,
    view,
    vintage,
    metrics,
    from,
    otherMarket,
    recentFiscalYearOnly,
    freeLicence,
    ...(selectsAllPeriods(selection) ? [] : [fps, years]),
    ...(adjust === null ? [] : [adjust]),
    ...(checks === null ? [] : [{ checks }]),
    ...(company.isSymbolAssumed ? ['assumed'] : []),
    ...(layout === 'long' ? [] : ['wide', columns]),
    ...fields,
  ])
  return {
    ...company,
    ...selection,
    otherMarket,
    recentFiscalYearOnly,
    lineage: null,
    others: [],
    freeLicence,
    choosesBy,
    cacheKey,
  }
}

const idShape = new RegExp(idPattern)

/**
 * The request's IDs in upper case, in their order. Duplicates are rejected: they would double a company's
 * rows in every sum over the response.
 */
function readTickers(query: FundamentalsQuery): string[] {
  for (const param of ['limit', 'cursor'] as const) {
    if (query[param] !== undefined) {
      throw new Failure(
        'parameter_invalid',
        `${param} is for pages of the coverage index and cannot be combined with ticker. Omit one of the two.`,
        { param },
      )
    }
  }
  const sent = (query.ticker ?? '').split(',').map(id => id.trim())
  if (sent.length > maxTickers) {
    throw refused(
      `ticker names ${sent.length.toLocaleString('en-US')} companies; the limit is ${maxTickers} per request.`,
    )
  }
  const tickers = new Set<string>()
  for (const id of sent) {
    if (!idShape.test(id)) {
      const what = id === '' && sent.length > 1 ? 'An empty ID in ticker' : `ticker=${id.slice(0, 40)}`
      throw refused(
        `${what} is not allowed: a company ID has 1 to 32 letters, digits, dots, hyphens, slashes or underscores, like AAPL or 2330.TW. GET /api/search?q= finds the ID for a name.`,
      )
    }
    const ticker = id.toUpperCase()
    if (tickers.has(ticker)) throw refused(`ticker names ${ticker} more than once. Name each company once.`)
    tickers.add(ticker)
  }
  return [...tickers]
}

const refused = (message: string) => new Failure('parameter_invalid', message, { param: 'ticker' })
