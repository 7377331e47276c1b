import { html, type Markup } from '../../../html.ts'

/** The widest screen that the table does not fit. Up to there the style sheet shows a cue, because phones
 * hide scroll bars. */
export type Cut = 'phone' | 'tablet' | 'always'

/** A table that may be wider than the page. It scrolls sideways on its own, also by keyboard. */
export function scrollTable(name: string, table: Markup, cut: Cut | null = null): Markup {
  return html`${cut && html`<p class="cue ${cut}">The table goes on to the right: swipe it, or use the arrow keys.</p>`}<div class="scroll${cut && ' wide-table'}" tabindex="0" role="region" aria-label="${name}">${table}</div>`
}

/** When printed, a longer table is split between rows, with its header repeated: the class `long`. */
export const maxUnsplitRows = 20
