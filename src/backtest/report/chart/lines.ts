import { html, type Markup } from '../html.ts'
import { at, dateTicks, logTicks, niceTicks, type Size } from './axes.ts'

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

export function linePath({ x, y }: Frame): string {
  let path = ''
  let isDrawing = false
  for (const i of columnEnvelope(x, y)) {
    const exists = !Number.isNaN(y[i])
    if (exists) path += `${isDrawing ? 'L' : 'M'}${at(x[i])} ${at(y[i])}`
    isDrawing = exists
  }
  return path
}

/** The area between the line and a base. */
export function fillPath({ x, y }: Frame, base: number): string {
  let path = ''
  let last = -1
  const close = () => {
    if (last >= 0) path += `L${at(x[last])} ${at(base)}Z`
    last = -1
  }
  for (const i of columnEnvelope(x, y)) {
    if (Number.isNaN(y[i])) {
      close()
      continue
    }
    if (last < 0) path += `M${at(x[i])} ${at(base)}`
    path += `L${at(x[i])} ${at(y[i])}`
    last = i
  }
  close()
  return path
}

/** Which points of a line to draw: in each pixel column the first, the lowest, the highest and the last, in their
 * order. A line through them covers the same pixels as a line through all, so no peak or fall is lost.
 *
 * @param x not falling, in pixels
 * @param y in pixels; NaN where there is no value, and then the line breaks
 * @returns indices, rising */
export function columnEnvelope(x: Float64Array, y: Float64Array): number[] {
  const kept: number[] = []
  let from = 0
  while (from < x.length) {
    const column = Math.floor(x[from])
    let to = from
    while (to + 1 < x.length && Math.floor(x[to + 1]) === column) to++
    keepColumn(y, from, to, kept)
    from = to + 1
  }
  return kept
}

function keepColumn(y: Float64Array, from: number, to: number, kept: number[]): void {
  let low = -1
  let high = -1
  let gap = -1
  for (let i = from; i <= to; i++) {
    if (Number.isNaN(y[i])) {
      gap = i
      continue
    }
    if (low < 0 || y[i] < y[low]) low = i
    if (high < 0 || y[i] > y[high]) high = i
  }
  const chosen = [from, low, high, gap, to].filter(i => i >= 0).sort((a, b) => a - b)
  for (const i of chosen) if (kept.at(-1) !== i) kept.push(i)
}

/** Strips under the pointer, each with the point it stands for: the style sheet shows the one that is pointed at. They
 * need no script. Every point has its strip where there is room; else evenly chosen ones, the lowest and the highest. */
export function readOuts(frame: Frame, size: Size, say: (index: number) => Markup): Markup {
  const { x, y, left, right, top, bottom } = frame
  const chosen = choosePoints(y, size.name === 'wide' ? 160 : 80)
  const strips = chosen.map((point, i) => {
    const from = i === 0 ? left : (x[chosen[i - 1]] + x[point]) / 2
    const to = i === chosen.length - 1 ? right : (x[point] + x[chosen[i + 1]]) / 2
    const px = at(x[point])
    return html`<g class="read"><rect x="${at(from)}" y="${top}" width="${at(to - from)}" height="${bottom - top}"/><g class="say"><line x1="${px}" x2="${px}" y1="${top}" y2="${bottom}"/><circle cx="${px}" cy="${at(y[point])}" r="3.5"/><text x="${right}" y="15">${say(point)}</text></g></g>
`
  })
  return html`<g class="readouts">${strips}</g>`
}

function choosePoints(y: Float64Array, most: number): number[] {
  const chosen = new Set<number>()
  const steps = Math.min(y.length, most) - 1
  for (let i = 0; i <= steps; i++) chosen.add(steps === 0 ? 0 : Math.round((i * (y.length - 1)) / steps))
  chosen.add(extreme(y, (a, b) => a < b))
  chosen.add(extreme(y, (a, b) => a > b))
  return [...chosen].filter(i => !Number.isNaN(y[i])).sort((a, b) => a - b)
}

function extreme(y: Float64Array, isBeyond: (a: number, b: number) => boolean): number {
  let found = 0
  for (let i = 1; i < y.length; i++) if (isBeyond(y[i], y[found]) || Number.isNaN(y[found])) found = i
  return found
}

/** Where a chart's values lie, in pixels. */
export interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly x: Float64Array
  readonly y: Float64Array
  readonly yOf: (value: number) => number
  readonly xOf: (day: number) => number
}
