import { forwardReturns, type HorizonReturns, returnStates } from '../../backtest/forwardReturns.ts'
import {
  type KnownSecurity,
  knownSecurities,
  securityOf,
} from '../../backtest/priceReturns/knownSecurities.ts'
import { dayNumber, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { AsOf } from '../../instants.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { type PriceSet, readTradingDays } from '../../prices/priceQueries.ts'
import { firstRowFrom } from '../../prices/priceRows.ts'
import { lastPriceDay } from '../../prices/priceSeries.ts'
import { freeLicenceNotice } from '../../rights/licences.ts'
import { orNull } from './prices.ts'
import type { ForwardReturnList, ForwardReturnRow } from './schema.ts'
import { readVersion } from './setQueries.ts'
import { attributionOf } from './sets.ts'
import { readStoredPrices } from './storedPrices.ts'

/** Rows for which returns are wanted, after all decisions. */
export interface ReturnRows {
  readonly count: number
  /** Days since 1970-01-01. */
  readonly days: Int32Array
  /** The ID of each row as it is shown. */
  readonly tickers: readonly string[]
  /** The company of each row; -1: unknown. */
  readonly entityIds: Int32Array
}

export interface ReturnSettings {
  readonly horizons: readonly number[]
  readonly entryLag: number
  readonly delisting: number
  readonly asOf: AsOf
  readonly freeLicence: boolean
}

const maxAnswerRows = 500_000
/** Companies whose prices are in memory at a time. */
const companiesPerRead = 500

/** Fails before anything is read if the answer would be too large. */
export function checkReturnRows(rows: number, horizons: number): void {
  if (rows * horizons <= maxAnswerRows) return
  throw new Failure(
    'parameter_invalid',
    `${rows.toLocaleString('en-US')} rows with ${horizons} horizons are more than ${maxAnswerRows.toLocaleString('en-US')} returns. Send fewer dates, companies or horizons.`,
    { param: 'horizons' },
  )
}

/** Total returns from the prices of a set as known on a day: outcomes, in which what became known later counts. */
export async function readForwardReturns(
  sql: SqlClient,
  set: PriceSet,
  rows: ReturnRows,
  settings: ReturnSettings,
): Promise<ForwardReturnList> {
  checkReturnRows(rows.count, settings.horizons.length)
  const lastDay = lastPriceDay(settings.asOf)
  const tradingDays = await readTradingDays(sql, set.priceSetId, lastDay)
  const rowsOf = new Map<number, number[]>()
  for (let row = 0; row < rows.count; row++) {
    const own = rowsOf.get(rows.entityIds[row])
    if (own === undefined) rowsOf.set(rows.entityIds[row], [row])
    else own.push(row)
  }
  const found: RowReturns = {
    states: new Array(rows.count),
    symbols: new Array(rows.count).fill(null),
    results: new Map(),
  }
  for (const row of rowsOf.get(-1) ?? []) found.states[row] = 'unknown_company'
  rowsOf.delete(-1)
  const companies = [...rowsOf.keys()]
  for (let at = 0; at < companies.length; at += companiesPerRead) {
    const some = companies.slice(at, at + companiesPerRead)
    const stored = await readStoredPrices(sql, set, some)
    const securities = knownSecurities(stored, some, lastDay)
    for (const entityId of some)
      computeCompany(
        securities.get(entityId) ?? [],
        rowsOf.get(entityId) ?? [],
        rows,
        settings,
        tradingDays,
        found,
      )
  }
  return answerOf(sql, set, rows, settings, found)
}

type State = ForwardReturnRow['state']

interface RowReturns {
  /** The state of rows that have no security. */
  readonly states: (State | undefined)[]
  readonly symbols: (string | null)[]
  /** For each other row, the returns of its security and its index in them. */
  readonly results: Map<number, readonly [readonly HorizonReturns[], number]>
}

function computeCompany(
  securities: readonly KnownSecurity[],
  own: readonly number[],
  rows: ReturnRows,
  { horizons, entryLag, delisting }: ReturnSettings,
  tradingDays: ReadonlyMap<string, Int32Array>,
  found: RowReturns,
): void {
  const bySecurity = new Map<KnownSecurity, number[]>()
  for (const row of own) {
    const security = securityOf(securities, rows.tickers[row])
    if (typeof security === 'string') {
      found.states[row] = security
      continue
    }
    const rowsOfSecurity = bySecurity.get(security)
    if (rowsOfSecurity === undefined) bySecurity.set(security, [row])
    else rowsOfSecurity.push(row)
  }
  for (const [security, ofSecurity] of bySecurity) {
    const results = forwardReturns(
      security.priced,
      tradingDays.get(security.market) ?? new Int32Array(0),
      Int32Array.from(ofSecurity, row => rows.days[row]),
      { horizons, entryLag, assumedDelistingReturn: delisting },
    )
    for (const [index, row] of ofSecurity.entries()) {
      found.symbols[row] = security.symbols[security.symbols.length - 1]
      found.results.set(row, [results, index])
    }
  }
}

async function answerOf(
  sql: SqlClient,
  set: PriceSet,
  rows: ReturnRows,
  { horizons, entryLag, delisting, asOf, freeLicence }: ReturnSettings,
  found: RowReturns,
): Promise<ForwardReturnList> {
  const data: ForwardReturnRow[] = []
  const summaries = horizons.map(horizon => new Summary(horizon))
  for (let row = 0; row < rows.count; row++)
    for (const [at, horizon] of horizons.entries()) {
      const [results, index] = found.results.get(row) ?? [null, 0]
      const result = results?.[at]
      const isAssumed = result !== undefined && returnStates[result.states[index]] === 'assumed_delisting'
      const value = result === undefined ? Number.NaN : result.returns[index]
      const before = result === undefined ? Number.NaN : result.beforeAssumption[index]
      const one: ForwardReturnRow = {
        date: isoDate(rows.days[row]),
        ticker: rows.tickers[row],
        symbol: found.symbols[row],
        horizon,
        forward_return: orNull(value),
        state: result === undefined ? (found.states[row] ?? 'no_prices') : returnStates[result.states[index]],
        carried: result?.isCarried[index] === 1,
        return_at_0: orNull(before),
        return_at_total_loss: orNull(isAssumed ? -1 : value),
      }
      summaries[at].add(one)
      data.push(one)
    }
  const note = notesOf(set).join(' ')
  return {
    object: 'forward_return_list',
    set: set.name,
    currency: set.currency,
    basis: set.basis,
    as_of: asOf,
    entry_lag: entryLag,
    delisting,
    data_version: await readVersion(sql),
    ...(freeLicence ? { licence: freeLicenceNotice } : {}),
    attribution: attributionOf(set),
    ...(note === '' ? {} : { note }),
    summary: summaries.map(summary => summary.shown()),
    count: data.length,
    data,
  }
}

/** What the returns of a set leave out, and why. */
export function notesOf(set: PriceSet): string[] {
  const notes: string[] = []
  if (set.basis === 'raw' && !set.statesSplits)
    notes.push(
      'The closes are as traded and not every import of the set states splits, so a return over a split that is not stated is wrong.',
    )
  if (set.basis !== 'total_return' && !set.statesDividends)
    notes.push('The set states no dividends, so these are price returns.')
  if (!set.statesDelistings) notes.push('The set states no delisting returns, so each is assumed.')
  return notes
}

class Summary {
  #rows = 0
  #missing = 0
  #carried = 0
  #stated = 0
  #assumed = 0
  #sum = 0
  #sumAt0 = 0
  #sumAtLoss = 0

  constructor(readonly horizon: number) {}

  add(row: ForwardReturnRow): void {
    if (row.carried) this.#carried++
    if (row.state === 'stated_delisting') this.#stated++
    if (row.state === 'assumed_delisting') this.#assumed++
    if (row.forward_return === null) {
      this.#missing++
      return
    }
    this.#rows++
    this.#sum += row.forward_return
    this.#sumAt0 += row.return_at_0 ?? 0
    this.#sumAtLoss += row.return_at_total_loss ?? 0
  }

  shown(): ForwardReturnList['summary'][number] {
    const mean = (sum: number) => (this.#rows === 0 ? null : sum / this.#rows)
    return {
      horizon: this.horizon,
      rows: this.#rows,
      missing: this.#missing,
      carried: this.#carried,
      stated_delistings: this.#stated,
      assumed_delistings: this.#assumed,
      mean: mean(this.#sum),
      mean_at_0: mean(this.#sumAt0),
      mean_at_total_loss: mean(this.#sumAtLoss),
    }
  }
}

/** Every trading day of a range for each company. */
export function everyTradingDay(
  tradingDays: ReadonlyMap<string, Int32Array>,
  companies: readonly { readonly entityId: number; readonly ticker: string; readonly market: string }[],
  from: string,
  to: string,
): ReturnRows {
  const days: number[] = []
  const tickers: string[] = []
  const entityIds: number[] = []
  for (const { entityId, ticker, market } of companies) {
    const ofMarket = tradingDays.get(market) ?? new Int32Array(0)
    const end = firstRowFrom(ofMarket, dayNumber(to) + 1)
    for (let at = firstRowFrom(ofMarket, dayNumber(from)); at < end; at++) {
      days.push(ofMarket[at])
      tickers.push(ticker)
      entityIds.push(entityId)
      if (days.length > maxAnswerRows) checkReturnRows(days.length, 1)
    }
  }
  return { count: days.length, days: Int32Array.from(days), tickers, entityIds: Int32Array.from(entityIds) }
}
