import { firstRowFrom } from '../../prices/priceRows.ts'
import {
  type IntervalReturns,
  minAbsentTradingDays,
  returnStates,
  returnsBetween,
} from '../forwardReturns.ts'
import { type Dataset, nameCount } from './dataset.ts'

/** A name counts as ended once the panel has this many dates after its last close. */
export const minAbsentDates = minAbsentTradingDays

export interface CloseReturns {
  /** One for each row; NaN: none. */
  readonly forwardReturn: Float64Array
  /** The returns to the latest close up to the exit, one for each row; NaN: none. */
  readonly knownAtExit: Float64Array
  /** For each period the date from which all its returns are known: that of the exit, or of a name without a close there the
   * date on which it trades again, at most `minAbsentDates` dates after its last close; the number of dates: none. */
  readonly knownFrom: Int32Array
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

/** The returns of a panel with closes, close[exit] / close[entry] - 1 for every row of a period's date: those that
 * `returnsBetween` gives for stored prices, with the dates of the panel as trading days.
 *
 * O(rows log dates).
 *
 * @param periods by date, ascending */
export function closeReturns(
  data: Dataset & { readonly close: Float64Array },
  periods: readonly ReturnDates[],
  delistingReturn: number,
): CloseReturns {
  const { asset, close, days, offsets } = data
  const forwardReturn = new Float64Array(asset.length).fill(Number.NaN)
  const knownAtExit = forwardReturn.slice()
  const counts: ReturnCounts = { carried: 0, delisted: 0, noEntry: 0, pending: 0 }
  const knownFrom = Int32Array.from(periods, ({ exit }) => exit)
  const dateOfRow = new Int32Array(asset.length)
  for (let date = 0; date < days.length; date++) dateOfRow.fill(date, offsets[date], offsets[date + 1])
  const periodOfDate = new Int32Array(days.length).fill(-1)
  periods.forEach(({ date }, at) => {
    periodOfDate[date] = at
  })
  for (const rows of rowsByAsset(data)) {
    const priced = rows.filter(row => !Number.isNaN(close[row]))
    const closeDays = priced.map(row => days[dateOfRow[row]])
    const held = rows.filter(row => periodOfDate[dateOfRow[row]] !== -1)
    const period = (row: number) => periods[periodOfDate[dateOfRow[row]]]
    const found = returnsBetween(
      {
        days: closeDays,
        closes: Float64Array.from(priced, row => close[row]),
      },
      days,
      {
        entries: held.map(row => period(row).entry),
        exits: held.map(row => period(row).exit),
        assumedDelistingReturn: delistingReturn,
      },
    )
    held.forEach((row, at) => {
      forwardReturn[row] = found.returns[at]
      knownAtExit[row] = found.knownAtExit[at]
      if (!isOpen(found, at)) return
      const of = periodOfDate[dateOfRow[row]]
      const again = firstRowFrom(closeDays, days[periods[of].exit] + 1)
      const traded = again < priced.length ? dateOfRow[priced[again]] : days.length
      const known = Math.min(traded, dateOfRow[priced[again - 1]] + minAbsentDates)
      knownFrom[of] = Math.max(knownFrom[of], known)
    })
    count(found, counts)
  }
  return { forwardReturn, knownAtExit, knownFrom, counts }
}

/** Whether a name has no close at the exit, so that nobody knows on that day whether it has ended. */
function isOpen({ states, isCarried }: IntervalReturns, at: number): boolean {
  const state = returnStates[states[at]]
  return isCarried[at] === 1 || state === 'assumed_delisting' || state === 'pending'
}

function count({ states, isCarried }: IntervalReturns, counts: ReturnCounts): void {
  states.forEach((code, at) => {
    const state = returnStates[code]
    if (isCarried[at] === 1) counts.carried++
    if (state === 'assumed_delisting') counts.delisted++
    if (state === 'no_entry') counts.noEntry++
    if (state === 'pending') counts.pending++
  })
}

/** The rows of each name, ascending. */
function rowsByAsset({ asset, assets }: Dataset): Int32Array[] {
  const start = new Int32Array(nameCount(assets) + 1)
  for (let row = 0; row < asset.length; row++) start[asset[row] + 1]++
  for (let name = 0; name + 1 < start.length; name++) start[name + 1] += start[name]
  const next = start.slice()
  const sorted = new Int32Array(asset.length)
  for (let row = 0; row < asset.length; row++) sorted[next[asset[row]]++] = row
  return Array.from({ length: start.length - 1 }, (_, name) => sorted.subarray(start[name], start[name + 1]))
}
