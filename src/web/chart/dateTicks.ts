import { isoDate } from '../../model/date.ts'

export interface DateTick {
  /** Days since 1970-01-01. */
  readonly day: number
  readonly label: string
}

const dayMs = 86_400_000
const daysOfAMonth = 30.44
const daySteps = [1, 2, 7, 14]
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200]
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Room that a label takes with a little air. */
const dayPixels = 84
const monthPixels = 70
const yearPixels = 42

/** Days, or starts of months or years, from the first to the last day, as close as their labels allow. */
export function dateTicks(first: number, last: number, pixels: number): DateTick[] {
  const pixelsADay = pixels / Math.max(1, last - first)
  const days = daySteps.find(step => step * pixelsADay >= dayPixels)
  if (days !== undefined) return everyDays(first, last, days)
  const months = monthSteps.find(
    step => step * daysOfAMonth * pixelsADay >= (step % 12 === 0 ? yearPixels : monthPixels),
  )
  return monthStarts(first, last, months ?? 2400)
}

function everyDays(first: number, last: number, step: number): DateTick[] {
  const ticks: DateTick[] = []
  for (let day = first; day <= last; day += step) ticks.push({ day, label: isoDate(day) })
  return ticks
}

function monthStarts(first: number, last: number, step: number): DateTick[] {
  const from = new Date(first * dayMs)
  const firstMonth = from.getUTCFullYear() * 12 + from.getUTCMonth()
  const ticks: DateTick[] = []
  for (let month = Math.ceil(firstMonth / step) * step; ; month += step) {
    const year = Math.floor(month / 12)
    const day = new Date(0).setUTCFullYear(year, month % 12, 1) / dayMs
    if (day > last) return ticks
    const label = step % 12 === 0 ? String(year) : `${monthNames[month % 12]} ${year}`
    if (day >= first) ticks.push({ day, label })
  }
}
