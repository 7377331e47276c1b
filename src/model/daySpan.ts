import type { IsoDate } from './date.ts'

/** The first and the last of some days; null of none. */
export function daySpan(days: readonly IsoDate[]): { first: IsoDate; last: IsoDate } | null {
  const sorted = days.toSorted()
  const first = sorted.at(0)
  const last = sorted.at(-1)
  return first === undefined || last === undefined ? null : { first, last }
}
