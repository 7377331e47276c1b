import { html, type Markup } from '../html.ts'

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
