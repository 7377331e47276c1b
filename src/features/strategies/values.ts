import { type IsoDate, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Row } from '../../formats/columns.ts'
import { dayOf } from '../../instants.ts'
import {
  capitalisation,
  computeStrategy,
  type KnownFigure,
  lackingMetrics,
  type Strategy,
  type StrategyValue,
  strategies,
  strategyMetric,
  type UsedFigure,
} from '../../markets/strategies/strategies.ts'
import type { Sql, SqlClient } from '../../postgres/client.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { PriceSet } from '../../prices/priceQueries.ts'
import type { Rights } from '../../rights/rights.ts'
import { nearNames } from '../../spelling.ts'
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
import { capitalisationOfPeriod, capitalisationsOf, requireDay, type ValueCompanies } from './priced.ts'
import { type InputCompany, type InputFigure, inputsOfMarket } from './queries.ts'
import { type StrategyValuesQuery, strategyLimit } from './schema.ts'

export function strategyOf(name: string): Strategy {
  const found = strategies.get(name)
  if (found !== undefined) return found
  const near = nearNames(name, strategies.keys(), 3)
  const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
  throw new Failure(
    'entity_unknown',
    `${name.slice(0, 64)} is not a strategy.${hint} GET /api/v1/strategies lists all of them.`,
  )
}

export interface ValuesPlan extends MarketQuery {
  readonly strategy: Strategy
  /** The set of prices; null: the strategy takes none. */
  readonly set: PriceSet | null
  readonly cacheKey: string
}

/** Values need figures of several fiscal years, so the key must see all of them. */
export function requireAllYears(rights: Rights, { name }: Strategy): void {
  if (rights.seesAllHistory) return
  throw new Failure(
    'licence_required',
    `The values of ${name} compare several fiscal years of every company, and this key sees only the most recent one. Use an evaluation key or a Personal or Commercial data licence. GET /api/v1/strategies/${name} shows the definition and the coverage.`,
  )
}

/** The caller has checked the rights, and those to the set. */
export function planValues(
  deps: MarketDeps,
  viewer: PageViewer,
  strategy: Strategy,
  query: StrategyValuesQuery,
  set: PriceSet | null,
): ValuesPlan {
  const { name } = strategy
  const question = resolveMarketPage(deps, viewer, query, {
    route: 'strategies',
    limits: strategyLimit,
    query: set === null ? [name] : [name, set.priceSetId],
  })
  requireDay(question, strategy)
  const { metrics } = deps.markets
  const lacking = lackingMetrics(metrics, strategy, question.market)
  if (lacking.length > 0)
    throw new Failure(
      'parameter_invalid',
      `market is ${question.market}, whose register does not report ${lacking.join(', ')}, which ${name} requires. Send one of ${strategyMetric(metrics, strategy).markets.join(', ')}.`,
      { param: 'market' },
    )
  const plan = { metric: name, ...question }
  const ofSet = set === null ? '' : ` prices ${set.priceSetId}`
  const cacheKey = `${marketCacheKey('strategies', viewer.rights, plan)}${ofSet}`
  return { ...plan, strategy, set, cacheKey }
}

/** The lines and the inputs of a strategy, each as the name of a column. */
export function numbersOf(strategy: Strategy): readonly string[] {
  const figure = { end: 0, filed: 0, value: Number.NaN, unit: 0 }
  const used =
    computeStrategy(
      strategy,
      strategy.inputs.map(() => [figure]),
    )?.used ?? []
  return [...strategy.lines.slice(0, -1).map(({ name }) => name), ...used.map(columnOf)]
}

const columnOf = ({ metric, lag }: Pick<UsedFigure, 'metric' | 'lag'>) =>
  lag === 0 ? metric : `${metric}_${lag}`
/** `assets[-1]` is the figure of the year before. */
export const nameOf = ({ metric, lag }: Pick<UsedFigure, 'metric' | 'lag'>) =>
  lag === 0 ? metric : `${metric}[-${lag}]`

export async function readValues(
  deps: Pick<CompanyDeps, 'sql' | 'markets' | 'cursors'> & ValuerDeps,
  rights: Rights,
  plan: ValuesPlan,
) {
  const { strategy, set, market, asOf } = plan
  const page = await withCapitalisations(deps, set, { market, day: dayOf(asOf) }, sql =>
    inputsOfMarket(sql, strategy, plan),
  )
  await countRows(deps, rights, plan, page.rows)
  const next = nextCompany(plan, page)
  const source = deps.markets.get(market)?.source_notice ?? market
  const empty = `No ${plan.after === null ? '' : 'further '}company of market ${market} states ${strategy.anchor} in filings up to ${asOf}.`
  return {
    object: 'strategy_values' as const,
    strategy: strategy.name,
    market,
    as_of: asOf,
    ...(set === null ? {} : { price_set: set.name }),
    ...pageFields(deps, plan, { ...page, next }, [page.rows.length === 0 ? empty : null]),
    data: page.rows.map(company => rowOf(strategy, company, source)),
  }
}

interface ValuerDeps {
  readonly sql: Sql
  /** Only used for strategies that take prices. */
  readonly valueCompanies: ValueCompanies
}

/** A page of companies with their market capitalisations among the inputs, all of one data version. */
function withCapitalisations<Page extends { readonly rows: readonly InputCompany[] }>(
  { sql, valueCompanies }: ValuerDeps,
  set: PriceSet | null,
  scope: { readonly market: string; readonly day: IsoDate },
  read: (sql: SqlClient) => Promise<Page>,
): Promise<Page> {
  if (set === null) return read(sql)
  return withSnapshot(sql, async snapshot => {
    const page = await read(snapshot)
    const entities = page.rows.map(({ entityId }) => entityId)
    const found = await capitalisationsOf(snapshot, valueCompanies, set, { ...scope, entities })
    const rows = page.rows.map(company => {
      const own = found.get(company.entityId)
      return own === undefined ? company : { ...company, figures: [...company.figures, own] }
    })
    return { ...page, rows }
  })
}

const plain = (value: number) => (Number.isNaN(value) ? null : value + 0)

/** The value of a company, with the figure as filed behind each input. */
export interface CompanyValue {
  readonly entityId: number
  readonly ticker: string
  readonly issuerId: string
  readonly found: StrategyValue
  /** The currency of the anchor. */
  readonly unit: string
  readonly inputs: readonly InputOfValue[]
}

export interface InputOfValue {
  readonly metric: string
  readonly lag: number
  /** Null if none is known. */
  readonly figure: InputFigure | null
}

export interface ValuesScope {
  readonly market: string
  readonly day: IsoDate
  readonly companies: readonly number[]
  /** Null: the strategy takes no prices, or the visitor sees none. */
  readonly set: PriceSet | null
}

/** Values of given companies of a market, in the order of import. The caller has checked that they may be seen. */
export async function valuesOfCompanies(
  deps: ValuerDeps,
  strategy: Strategy,
  { market, day, companies, set }: ValuesScope,
): Promise<CompanyValue[]> {
  const scope = { market, asOf: day, after: null, limit: companies.length, seen: companies }
  const page = await withCapitalisations(deps, set, { market, day }, sql =>
    inputsOfMarket(sql, strategy, scope),
  )
  return page.rows.map(company => companyValueOf(strategy, company))
}

function companyValueOf(
  strategy: Strategy,
  { entityId, ticker, issuerId, figures }: InputCompany,
): CompanyValue {
  const units = [...new Set(figures.map(({ unit }) => unit))]
  const chosen = strategy.inputs.map(metric =>
    onePerPeriod(figures.filter(figure => figure.metric === metric)),
  )
  const stated = chosen.map(list =>
    list.map(
      ({ end, filed, value, unit }): KnownFigure => ({ end, filed, value, unit: units.indexOf(unit) }),
    ),
  )
  const anchor = stated[strategy.inputs.indexOf(strategy.anchor)]
  const known = strategy.inputs.map((metric, index) => {
    const [priced] = chosen[index]
    if (metric !== capitalisation || priced === undefined) return stated[index]
    return capitalisationOfPeriod(priced, units.indexOf(priced.unit), anchor)
  })
  const found = computeStrategy(strategy, known)
  if (found === null) throw new Error(`The page of ${strategy.name} has a company without its first input.`)
  const inputs = found.used.map(({ metric, lag, figure }) => ({
    metric,
    lag,
    figure:
      figure === null
        ? null
        : (chosen[strategy.inputs.indexOf(metric)].find(
            ({ end }) => metric === capitalisation || end === figure.end,
          ) ?? null),
  }))
  return { entityId, ticker, issuerId, found, unit: units[found.unit], inputs }
}

function rowOf(strategy: Strategy, company: InputCompany, source: string): Row {
  const { ticker, issuerId, found, unit, inputs } = companyValueOf(strategy, company)
  return {
    ticker,
    issuer_id: issuerId,
    end: isoDate(found.end),
    filed: isoDate(found.filed),
    value: plain(found.value),
    score: plain(found.score),
    unit: strategy.unit === 'pure' ? 'pure' : unit,
    ...Object.fromEntries(
      strategy.lines.slice(0, -1).map(({ name }, line) => [name, plain(found.lines[line])]),
    ),
    ...Object.fromEntries(found.used.map(used => [columnOf(used), plain(used.figure?.value ?? Number.NaN)])),
    missing: inputs.filter(({ figure }) => figure === null).map(nameOf),
    filings: inputs.flatMap(input =>
      input.figure === null
        ? []
        : `${nameOf(input)}:${isoDate(input.figure.end)}:${isoDate(input.figure.filed)}:${input.figure.accession ?? ''}`,
    ),
    source,
  }
}

/** Of figures that end on one day, the same one as in joins. */
function onePerPeriod(figures: readonly InputFigure[]): InputFigure[] {
  const best = new Map<number, InputFigure>()
  for (const figure of figures) {
    const other = best.get(figure.end)
    if (
      other === undefined ||
      (figure.rank - other.rank || figure.filed - other.filed || figure.value - other.value) > 0
    )
      best.set(figure.end, figure)
  }
  return [...best.values()]
}
