import type { EventBlock, Events } from './figureEvents.ts'
import { type EventRange, firstOfBlock, gatherEvents } from './gather.ts'
import type { JoinRows } from './positions.ts'
import { type MarketClock, type RowTimes, TimesOfMarket } from './rowTimes.ts'

/* The as-of rule for an instant. A join normally shows a company's figures as of the last day that has ended in its
 * market. Events list the exceptions: from the instant `values[i]` (milliseconds since 1970), the figures are those as
 * of `days[i]`, and a day of `untilNext` ends the exception. `ends[i]` is 0 or, between two filings of one day, the
 * number of an interim state of the block, counted from 1. */

export const untilNext = -0x8000_0000

/** The state of a company's figures between two filings of one day. */
export interface Interim {
  /** The first company of the block. */
  readonly block: number
  /** Counted from 0. */
  readonly number: number
}

/** Where the events of interim states are. */
export function rangesOf(interims: readonly Interim[], blocks: readonly EventBlock[]): EventRange[] {
  const byFirst = new Map(blocks.map(block => [block.firstEntity, block]))
  return interims.map(({ block, number }) => ({ block: byFirst.get(block), index: number }))
}

/** For each row, the day whose figures it shows. */
export interface KnownDays {
  readonly rows: JoinRows
  /** The rows' own days in their markets, for the age of figures. */
  readonly ownDay: Int32Array
  readonly interims: readonly Interim[]
  /** For each row the index of its interim state; -1: none. */
  readonly interimOfRow: Int32Array
}

export interface RowClocks {
  readonly times: RowTimes
  readonly clocks: readonly MarketClock[]
  /** By company, the index of its market in `clocks`. */
  readonly marketOf: Int32Array
  /** The blocks of moments that contain the companies. */
  readonly moments: readonly EventBlock[]
}

/**
 * Finds the day whose figures each row shows. That day has always ended, so filings of the day itself are included.
 *
 * @param instants filled with the instant of each row that has a company, if it is given
 */
export function findKnownDays(
  { count, name }: JoinRows,
  companyOfName: Int32Array,
  entities: Int32Array,
  { times, clocks, marketOf, moments }: RowClocks,
  instants: Float64Array | null = null,
): KnownDays {
  const ofMarket = clocks.map(clock => new TimesOfMarket(clock, times))
  const events = gatherEvents(moments, entities)
  const { starts, values, days, ends } = events
  const day = new Int32Array(count)
  const ownDay = new Int32Array(count)
  const interims: Interim[] = []
  const indexOf = new Map<string, number>()
  let interimOfRow: Int32Array | null = null
  const cursor = starts.slice(0, -1)
  for (let row = 0; row < count; row++) {
    const company = companyOfName[name[row]]
    if (company === -1) continue
    const market = ofMarket[marketOf[company]]
    const value = times.cells[row] - 1
    const at = market.instant(value)
    const today = market.day(value)
    ownDay[row] = today
    if (instants !== null) instants[row] = at
    const from = starts[company]
    const to = starts[company + 1]
    let next = cursor[company]
    // A company's rows are mostly in ascending order, so the position of its last row is tried first.
    if ((next < to && values[next] <= at) || (next > from && values[next - 1] > at)) {
      next = firstAfter(values, from, to, at)
      cursor[company] = next
    }
    const found = next - 1
    if (found < from || days[found] === untilNext) {
      day[row] = today - 1
      continue
    }
    day[row] = days[found]
    if (ends[found] === 0) continue
    const interim = { block: firstOfBlock(entities[company]), number: ends[found] - 1 }
    const key = `${interim.block} ${interim.number}`
    let index = indexOf.get(key)
    if (index === undefined) {
      index = interims.push(interim) - 1
      indexOf.set(key, index)
    }
    interimOfRow ??= new Int32Array(count).fill(-1)
    interimOfRow[row] = index
  }
  return {
    rows: { count, day, name },
    ownDay,
    interims,
    interimOfRow: interimOfRow ?? new Int32Array(0),
  }
}

function firstAfter(values: Float64Array, from: number, to: number, at: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle] <= at) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Points the rows whose times lie between two filings of one day to the figures of their interim states.
 *
 * @param first the index of the first state in `starts`
 */
export function placeInterims(
  { rows, ownDay, interims, interimOfRow }: KnownDays,
  { starts, values, ends }: Events,
  first: number,
  maxAgeDays: number | null,
  positions: Int32Array,
): void {
  if (interims.length === 0) return
  const maxAge = maxAgeDays ?? Number.POSITIVE_INFINITY
  for (let row = 0; row < rows.count; row++) {
    const interim = interimOfRow[row]
    if (interim === -1) continue
    const last = starts[first + interim + 1] - 1
    const counts =
      last >= starts[first + interim] && !Number.isNaN(values[last]) && ownDay[row] - ends[last] <= maxAge
    positions[row] = counts ? last : -1
  }
}
