import { firstRowFrom } from '../../prices/priceRows.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { forwardReturns, minAbsentTradingDays, returnStates } from '../forwardReturns.ts'
import { type KnownSecurity, knownSecurities, type StoredPrices, securitiesNamed } from './knownSecurities.ts'
import { type RowState, rowStateCode } from './rowStates.ts'

/** What an asset's ID named on which days. */
export interface AssetCompanies {
  /** The index of the asset in the dataset. */
  readonly asset: number
  readonly id: string
  /** The first day of each stretch, ascending; all earlier days belong to the first one. */
  readonly from: readonly number[]
  /** The company of each stretch; -1: none is known. */
  readonly entityIds: readonly number[]
}

/** The returns of the rows of a dataset, in shared memory: each element belongs to the row of the same index. */
export interface RowReturns {
  /** NaN: none. */
  readonly returns: Float64Array
  /** Of rows in the state assumed_delisting the return before the assumption; NaN: others. */
  readonly beforeAssumption: Float64Array
  /** Indexes of `rowStates`. */
  readonly states: Uint8Array
  readonly isCarried: Uint8Array
}

export interface ReturnRule {
  readonly horizon: number
  readonly entryLag: number
  readonly assumedDelistingReturn: number
  /** The last day whose prices are known. */
  readonly lastDay: number
}

export interface ReturnsInput {
  readonly data: Pick<Dataset, 'days' | 'offsets' | 'asset'>
  /** Some of the dataset's assets, ascending, with the prices of all their companies. */
  readonly assets: readonly AssetCompanies[]
  readonly prices: StoredPrices
  /** The trading days of each market up to `lastDay`. */
  readonly tradingDays: ReadonlyMap<string, Int32Array>
  readonly rule: ReturnRule
  /** The days whose rows are wanted. */
  readonly days: { readonly first: number; readonly last: number }
  readonly found: RowReturns
}

/** Computes the returns of the rows of some assets, and fills `found` with them. */
export function computeReturns(input: ReturnsInput): null {
  const { data, assets, prices, tradingDays, rule, days, found } = input
  const securities = knownSecurities(
    prices,
    new Set(assets.flatMap(({ entityIds }) => entityIds)),
    rule.lastDay,
  )
  const rowsOf = rowsOfAssets(data, assets)
  for (const [index, { id, from, entityIds }] of assets.entries()) {
    const bySecurity = new Map<KnownSecurity, { rows: number[]; days: number[] }>()
    for (const { row, day } of rowsOf[index]) {
      const state = ((): RowState | KnownSecurity => {
        if (day < days.first || day > days.last) return 'not_wanted'
        const entityId =
          entityIds[
            Math.max(
              0,
              from.findLastIndex(start => start <= day),
            )
          ]
        if (entityId === undefined || entityId === -1) return 'unknown_company'
        return tradedSecurity(securitiesNamed(securities.get(entityId) ?? [], id), day, input)
      })()
      if (typeof state === 'string') {
        found.states[row] = rowStateCode(state)
        continue
      }
      const own = bySecurity.get(state)
      if (own === undefined) bySecurity.set(state, { rows: [row], days: [day] })
      else {
        own.rows.push(row)
        own.days.push(day)
      }
    }
    for (const [security, own] of bySecurity)
      computeSecurity(security, own, tradingDays.get(security.market) ?? noDays, rule, found)
  }
  return null
}

const noDays = new Int32Array(0)

/**
 * The security of a row. Of several, the one that is traded on its date: one that is listed later, or has ended, must not
 * decide about it.
 */
function tradedSecurity(
  named: readonly KnownSecurity[],
  day: number,
  { tradingDays, rule: { entryLag } }: Pick<ReturnsInput, 'tradingDays' | 'rule'>,
): RowState | KnownSecurity {
  const [only, ...others] = named
  if (only === undefined) return 'no_prices'
  if (others.length === 0) return only
  const traded = named.filter(({ market, priced }) =>
    isTraded(closeDaysOf(priced), tradingDays.get(market) ?? noDays, day, entryLag),
  )
  if (traded.length === 0) return 'not_traded'
  return traded.length === 1 ? traded[0] : 'several_securities'
}

const closeDaysOf = ({ days, closes }: KnownSecurity['priced']): Int32Array =>
  days.filter((_, at) => !Number.isNaN(closes[at]))

function rowsOfAssets(
  { days, offsets, asset }: ReturnsInput['data'],
  assets: readonly AssetCompanies[],
): { readonly row: number; readonly day: number }[][] {
  const first = assets[0].asset
  const last = assets[assets.length - 1].asset
  const indexOf = new Int32Array(last - first + 1).fill(-1)
  for (const [index, one] of assets.entries()) indexOf[one.asset - first] = index
  const found: { row: number; day: number }[][] = assets.map(() => [])
  for (let date = 0; date < days.length; date++)
    for (let row = offsets[date]; row < offsets[date + 1]; row++) {
      const index = asset[row] < first || asset[row] > last ? -1 : indexOf[asset[row] - first]
      if (index !== -1) found[index].push({ row, day: days[date] })
    }
  return found
}

function computeSecurity(
  { priced }: KnownSecurity,
  { rows, days }: { readonly rows: readonly number[]; readonly days: readonly number[] },
  tradingDays: Int32Array,
  { horizon, entryLag, assumedDelistingReturn }: ReturnRule,
  found: RowReturns,
): void {
  const closeDays = closeDaysOf(priced)
  const settings = { horizons: [horizon], entryLag, assumedDelistingReturn }
  const [result] = forwardReturns(priced, tradingDays, Int32Array.from(days), settings)
  for (const [index, row] of rows.entries()) {
    const entry = firstRowFrom(tradingDays, days[index]) + entryLag
    if (entry + horizon >= tradingDays.length) found.states[row] = rowStateCode('not_ended')
    else if (!isTraded(closeDays, tradingDays, days[index], entryLag))
      found.states[row] = rowStateCode('not_traded')
    else {
      const state = returnStates[result.states[index]]
      found.states[row] = rowStateCode(state)
      found.returns[row] = result.returns[index]
      found.isCarried[row] = result.isCarried[index]
      if (state === 'assumed_delisting') found.beforeAssumption[row] = result.beforeAssumption[index]
    }
  }
}

/**
 * Whether a security had a close on one of the latest trading days up to the date or, if it is traded at the close of the
 * date, before it. So nothing is used that is not known when it is traded.
 */
function isTraded(closeDays: Int32Array, tradingDays: Int32Array, date: number, entryLag: number): boolean {
  const end = firstRowFrom(tradingDays, entryLag === 0 ? date : date + 1)
  if (end === 0) return false
  const first = tradingDays[Math.max(0, end - minAbsentTradingDays)]
  const next = firstRowFrom(closeDays, first)
  return next < closeDays.length && closeDays[next] <= tradingDays[end - 1]
}
