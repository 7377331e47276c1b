import { isoDate } from '../../../dates.ts'
import { html, type Markup } from '../html.ts'

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

/** Round values from `least` to `most`, about `wanted` of them, 1, 2 or 5 times a power of ten apart. */
export function niceTicks(least: number, most: number, wanted: number): number[] {
  const span = most - least
  if (!(span > 0)) return [least]
  const rough = span / Math.max(1, wanted)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find(factor => factor * power >= rough * 0.999) ?? 10)
  const ticks: number[] = []
  for (let i = Math.ceil(least / step - 1e-9); i * step <= most + step * 1e-9; i++) ticks.push(i * step)
  return ticks
}

/** 1, 2 and 5 times the powers of ten in a range above 0; only the powers where that would be many. */
export function logTicks(least: number, most: number, wanted: number): number[] {
  const first = Math.floor(Math.log10(least))
  const last = Math.ceil(Math.log10(most))
  const every = Math.max(1, Math.ceil((last - first) / wanted))
  const factors = (last - first) * 3 <= wanted * 2 ? [1, 2, 5] : [1]
  const ticks: number[] = []
  for (let power = first; power <= last; power += every) {
    for (const factor of factors) {
      const value = factor * 10 ** power
      if (value >= least * (1 - 1e-9) && value <= most * (1 + 1e-9)) ticks.push(value)
    }
  }
  return ticks
}

/** The pixels that a chart is drawn for. */
export interface Size {
  readonly name: 'wide' | 'narrow'
  readonly width: number
}

const wide: Size = { name: 'wide', width: 880 }
const narrow: Size = { name: 'narrow', width: 360 }

/** A chart drawn for a desktop and again for a phone, so that its text is legible on both; the style sheet shows one,
 * and hides the other from screen readers too. */
export function inBothSizes(draw: (size: Size) => Markup): Markup {
  return html`${draw(wide)}${draw(narrow)}`
}

/** A coordinate, to a tenth of a pixel. */
export const at = (pixels: number) => String(Math.round(pixels * 10) / 10)
