import { html, type Markup } from '../../../html.ts'

/** A table that may be wider than a phone: it scrolls sideways by itself, by keyboard too.
 *
 * @param isWide it does not fit a phone: the style sheet shows a cue there, since phones hide scroll bars */
export function scrollTable(name: string, table: Markup, isWide = false): Markup {
  return html`${isWide && html`<p class="cue">The table goes on to the right: swipe it, or use the arrow keys.</p>`}<div class="scroll${isWide && ' wide-table'}" tabindex="0" role="region" aria-label="${name}">${table}</div>`
}
