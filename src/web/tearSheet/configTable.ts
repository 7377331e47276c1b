import type { BacktestResult } from '../../model/backtestResult.ts'
import { dash } from '../figures.ts'
import { html, type Markup } from '../html.ts'

/** The configuration as a request would send it, to run it again. */
export function configTable({ config }: BacktestResult): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Configuration"><table class="config"><tbody>${Object.entries(
    config,
  ).map(
    ([name, value]) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${value === null ? dash : String(value)}</td></tr>`,
  )}</tbody></table></div>`
}
