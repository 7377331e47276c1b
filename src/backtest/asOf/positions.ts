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

/** Finds the index in `events` of the figure of each row, or `none`. A single pass: the rows of a company
 * mostly ascend by date, so the company's last index and the next one are tried first, and a binary search
 * is needed only after a jump.
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
  const maxAge = maxAgeDays ?? Number.POSITIVE_INFINITY
  const cursor = starts.slice(0, -1)
  for (let row = 0; row < count; row++) {
    const company = companyOfName[name[row]]
    if (company === -1) {
      positions[row] = none
      continue
    }
    const known = day[row] - lag
    const end = starts[company + 1]
    let at = cursor[company]
    // `at` is the first event that is not known yet.
    if (at < end && days[at] <= known) {
      at++
      if (at < end && days[at] <= known) at = firstAfter(days, at + 1, end, known)
      cursor[company] = at
    } else if (at > starts[company] && days[at - 1] > known) {
      at = firstAfter(days, starts[company], at - 1, known)
      cursor[company] = at
    }
    const found = at - 1
    const counts =
      found >= starts[company] && !Number.isNaN(values[found]) && ownDay[row] - ends[found] <= maxAge
    positions[row] = counts ? found : none
  }
  return positions
}

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
