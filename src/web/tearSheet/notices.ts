import type { BacktestResult } from '../../model/backtestResult.ts'
import { droppedWords } from '../droppedWords.ts'
import { html, type Markup } from '../html.ts'

/** What a reader should know before trusting the numbers: warnings, then what was left out. */
export function notices({ warnings, dropped }: BacktestResult): Markup {
  const left = droppedWords(dropped)
  return html`${
    warnings.length > 0 &&
    html`<section class="notice" aria-label="Warnings"><h2>Read this first</h2><ul>${warnings.map(
      ({ message }) => html`<li>${message}</li>`,
    )}</ul></section>`
  }${
    left.length > 0
      ? html`<section class="left-out" aria-label="What was left out"><h2>Left out</h2><ul>${left.map(words => html`<li>${words}</li>`)}</ul></section>`
      : html`<p class="left-out">No row was left out, and every held name had a return.</p>`
  }`
}
