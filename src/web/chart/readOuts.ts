import { html, type Markup } from '../html.ts'
import type { Frame } from './frame.ts'
import { at, type Size } from './sizes.ts'

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
