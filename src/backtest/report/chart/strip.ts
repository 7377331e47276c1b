import { html, type Markup } from '../../../html.ts'
import { ratio } from '../numberFormat.ts'
import { at, inBothSizes, niceTicks, type Size } from './axes.ts'

/** Ratios on one axis, two of them marked. */
export interface Strip {
  /** Unique in the document. */
  readonly id: string
  readonly title: string
  /** Read out by screen readers. */
  readonly description: string
  readonly values: readonly number[]
  /** Marked above the axis. */
  readonly own: Mark
  /** Marked below the axis. */
  readonly compared: Mark
}

interface Mark {
  readonly name: string
  readonly value: number
  /** The name already contains the value, as for a line at 0. */
  readonly isBare?: boolean
}

const height = 108
const middle = 56

export function stripChart(strip: Strip): Markup {
  return inBothSizes(size => drawStrip(strip, size))
}

function drawStrip({ id: name, title, description, values, own, compared }: Strip, size: Size): Markup {
  const all = [...values, compared.value, own.value]
  const min = all.reduce((a, b) => Math.min(a, b))
  const max = all.reduce((a, b) => Math.max(a, b))
  const left = 16
  const right = size.width - 16
  const shareOf = (value: number) => (value - min) / (max - min || 1)
  const x = (value: number) => at(left + shareOf(value) * (right - left))
  // A centred label near either end would extend past the chart.
  const anchor = (value: number) => {
    const share = shareOf(value)
    return share < 0.25 ? 'start' : share > 0.75 ? 'end' : 'middle'
  }
  const ticks = niceTicks(min, max, size.name === 'wide' ? 8 : 4)
  const id = `${name}-${size.name}`
  const [ownX, comparedX] = [x(own.value), x(compared.value)]
  return html`<svg class="chart strip ${size.name}" viewBox="0 0 ${size.width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">
<title id="${id}-t">${title}</title>
<desc id="${id}-d">${description}</desc>
<g class="axis"><line class="base" x1="${left}" x2="${right}" y1="${middle}" y2="${middle}"/>${ticks.map(
    tick => html`<text text-anchor="middle" x="${x(tick)}" y="${height - 34}">${ratio(tick)}</text>`,
  )}</g>
${values.map(value => html`<line class="trial" x1="${x(value)}" x2="${x(value)}" y1="${middle - 7}" y2="${middle + 7}"/>`)}
<line class="own" x1="${ownX}" x2="${ownX}" y1="26" y2="${middle + 7}"/><text class="own" text-anchor="${anchor(own.value)}" x="${ownX}" y="18">${label(own)}</text>
<line class="luck" x1="${comparedX}" x2="${comparedX}" y1="${middle - 7}" y2="${height - 20}"/><text class="luck" text-anchor="${anchor(compared.value)}" x="${comparedX}" y="${height - 6}">${label(compared)}</text>
</svg>`
}

const label = ({ name, value, isBare }: Mark) => (isBare ? name : `${name} ${ratio(value)}`)
