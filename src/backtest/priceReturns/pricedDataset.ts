import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { keepRows } from '../dataset/keepRows.ts'
import type { BacktestPricedRows, DelistingCase } from '../resultPrices.ts'
import type { RowReturns } from './computeReturns.ts'
import { leftOut, type RowState, rowStates } from './rowStates.ts'

/** Rows with the returns that prices give, and what became of all rows. */
export interface PricedRows {
  readonly data: Dataset
  /**
   * Of each row whose security is assumed to have been delisted, the return before that assumption; NaN: others. Null: there
   * is no such row.
   */
  readonly beforeAssumption: Float64Array | null
  readonly rows: BacktestPricedRows
  /** The mean return of the rows with one; null: there is none. */
  readonly meanReturn: number | null
  /** The same with other assumed delisting returns, where one was assumed. */
  readonly sensitivity: readonly DelistingCase[]
}

export interface PricingInput {
  readonly data: Dataset
  readonly found: RowReturns
}

/** The rows of a dataset with the returns that were found. Rows that cannot be traded, or have no outcome yet, are left out. */
export function priceDataset({ data, found }: PricingInput): PricedRows {
  const counts = Object.fromEntries(rowStates.map(state => [state, 0])) as Record<RowState, number>
  const isLeftOut = rowStates.map(state => leftOut.includes(state))
  const isKept = new Uint8Array(found.states.length)
  let carried = 0
  let kept = 0
  for (let row = 0; row < isKept.length; row++) {
    counts[rowStates[found.states[row]]]++
    if (isLeftOut[found.states[row]]) continue
    isKept[row] = 1
    kept++
    carried += found.isCarried[row]
  }
  const wanted = isKept.length - counts.not_wanted
  if (kept === 0) throw nothingPriced(data, wanted, counts)
  const priced = keepRows({ ...data, forwardReturn: found.returns }, isKept)
  const beforeAssumption =
    counts.assumed_delisting === 0 ? null : keepRows({ ...data, score: found.beforeAssumption }, isKept).score
  const cases = beforeAssumption === null ? [] : otherDelistings
  return {
    data: priced,
    beforeAssumption,
    meanReturn: meanOf(priced.forwardReturn),
    sensitivity: cases.map(delisting => ({
      delisting,
      mean_return: meanOf(withDelisting({ data: priced, beforeAssumption }, delisting).forwardReturn),
    })),
    rows: {
      sent: wanted,
      used: kept,
      with_return: counts.closes + counts.stated_delisting + counts.assumed_delisting,
      carried,
      stated_delistings: counts.stated_delisting,
      assumed_delistings: counts.assumed_delisting,
      no_entry: counts.no_entry,
      undecided: counts.pending,
      not_ended: counts.not_ended,
      not_traded: counts.not_traded,
      unknown_company: counts.unknown_company,
      no_prices: counts.no_prices,
      several_securities: counts.several_securities,
    },
  }
}

/** The assumptions that a result shows besides its own: the security lost nothing, or everything. */
const otherDelistings = [0, -1]

function meanOf(values: Float64Array): number | null {
  let sum = 0
  let count = 0
  for (const value of values) {
    if (Number.isNaN(value)) continue
    sum += value
    count++
  }
  return count === 0 ? null : sum / count
}

/** The same rows with another return after the last close wherever it was assumed. */
export function withDelisting(
  { data, beforeAssumption }: Pick<PricedRows, 'data' | 'beforeAssumption'>,
  assumed: number,
): Dataset {
  if (beforeAssumption === null) return data
  const forwardReturn = data.forwardReturn.map((value, row) =>
    Number.isNaN(beforeAssumption[row]) ? value : (1 + beforeAssumption[row]) * (1 + assumed) - 1,
  )
  return { ...data, forwardReturn, ranking: null }
}

function nothingPriced({ days }: Dataset, rows: number, counts: Readonly<Record<RowState, number>>): Failure {
  const why = leftOut
    .filter(state => state !== 'not_wanted' && counts[state] > 0)
    .map(state => `${counts[state].toLocaleString('en-US')} ${state}`)
    .join(', ')
  return new Failure(
    'backtest_impossible',
    `The price set gives a return to none of the ${rows.toLocaleString('en-US')} rows, which are dated ${isoDate(days[0])} to ${isoDate(days[days.length - 1])}: ${why === '' ? 'none is dated in the range of the request' : why}. Send the IDs of companies as asset, and dates for which the set has prices; GET /api/v1/prices shows its days.`,
    { param: 'prices' },
  )
}
