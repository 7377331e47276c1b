import { html, type Markup } from '../html.ts'
import { dateTicks } from './dateTicks.ts'
import type { Frame } from './frame.ts'
import { fillPath, linePath } from './linePath.ts'
import { logTicks, niceTicks } from './niceTicks.ts'
import { readOuts } from './readOuts.ts'
import { at, type Size } from './sizes.ts'

export interface Line {
  /** Unique in the document. */
  readonly id: string
  readonly title: string
  /** What a reader who cannot see it should know. */
  readonly description: string
  readonly dates: readonly string[]
  /** The same, since 1970-01-01. */
  readonly days: Float64Array
  /** null: no value; the line breaks. */
  readonly values: readonly (number | null)[]
  /** Drawn as a line of its own, and always in range. */
  readonly base: number
  /** Filled down (or up) to the base. */
  readonly isFilled: boolean
  readonly isLogarithmic: boolean
  readonly height: number
  readonly writeTick: (value: number, step: number) => string
  readonly writePoint: (index: number) => string
}

/** A value over days, with a read-out of every point that the pointer can tell apart. It needs no script. */
export function lineChart(line: Line, size: Size): Markup {
  const { days } = line
  const known = line.values.filter(value => value !== null)
  const least = Math.min(line.base, ...bounds(known))
  const most = Math.max(line.base, ...bounds(known))
  const ticks = line.isLogarithmic ? logTicks(least, most, 5) : niceTicks(least, most, 5)
  // A line without any height still gets a scale.
  const low = least < most ? least : most - 0.01
  const frame = layOut(line, size, days, low, most)
  const id = `${line.id}-${size.name}`
  return html`<svg class="chart ${size.name}" viewBox="0 0 ${size.width} ${line.height}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">${line.title}</title><desc id="${id}-d">${line.description}</desc>
${drawGrid(line, size, frame, ticks, days)}
${line.isFilled && html`<path class="fill" d="${fillPath(frame, frame.yOf(line.base))}"/>`}
<path class="line" d="${linePath(frame)}"/>
${readOuts(frame, size, index => html`${line.dates[index]}: ${line.writePoint(index)}`)}
</svg>`
}

function layOut(line: Line, size: Size, days: Float64Array, least: number, most: number): Frame {
  const left = size.name === 'wide' ? 56 : 46
  const right = size.width - 10
  const top = 26
  const bottom = line.height - 24
  const first = days[0]
  const span = Math.max(1, days[days.length - 1] - first)
  const scale = line.isLogarithmic ? Math.log : (value: number) => value
  const range = scale(most) - scale(least) || 1
  const xOf = (day: number) => left + ((day - first) / span) * (right - left)
  const yOf = (value: number) => bottom - ((scale(value) - scale(least)) / range) * (bottom - top)
  const y = Float64Array.from(line.values, value => (value === null ? Number.NaN : yOf(value)))
  return { left, right, top, bottom, x: days.map(xOf), y, yOf, xOf }
}

function drawGrid(
  line: Line,
  size: Size,
  frame: Frame,
  ticks: readonly number[],
  days: Float64Array,
): Markup {
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : Math.abs(ticks[0]) || 1
  const dates = dateTicks(days[0], days[days.length - 1], frame.right - frame.left)
  return html`<g class="axis">${ticks.map(tick => {
    const y = at(frame.yOf(tick))
    return html`<line x1="${frame.left}" x2="${frame.right}" y1="${y}" y2="${y}"/><text class="y" x="${frame.left - 6}" y="${y}" dy=".32em">${line.writeTick(tick, step)}</text>`
  })}${dates.map(({ day, label }) => {
    const x = frame.xOf(day)
    const nearEnd = x > size.width - 30
    const nearStart = x < frame.left + 24
    const anchor = nearEnd ? 'end' : nearStart ? 'start' : 'middle'
    return html`<line class="tick" x1="${at(x)}" x2="${at(x)}" y1="${frame.bottom}" y2="${frame.bottom + 4}"/><text text-anchor="${anchor}" x="${at(x)}" y="${frame.bottom + 17}">${label}</text>`
  })}<line class="base" x1="${frame.left}" x2="${frame.right}" y1="${at(frame.yOf(line.base))}" y2="${at(frame.yOf(line.base))}"/></g>`
}

function bounds(values: readonly number[]): [number, number] | [] {
  if (values.length === 0) return []
  let least = values[0]
  let most = values[0]
  for (const value of values) {
    if (value < least) least = value
    if (value > most) most = value
  }
  return [least, most]
}
