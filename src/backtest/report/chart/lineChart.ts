import { html, type Markup } from '../../../html.ts'
import { at, dateTicks, logTicks, niceTicks, type Size } from './axes.ts'

export interface Line {
  /** Unique in the document. */
  readonly id: string
  readonly title: string
  /** Read out by screen readers. */
  readonly description: string
  readonly dates: readonly string[]
  /** The same dates, as days since 1970-01-01. */
  readonly days: Float64Array
  /** null: no value; the line is interrupted. */
  readonly values: readonly (number | null)[]
  /** Drawn as a line of its own, and always in range. */
  readonly base: number
  /** True to fill the area between the line and the base. */
  readonly isFilled: boolean
  readonly isLogarithmic: boolean
  readonly height: number
  readonly formatTick: (value: number, step: number) => string
  readonly formatPoint: (index: number) => string
  /** Drawn behind, on the same dates and the same scale. */
  readonly others?: readonly OtherLine[]
  /** Time spans behind the line, alternately shaded. */
  readonly bands?: readonly Band[]
  /** Draws and describes more points. If all charts did, the page would be large. */
  readonly isDetailed?: boolean
}

export interface OtherLine {
  /** The CSS class of its path. */
  readonly kind: 'gross' | 'universe'
  readonly values: readonly (number | null)[]
}

export interface Band {
  readonly label: string
  /** The indices of its first and last dates. */
  readonly from: number
  readonly to: number
}

/** A chart of a value over days, with a read-out of every point that the pointer can tell apart. It needs no
 * script. */
export function lineChart(line: Line, size: Size): Markup {
  const [min, max] = range(line)
  const ticks = line.isLogarithmic ? logTicks(min, max, 5) : niceTicks(min, max, 5)
  // A constant line still needs a scale, or every coordinate would divide by 0.
  const frame = layOut(line, size, min < max ? min : max - 0.01, max)
  const id = `${line.id}-${size.name}`
  return html`<svg class="chart ${size.name}" viewBox="0 0 ${size.width} ${line.height}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">${line.title}</title><desc id="${id}-d">${line.description}</desc>
${drawBands(line, frame)}
${drawGrid(line, size, frame, ticks)}
${line.isFilled && html`<path class="fill" d="${fillPath(frame, frame.yOf(line.base))}"/>`}
${(line.others ?? []).map(({ kind, values }) => html`<path class="line ${kind}" d="${linePath({ ...frame, y: toPixels(values, frame.yOf) })}"/>`)}
<path class="line own" d="${linePath(frame)}"/>
${readOuts(frame, (line.isDetailed ? detailedPoints : usualPoints)[size.name], index => html`${line.dates[index]}: ${line.formatPoint(index)}`)}
</svg>`
}

/** The lowest and the highest value, including the base. A loop, because spreading a long curve into Math.min
 * overflows the stack. */
function range({ values, base, others = [] }: Line): [number, number] {
  let min = base
  let max = base
  for (const series of [values, ...others.map(other => other.values)]) {
    for (const value of series) {
      if (value === null) continue
      if (value < min) min = value
      if (value > max) max = value
    }
  }
  return [min, max]
}

/** The plot area of a chart and its scales, in pixels. */
interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly x: Float64Array
  readonly y: Float64Array
  readonly yOf: (value: number) => number
  readonly xOf: (day: number) => number
  /** The column width within which only the highest and the lowest point of a line are drawn. */
  readonly columnPixels: number
}

function layOut(line: Line, size: Size, min: number, max: number): Frame {
  const { days } = line
  const left = size.name === 'wide' ? 56 : 46
  const right = size.width - 10
  const top = 26
  const bottom = line.height - 24
  const first = days[0]
  const span = Math.max(1, days[days.length - 1] - first)
  const scale = line.isLogarithmic ? Math.log : (value: number) => value
  const height = scale(max) - scale(min) || 1
  const xOf = (day: number) => left + ((day - first) / span) * (right - left)
  const yOf = (value: number) => bottom - ((scale(value) - scale(min)) / height) * (bottom - top)
  const y = toPixels(line.values, yOf)
  return { left, right, top, bottom, x: days.map(xOf), y, yOf, xOf, columnPixels: line.isDetailed ? 1 : 2 }
}

function toPixels(values: readonly (number | null)[], yOf: Frame['yOf']): Float64Array {
  return Float64Array.from(values, value => (value === null ? Number.NaN : yOf(value)))
}

const minLabelledPixels = 16

/** Every second band is shaded; all bands with enough room are labelled. */
function drawBands({ bands = [] }: Line, { x, top, bottom }: Frame): Markup {
  return html`${bands.map(({ label, from, to }, i) => {
    const width = x[to] - x[from]
    const middle = at((x[from] + x[to]) / 2)
    return html`<g class="band${i % 2 === 0 && ' shaded'}"><rect x="${at(x[from])}" y="${top}" width="${at(width)}" height="${bottom - top}"/>${width >= minLabelledPixels && html`<text x="${middle}" y="${top + 13}">${label}</text>`}</g>`
  })}`
}

function drawGrid(
  { days, base, formatTick }: Line,
  size: Size,
  frame: Frame,
  ticks: readonly number[],
): Markup {
  const { left, right, yOf } = frame
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : Math.abs(ticks[0]) || 1
  const baseY = at(yOf(base))
  return html`<g class="axis">${ticks.map(tick => {
    const y = at(yOf(tick))
    return html`<line x1="${left}" x2="${right}" y1="${y}" y2="${y}"/><text class="y" x="${left - 6}" y="${y}" dy=".32em">${formatTick(tick, step)}</text>`
  })}${drawDates(days, size, frame)}<line class="base" x1="${left}" x2="${right}" y1="${baseY}" y2="${baseY}"/></g>`
}

/** The width of a character of a label, about. */
const characterPixels = { wide: 7.8, narrow: 6.9 }

/** A label that would extend past the chart's right edge ends at it. One that would extend past the plot's left edge starts at it, because
 * the label of the lowest value is there. A label that would cover the one before it is left out. */
function drawDates(days: Float64Array, size: Size, { left, right, bottom, xOf }: Frame): readonly Markup[] {
  let end = 0
  return dateTicks(days[0], days[days.length - 1], right - left).map(({ day, label }) => {
    const x = xOf(day)
    const width = label.length * characterPixels[size.name]
    const place = placeOfLabel(x, width, left, size.width)
    const hasRoom = place.start >= end
    if (hasRoom) end = place.start + width
    return html`<line class="tick" x1="${at(x)}" x2="${at(x)}" y1="${bottom}" y2="${bottom + 4}"/>${hasRoom && html`<text text-anchor="${place.anchor}" x="${at(place.x)}" y="${bottom + 17}">${label}</text>`}`
  })
}

function placeOfLabel(x: number, width: number, from: number, to: number) {
  if (x - width / 2 < from) return { anchor: 'start', x: from, start: from }
  if (x + width / 2 > to) return { anchor: 'end', x: to, start: to - width }
  return { anchor: 'middle', x, start: x - width / 2 }
}

function linePath({ x, y, columnPixels }: Pick<Frame, 'x' | 'y' | 'columnPixels'>): string {
  let path = ''
  let isDrawing = false
  for (const i of columnEnvelope(x, y, columnPixels)) {
    const exists = !Number.isNaN(y[i])
    if (exists) path += `${isDrawing ? 'L' : 'M'}${at(x[i])} ${at(y[i])}`
    isDrawing = exists
  }
  return path
}

/** The path that fills the area between the line and a base. */
function fillPath({ x, y, columnPixels }: Frame, base: number): string {
  let path = ''
  let last = -1
  const close = () => {
    if (last >= 0) path += `L${at(x[last])} ${at(base)}Z`
    last = -1
  }
  for (const i of columnEnvelope(x, y, columnPixels)) {
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

/** The points of a line to draw: in each pixel column the first, the lowest, the highest and the last, in
 * order. A line through them covers the same pixels as a line through all points, so no peak or trough is
 * lost.
 *
 * @param x non-decreasing, in pixels
 * @param y in pixels; NaN if there is no value, where the line is interrupted
 * @param columnPixels width of a column
 * @returns indices, increasing */
export function columnEnvelope(x: Float64Array, y: Float64Array, columnPixels = 1): number[] {
  const drawn: number[] = []
  let from = 0
  while (from < x.length) {
    const column = Math.floor(x[from] / columnPixels)
    let to = from
    while (to + 1 < x.length && Math.floor(x[to + 1] / columnPixels) === column) to++
    addColumn(y, from, to, drawn)
    from = to + 1
  }
  return drawn
}

function addColumn(y: Float64Array, from: number, to: number, drawn: number[]): void {
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
  const points = [from, low, high, gap, to].filter(i => i >= 0).sort((a, b) => a - b)
  for (const i of points) if (drawn.at(-1) !== i) drawn.push(i)
}

const detailedPoints = { wide: 160, narrow: 80 }
const usualPoints = { wide: 60, narrow: 40 }

/** Invisible strips for the pointer, each of which represents a point. The style sheet shows the read-out of
 * the one being hovered, so no script is needed. Every point has its own strip if there is room. Otherwise
 * evenly spaced points have one, and so do the lowest and the highest. */
function readOuts(frame: Frame, points: number, describe: (index: number) => Markup): Markup {
  const { x, y, left, right, top, bottom } = frame
  const chosen = choosePoints(y, points)
  const strips = chosen.map((point, i) => {
    const from = i === 0 ? left : (x[chosen[i - 1]] + x[point]) / 2
    const to = i === chosen.length - 1 ? right : (x[point] + x[chosen[i + 1]]) / 2
    const px = at(x[point])
    return html`<g class="read"><rect x="${at(from)}" y="${top}" width="${at(to - from)}" height="${bottom - top}"/><g class="say"><line x1="${px}" x2="${px}" y1="${top}" y2="${bottom}"/><circle cx="${px}" cy="${at(y[point])}" r="3.5"/><text x="${right}" y="15">${describe(point)}</text></g></g>
`
  })
  return html`<g class="readouts">${strips}</g>`
}

function choosePoints(y: Float64Array, max: number): number[] {
  const chosen = new Set<number>()
  const steps = Math.min(y.length, max) - 1
  for (let i = 0; i <= steps; i++) chosen.add(steps === 0 ? 0 : Math.round((i * (y.length - 1)) / steps))
  chosen.add(indexOfExtreme(y, (a, b) => a < b))
  chosen.add(indexOfExtreme(y, (a, b) => a > b))
  return [...chosen].filter(i => !Number.isNaN(y[i])).sort((a, b) => a - b)
}

function indexOfExtreme(y: Float64Array, isBeyond: (a: number, b: number) => boolean): number {
  let best = 0
  for (let i = 1; i < y.length; i++) if (isBeyond(y[i], y[best]) || Number.isNaN(y[best])) best = i
  return best
}
