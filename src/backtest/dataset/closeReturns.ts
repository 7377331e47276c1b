import { type Dataset, nameCount } from './dataset.ts'

/** A name counts as ended once the panel has this many dates after its last close. */
export const minAbsentDates = 10

export interface CloseReturns {
  /** One for each row; NaN: none. */
  readonly forwardReturn: Float64Array
  /** Rows of the periods by where their return comes from. */
  readonly counts: ReturnCounts
}

export interface ReturnCounts {
  /** The exit date has no close of the name, which trades again: its latest earlier close counted. */
  carried: number
  /** The name has ended: the assumed delisting return followed its last close. */
  delisted: number
  /** No close on the date of entry: no return. */
  noEntry: number
  /** Too few dates follow the last close to know whether the name has ended: no return. */
  pending: number
}

/** The date indices between which the return of a period is earned. */
export interface ReturnDates {
  /** The date of the score. */
  readonly date: number
  readonly entry: number
  readonly exit: number
}

/** The returns of a panel with closes: close[exit] / close[entry] - 1 for every row of a period's date.
 *
 * - Without a close on the exit date, the latest earlier one counts if the name trades again.
 * - If its closes have ended, `delistingReturn` a follows the last one: (1 + r)(1 + a) - 1, once at least
 *   `minAbsentDates` dates of the panel follow it.
 * - Without a close on the entry date, there is no return.
 *
 * The same definition as `forwardReturns` of stored prices. O(rows log dates). */
export function closeReturns(
  data: Dataset & { readonly close: Float64Array },
  periods: readonly ReturnDates[],
  delistingReturn: number,
): CloseReturns {
  const { asset, offsets, days } = data
  const prices = pricesByAsset(data)
  const forwardReturn = new Float64Array(asset.length).fill(Number.NaN)
  const counts: ReturnCounts = { carried: 0, delisted: 0, noEntry: 0, pending: 0 }
  for (const { date, entry, exit } of periods) {
    for (let row = offsets[date]; row < offsets[date + 1]; row++) {
      const from = prices.start[asset[row]]
      const to = prices.start[asset[row] + 1]
      const entryAt = lastUpTo(prices.date, from, to, entry)
      if (entryAt < from || prices.date[entryAt] !== entry) {
        counts.noEntry++
        continue
      }
      const exitAt = lastUpTo(prices.date, entryAt, to, exit)
      const gain = prices.close[exitAt] / prices.close[entryAt] - 1
      const hasEnded = prices.date[to - 1] < exit
      if (!hasEnded) {
        if (prices.date[exitAt] !== exit) counts.carried++
        forwardReturn[row] = gain
      } else if (days.length - 1 - prices.date[to - 1] >= minAbsentDates) {
        counts.delisted++
        forwardReturn[row] = (1 + gain) * (1 + delistingReturn) - 1
      } else counts.pending++
    }
  }
  return { forwardReturn, counts }
}

/** The known closes of each name in order of date: those of name i are start[i] .. start[i + 1] - 1. */
function pricesByAsset({ asset, offsets, close, assets, days }: Dataset & { readonly close: Float64Array }) {
  const start = new Int32Array(nameCount(assets) + 1)
  for (let row = 0; row < asset.length; row++) if (!Number.isNaN(close[row])) start[asset[row] + 1]++
  for (let name = 0; name + 1 < start.length; name++) start[name + 1] += start[name]
  const next = start.slice()
  const sorted = {
    start,
    date: new Int32Array(start[start.length - 1]),
    close: new Float64Array(start[start.length - 1]),
  }
  for (let date = 0; date < days.length; date++) {
    for (let row = offsets[date]; row < offsets[date + 1]; row++) {
      if (Number.isNaN(close[row])) continue
      const at = next[asset[row]]++
      sorted.date[at] = date
      sorted.close[at] = close[row]
    }
  }
  return sorted
}

/** The last index in from .. to - 1 whose date is at most `date`; from - 1 if there is none. */
function lastUpTo(dates: Int32Array, from: number, to: number, date: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (dates[middle] <= date) low = middle + 1
    else high = middle
  }
  return low - 1
}
