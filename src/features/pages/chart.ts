import { dayNumber, isoDate } from '../../dates.ts'
import { html, type Markup } from '../../html.ts'

export interface Step {
  readonly day: string
  readonly value: number
  /** The figure as the label shows it. */
  readonly text: string
}

export interface StepSeries {
  /** Empty if there is only one. */
  readonly name: string
  readonly steps: readonly Step[]
}

export interface StepChart {
  readonly label: string
  readonly series: readonly StepSeries[]
  /** By default, a month before and after the steps. */
  readonly span?: { readonly first: string; readonly last: string }
  /**
   * A vertical line at a day, which a script may move: `data-first` and `data-days` on the SVG map days to
   * positions.
   */
  readonly marker?: string
}

const width = 640
const height = 260
const left = 16
const right = 16
const top = 28
const bottom = 30

/**
 * What was known over time. Each figure is constant until a filing changes it, so the chart has steps and no
 * slopes.
 */
export function stepChart({ label, series, span, marker }: StepChart): Markup {
  const all = series.flatMap(({ steps }) => steps)
  const days = all.map(({ day }) => dayNumber(day))
  const margin = Math.max(20, Math.round((Math.max(...days) - Math.min(...days)) * 0.12))
  const first = span === undefined ? Math.min(...days) - margin : dayNumber(span.first)
  const last = span === undefined ? Math.max(...days) + margin : dayNumber(span.last)
  const values = all.map(({ value }) => value)
  const low = Math.min(...values)
  const high = Math.max(...values)
  const x = (day: number) => left + ((day - first) / Math.max(1, last - first)) * (width - left - right)
  const y = (value: number) =>
    high === low ? height / 2 : top + 14 + ((high - value) / (high - low)) * (height - top - bottom - 28)
  return html`<svg class="steps" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}" data-first="${isoDate(first)}" data-days="${last - first}" data-left="${left}" data-width="${width - left - right}">
<line class="axis" x1="${left}" x2="${width - right}" y1="${height - bottom}" y2="${height - bottom}"/>
${yearStarts(first, last).map(day => html`<g class="tick"><line x1="${rounded(x(day))}" x2="${rounded(x(day))}" y1="${height - bottom}" y2="${height - bottom + 5}"/><text x="${rounded(x(day))}" y="${height - 8}" text-anchor="middle">${isoDate(day).slice(0, 7)}</text></g>`)}
${series.map(({ name, steps }, number) => drawSeries(name, steps, number, { x, y, last }))}
${marker !== undefined && html`<line class="marker" id="marker" x1="${rounded(x(dayNumber(marker)))}" x2="${rounded(x(dayNumber(marker)))}" y1="${top - 14}" y2="${height - bottom}"/>`}
</svg>`
}

const rounded = (pixels: number) => pixels.toFixed(1)

interface Axes {
  readonly x: (day: number) => number
  readonly y: (value: number) => number
  readonly last: number
}

function drawSeries(name: string, steps: readonly Step[], number: number, { x, y, last }: Axes): Markup {
  let path = ''
  steps.forEach(({ day, value }, at) => {
    const from = rounded(x(dayNumber(day)))
    const to = rounded(x(at + 1 < steps.length ? dayNumber(steps[at + 1].day) : last))
    path += `${at === 0 ? 'M' : 'L'}${from} ${rounded(y(value))}L${to} ${rounded(y(value))}`
  })
  return html`<g class="series series-${number % 4}"><path d="${path}"/>${steps.map(
    ({ day, value, text }, at) => {
      // Near the right edge, a label that begins at its step would be clipped.
      const start = x(dayNumber(day))
      const isLate = start > width - 150
      const before = steps[at - 1]
      const above = before === undefined || before.value <= value
      return html`<circle cx="${rounded(start)}" cy="${rounded(y(value))}" r="4"/><text x="${rounded(start + (isLate ? -8 : 4))}" y="${rounded(y(value) + (above ? -9 : 18))}"${isLate && html` text-anchor="end"`}>${name !== '' && at === 0 && `${name}: `}${text}</text>`
    },
  )}</g>`
}

/** The starts of years or, for short spans, of quarters or months. */
function yearStarts(first: number, last: number): number[] {
  const months = last - first > 4 * 366 ? 12 : last - first > 400 ? 6 : last - first > 150 ? 3 : 1
  const from = isoDate(first)
  const found: number[] = []
  for (let month = Number(from.slice(0, 4)) * 12; found.length < 60; month++) {
    if (month % months !== 0) continue
    const day = dayNumber(`${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`)
    if (day > last) break
    if (day > first) found.push(day)
  }
  const every = Math.ceil(found.length / 10)
  return found.filter((_, at) => at % every === 0)
}
