import { type IsoDate, isoDate } from '../../src/model/date.ts'

const known = new Map<number, IsoDate>()
/** Two hundred years of days. */
const most = 73_049

/** `isoDate`, remembered: every result names thousands of days, and most of them name the same. */
export function knownIsoDate(day: number): IsoDate {
  const found = known.get(day)
  if (found !== undefined) return found
  const made = isoDate(day)
  if (known.size < most) known.set(day, made)
  return made
}
