import type { Events } from './figureEvents.ts'

/** The rows of a join. */
export interface JoinRows {
  readonly count: number
  /** Days since 1970-01-01. */
  readonly day: Int32Array
  /** Index into the names of the request. */
  readonly name: Int32Array
}

/** Which figure applies on a row's date. */
export interface JoinRule {
  /** Whether a figure filed on the row's date itself counts. */
  readonly inclusive: boolean
  /** The maximum number of days from the end of the figure's period to the row's date; null: unlimited. */
  readonly maxAgeDays: number | null
}

/** No figure. */
export const none = -1

/** Finds the index in `events` of the figure of each row, or `none`. A single pass: most rows of a company show
 * the figure of its row before, so the days on which that figure applies are kept side by side for all companies. A
 * later row mostly needs the next event, and a binary search is needed only after a jump.
 *
 * @param ownDay the days to which the age of figures counts
 * @param companyOfName index into the companies of `events`; -1 for an unknown one */
export function findPositions(
  { count, day, name }: JoinRows,
  companyOfName: Int32Array,
  events: Pick<Events, 'starts' | 'days' | 'values' | 'ends'>,
  { inclusive, maxAgeDays }: JoinRule,
  positions: Int32Array = new Int32Array(count),
  ownDay: Int32Array = day,
): Int32Array {
  const { starts, days, values, ends } = events
  const lag = inclusive ? 0 : 1
  const companies = starts.length - 1
  const cursor = starts.slice(0, -1)
  // The figure of each company's row before, which applies from a day until before another.
  const figure = new Int32Array(companies).fill(none)
  const from = new Int32Array(companies).fill(beforeAll)
  const until = new Int32Array(companies)
  for (let company = 0; company < companies; company++)
    until[company] = starts[company] < starts[company + 1] ? days[starts[company]] : afterAll
  for (let row = 0; row < count; row++) {
    const company = companyOfName[name[row]]
    if (company === -1) {
      positions[row] = none
      continue
    }
    const known = day[row] - lag
    if (known >= until[company] || known < from[company]) {
      const start = starts[company]
      const end = starts[company + 1]
      let at = cursor[company]
      // `at` is the first event that is not known yet.
      if (known < from[company]) at = firstAfter(days, start, at - 1, known)
      else if (at < end && ++at < end && days[at] <= known) at = firstAfter(days, at + 1, end, known)
      cursor[company] = at
      from[company] = at > start ? days[at - 1] : beforeAll
      until[company] = at < end ? days[at] : afterAll
      figure[company] = at > start && !Number.isNaN(values[at - 1]) ? at - 1 : none
    }
    positions[row] = figure[company]
  }
  if (maxAgeDays === null) return positions
  for (let row = 0; row < count; row++) {
    const found = positions[row]
    if (found !== none && ownDay[row] - ends[found] > maxAgeDays) positions[row] = none
  }
  return positions
}

const beforeAll = -0x8000_0000
const afterAll = 0x7fff_ffff

/** The index of the first of `days[from .. to)` that is after `known`; `to` if there is none. */
function firstAfter(days: Int32Array, from: number, to: number, known: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (days[middle] <= known) low = middle + 1
    else high = middle
  }
  return low
}
