import { isoDate } from '../../../dates.ts'

/** A day as text; an instant keeps its time of day, unless it is midnight.
 *
 * @param perDay units of the instant in a day */
export function instantText(instant: bigint, perDay: bigint): string {
  const day = Number(instant / perDay)
  if (Math.abs(day) > 100_000_000) return `${day} days since 1970`
  if (instant % perDay === 0n) return isoDate(day)
  return new Date(Number((instant * 86_400_000n) / perDay)).toISOString()
}
