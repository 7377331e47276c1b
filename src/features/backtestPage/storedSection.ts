import { html, type Markup } from '../../html.ts'
import { daysHeld, type StoredChoice, storedAxes } from './storedGrid.ts'
import type { ShippedArchive } from './storedResults.ts'

/** The address of the report of a choice. */
export const storedQuery = (choice: StoredChoice): string => new URLSearchParams(choice).toString()

/** Stored results, with the settings that choose among them. Without script its button does. */
export function storedSection(choice: StoredChoice, { names, first, last }: ShippedArchive): Markup {
  const query = storedQuery(choice)
  const isSweep = choice.run === 'sweep'
  return html`<section id="stored" aria-labelledby="stored-title">
<h2 id="stored-title">Move the settings</h2>
<p>Real results of the archive that this service ships: forecasts of ${names} US stocks ${heldText(choice.horizon, '1')} ahead, ${first} to ${last}, with trading costs. They are stored, so every combination shows at once.</p>
<form id="choose" class="backtest" method="get" action="/backtest"><div class="settings">
${axis('run', 'What is tried', choice.run, value => (value === 'one' ? 'one configuration' : 'all 48, and the best is judged'))}
${axis('quantile', 'Quantile', choice.quantile, value => `${value}: ${Math.max(1, Math.floor(names * Number(value) + 1e-9))} names a leg`, isSweep)}
${axis('weighting', 'Weights', choice.weighting, value => (value === 'equal' ? 'equal' : `by ${value}`), isSweep)}
${axis('hold', 'Held', choice.hold, value => heldText(choice.horizon, value), isSweep)}
</div><p class="row"><button class="without-script">Show</button></p></form>
<p id="stored-state" class="quiet" role="status">${describe(choice)}</p>
<p class="row"><a href="/backtest/example?${query}">Report on its own page</a> <a href="/backtest/example?${query}&amp;format=json" download>JSON</a> <a href="/backtest/example?${query}&amp;format=csv" download>Curve as CSV</a></p>
${reportFrame(`/backtest/example?${query}`, 'Report of the stored result')}
</section>`
}

const heldText = (horizon: string, hold: string) => {
  const days = daysHeld(horizon, hold)
  return days === 1 ? '1 day' : `${days} days`
}

function axis<Name extends keyof typeof storedAxes>(
  name: Name,
  label: string,
  chosen: string,
  text: (value: string) => string,
  isIdle = false,
): Markup {
  const options = storedAxes[name].map(
    value => html`<option value="${value}"${value === chosen && html` selected`}>${text(value)}</option>`,
  )
  return html`<div class="setting"><label for="s-${name}">${label}</label>
<select id="s-${name}" name="${name}"${isIdle && html` disabled`}>${options}</select></div>`
}

function describe({ horizon, quantile, weighting, hold, run }: StoredChoice): string {
  if (run === 'sweep') return 'Shown: the best of all 48 configurations.'
  return `Shown: quantile ${quantile}, ${weighting === 'equal' ? 'equal weights' : `weights by ${weighting}`}, held ${heldText(horizon, hold)}.`
}

/** A report inside a page. Its own policy allows no script, and neither does the frame; `allow-same-origin` lets the page measure how
 * long it is. */
export const reportFrame = (path: string, title: string): Markup =>
  html`<iframe class="report" src="${path}" title="${title}" sandbox="allow-same-origin" loading="lazy"></iframe>`
