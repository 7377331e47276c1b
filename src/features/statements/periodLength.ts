import { dayNumber, type IsoDate } from '../../dates.ts'

export interface StatedPeriod {
  readonly start: IsoDate | null
  readonly end: IsoDate
  readonly quarters: number
}

const daysOfMonth = 365.25 / 12

/**
 * The length of a period; null for a balance. Where its first day is stated, its days count, because its quarters are
 * rounded: 16 weeks are 4 months, and one month before a merger is not a balance.
 */
export function lengthName({ start, end, quarters }: StatedPeriod): string | null {
  if (start === null) return quarters === 0 ? null : `${quarters * 3} months`
  const days = dayNumber(end) - dayNumber(start) + 1
  const months = Math.round(days / daysOfMonth)
  return months === 0 ? counted(days, 'day') : counted(months, 'month')
}

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`
