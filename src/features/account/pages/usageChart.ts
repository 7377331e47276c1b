import { html, type Markup } from '../../../html.ts'

export interface DayCount {
  readonly day: string
  readonly requests: number
}

const width = 720
const height = 200
const left = 56
const bottom = 32
const top = 20

/** Requests a day as bars. The table beside it has the same figures, for people who cannot see the chart. */
export function usageChart(days: readonly DayCount[]): Markup {
  const max = niceMax(Math.max(...days.map(({ requests }) => requests)))
  const step = (width - left) / days.length
  const y = (value: number) => height - bottom - (value / max) * (height - bottom - top)
  const total = days.reduce((sum, { requests }) => sum + requests, 0)
  return html`<svg class="usage-chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="chart-t chart-d">
<title id="chart-t">Requests per day</title>
<desc id="chart-d">${days.length} days from ${days[0].day} to ${days[days.length - 1].day}, ${total.toLocaleString('en-US')} requests in total.</desc>
${[0, max / 2, max].map(
  value =>
    html`<line class="grid" x1="${left}" x2="${width}" y1="${y(value)}" y2="${y(value)}"/><text class="tick" x="${left - 8}" y="${y(value) + 4}" text-anchor="end">${value.toLocaleString('en-US')}</text>
`,
)}
${days.map(
  ({ day, requests }, index) =>
    html`<rect class="bar" x="${rounded(left + index * step + step * 0.15)}" y="${rounded(y(requests))}" width="${rounded(step * 0.7)}" height="${rounded(height - bottom - y(requests))}"><title>${day}: ${requests.toLocaleString('en-US')}</title></rect>
`,
)}
<text class="tick" x="${left}" y="${height - 8}">${days[0].day}</text>
<text class="tick" x="${width}" y="${height - 8}" text-anchor="end">${days[days.length - 1].day}</text>
</svg>`
}

const rounded = (value: number) => Math.round(value * 10) / 10

/** The next 2, 4 or 10 times a power of ten, so that half of it is a whole number, too. */
function niceMax(value: number): number {
  let scale = 1
  for (;;) {
    for (const step of [2, 4, 10]) if (step * scale >= value) return step * scale
    scale *= 10
  }
}
