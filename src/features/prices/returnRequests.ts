import { TypeCompiler } from '@sinclair/typebox/compiler'
import { describeFault } from '../../backtest/codec/faults.ts'
import { defaultDelistingReturn, defaultEntryLag } from '../../backtest/forwardReturns.ts'
import { dayNumber } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { type AsOf, lastWholeDay } from '../../instants.ts'
import { parseAsOf, pastDay, resolveAsOf } from '../../markets/asOf.ts'
import { type PriceSet, readTradingDays } from '../../prices/priceQueries.ts'
import { lastPriceDay } from '../../prices/priceSeries.ts'
import { enforceEntityCap } from '../../rights/entityCap.ts'
import { isFreeData } from '../../rights/licences.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { idReader } from '../companies/symbols.ts'
import { everyTradingDay, type ReturnRows, type ReturnSettings } from './forwardReturns.ts'
import { findCompaniesOfSymbols, type NamedDays } from './import/findCompanies.ts'
import { findNamed, requireOrder } from './prices.ts'
import { ForwardReturnsBody, type ForwardReturnsQuery, maxHorizons } from './schema.ts'
import { readSetCompanies } from './setQueries.ts'

type Deps = Pick<CompanyDeps, 'sql' | 'lookups' | 'markets' | 'directory' | 'today'>

export interface ReturnsPlan {
  readonly rows: ReturnRows
  readonly settings: ReturnSettings
}

/** Every trading day of a range, for named companies or for all of a set. */
export async function planReturns(
  deps: Deps,
  rights: Rights,
  set: PriceSet,
  query: ForwardReturnsQuery,
): Promise<ReturnsPlan> {
  requireOrder(query.from, query.to)
  const horizons = [...new Set((query.horizons ?? '1').split(',').map(Number))]
  const wrong = horizons.find(horizon => horizon < 1 || horizon > 2_520)
  if (wrong !== undefined || horizons.length > maxHorizons)
    throw new Failure(
      'parameter_invalid',
      `horizons=${query.horizons} must be up to ${maxHorizons} numbers of trading days from 1 to 2520, separated by commas.`,
      { param: 'horizons' },
    )
  const { companies, asOf } = await companiesOf(deps, rights, set, query)
  const tradingDays = await readTradingDays(deps.sql, set.priceSetId, lastPriceDay(asOf))
  return {
    rows: everyTradingDay(tradingDays, companies, query.from, query.to),
    settings: {
      horizons,
      entryLag: query.entry_lag ?? defaultEntryLag,
      delisting: query.delisting ?? defaultDelistingReturn,
      asOf,
      freeLicence: isFreeData(rights),
    },
  }
}

/** The companies whose returns are wanted, and up to when their prices count. */
async function companiesOf(deps: Deps, rights: Rights, set: PriceSet, query: ForwardReturnsQuery) {
  if (query.ticker !== undefined) {
    const { companies, asOf } = await findNamed(deps, rights, query.ticker, query)
    return { companies, asOf: earliest(asOf) }
  }
  if (rights.entityCap !== null)
    throw new Failure(
      'parameter_invalid',
      'ticker is missing. A key with a limit of distinct companies must name those whose returns it wants.',
      { param: 'ticker' },
    )
  const all = await readSetCompanies(deps.sql, set.priceSetId)
  const sent = parseAsOf(query)
  const days = new Map(
    [...new Set(all.map(({ market }) => market))].map(market => [
      market,
      lastWholeDay(resolveAsOf(deps.markets, market, sent, deps.today())),
    ]),
  )
  // Companies whose prices became known later are not told of, and do not decide which day it is.
  const known = all.filter(({ market, knownFrom }) => knownFrom <= (days.get(market) ?? ''))
  const ofKnown = known.flatMap(({ market }) => days.get(market) ?? [])
  const asOf = earliest(ofKnown.length > 0 ? ofKnown : [resolveAsOf(deps.markets, 'US', sent, deps.today())])
  const day = lastWholeDay(asOf)
  return { companies: known.filter(({ knownFrom }) => knownFrom <= day), asOf: day }
}

/** An instant is another day in each market. The earliest counts, so no market shows prices of a day that has not ended in it. */
const earliest = (asOf: readonly AsOf[]): AsOf =>
  asOf.reduce((first, one) => (lastWholeDay(one) < lastWholeDay(first) ? one : first))

const bodyCheck = TypeCompiler.Compile(ForwardReturnsBody)

/** The settings and rows of a body. */
export function readReturnsBody(bytes: Uint8Array): ForwardReturnsBody {
  let sent: unknown
  try {
    sent = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new Failure('malformed_json', 'The body is not JSON in UTF-8.', { cause })
  }
  if (!bodyCheck.Check(sent)) {
    const fault = bodyCheck.Errors(sent).First()
    throw fault === undefined
      ? new Failure('body_invalid', 'The body cannot be read.')
      : describeFault(fault, [], ForwardReturnsBody)
  }
  const { date, ticker } = sent.rows
  if (date.length !== ticker.length)
    throw new Failure(
      'parameter_invalid',
      `rows.date has ${date.length} values and rows.ticker ${ticker.length}. Send one of each per row.`,
      { param: 'rows' },
    )
  return sent
}

/** The companies that the IDs of rows named on their dates. All count against a cap before any price is read. */
export async function planReturnsOfRows(
  deps: Deps,
  rights: Rights,
  body: ForwardReturnsBody,
): Promise<ReturnsPlan> {
  const { date, ticker } = body.rows
  const asOf = body.as_of === undefined ? deps.today() : pastDay(body.as_of, deps.today())
  const days = Int32Array.from(date, dayNumber)
  const ids = [...new Set(ticker.map(id => id.toUpperCase()))]
  const names = ids.map(symbol => ({ symbol, market: '' }))
  const found = await findCompaniesOfSymbols(idReader(deps.lookups, deps.directory), deps.markets, names)
  const daysOf = new Map(ids.map((id, index) => [id, found[index]]))
  const entityIds = Int32Array.from(ticker, (id, row) =>
    companyOn(daysOf.get(id.toUpperCase()) ?? [], days[row]),
  )
  const named = [...new Set(entityIds)].filter(id => id !== -1)
  await enforceEntityCap(deps, rights, named, 'this request', 'rows')
  return {
    rows: { count: days.length, days, tickers: ticker, entityIds },
    settings: {
      horizons: body.horizons ?? [1],
      entryLag: body.entry_lag ?? defaultEntryLag,
      delisting: body.delisting ?? defaultDelistingReturn,
      asOf,
      freeLicence: isFreeData(rights),
    },
  }
}

const companyOn = (named: readonly NamedDays[], day: number): number =>
  named.findLast(({ from }) => from <= day)?.company?.entityId ?? -1
