import { isoDate } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'

interface DateTick {
  /** Days since 1970-01-01. */
  readonly day: number
  readonly label: string
}

const dayMs = 86_400_000
const meanMonthDays = 30.44
const daySteps = [1, 2, 7, 14]
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200]
export const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The width of a label with some space around it. */
const dayLabelPixels = 84
const monthLabelPixels = 70
const yearLabelPixels = 42

/** Ticks at days, or at the starts of months or years, between the first and the last day, as close as their
 * labels allow. */
export function dateTicks(first: number, last: number, pixels: number): DateTick[] {
  const pixelsPerDay = pixels / Math.max(1, last - first)
  const days = daySteps.find(step => step * pixelsPerDay >= dayLabelPixels)
  if (days !== undefined) return dayTicks(first, last, days)
  const months = monthSteps.find(
    step => step * meanMonthDays * pixelsPerDay >= (step % 12 === 0 ? yearLabelPixels : monthLabelPixels),
  )
  return monthTicks(first, last, months ?? 2400)
}

function dayTicks(first: number, last: number, step: number): DateTick[] {
  const ticks: DateTick[] = []
  for (let day = first; day <= last; day += step) ticks.push({ day, label: isoDate(day) })
  return ticks
}

function monthTicks(first: number, last: number, step: number): DateTick[] {
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

/** About `target` round values from `min` to `max`, 1, 2 or 5 times a power of ten apart. */
export function niceTicks(min: number, max: number, target: number): number[] {
  const span = max - min
  if (!(span > 0)) return [min]
  const rough = span / Math.max(1, target)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find(factor => factor * power >= rough * 0.999) ?? 10)
  const ticks: number[] = []
  // Plus 0, because the ceiling of a small negative number is -0.
  for (let i = Math.ceil(min / step - 1e-9) + 0; i * step <= max + step * 1e-9; i++) ticks.push(i * step)
  return ticks
}

/** 1, 2 and 5 times the powers of ten within a positive range, or only the powers if there would be too
 * many. */
export function logTicks(min: number, max: number, target: number): number[] {
  const first = Math.floor(Math.log10(min))
  const last = Math.ceil(Math.log10(max))
  const every = Math.max(1, Math.ceil((last - first) / target))
  const factors = (last - first) * 3 <= target * 2 ? [1, 2, 5] : [1]
  const ticks: number[] = []
  for (let power = first; power <= last; power += every) {
    for (const factor of factors) {
      const value = factor * 10 ** power
      if (value >= min * (1 - 1e-9) && value <= max * (1 + 1e-9)) ticks.push(value)
    }
  }
  return ticks
}

/** The size in pixels that a chart is drawn for. */
export interface Size {
  readonly name: 'wide' | 'narrow'
  readonly width: number
}

const wide: Size = { name: 'wide', width: 880 }
const narrow: Size = { name: 'narrow', width: 360 }

/** Draws a chart for a desktop and again for a phone, so that its text is legible on both. The style sheet
 * shows one and hides the other, from screen readers too. */
export function inBothSizes(draw: (size: Size) => Markup): Markup {
  return html`${draw(wide)}${draw(narrow)}`
}

/** A coordinate, rounded to a tenth of a pixel. */
export const at = (pixels: number) => String(Math.round(pixels * 10) / 10)
