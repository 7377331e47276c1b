import type { PanelFile } from '../../backtest/pipeline/readPanelFile.ts'
import { isoDate } from '../../dates.ts'
import { html, type Markup } from '../../html.ts'
import type { Page } from '../../http/pages/shell.ts'
import type { Job } from '../../jobs/job.ts'
import { type FormParts, runForm } from './formSection.ts'
import type { Typed } from './runForm.ts'
import { keyField, runList } from './runPage.ts'
import type { StoredChoice } from './storedGrid.ts'
import type { ShippedArchive } from './storedResults.ts'
import { storedSection } from './storedSection.ts'

export interface BacktestPageParts {
  readonly form: FormParts
  readonly typed: Typed
  readonly fault: { readonly text: string; readonly field: string | null } | null
  readonly checked: PanelFile | null
  readonly choice: StoredChoice
  readonly shipped: ShippedArchive
  /** The prefix of the key that runs backtests; null if the visitor has none. */
  readonly keyName: string | null
  readonly isSignedIn: boolean
  readonly runs: readonly Job[]
  readonly baseUrl: string
}

/** /backtest: the form for those who may run backtests, and stored results for everyone. */
export function backtestPage(parts: BacktestPageParts): Page {
  const { keyName, fault, checked, form, typed, choice, shipped, runs, baseUrl } = parts
  const canRun = keyName !== null
  const run = html`<section id="own" aria-labelledby="own-title"><h2 id="own-title">Run your own</h2>
${canRun ? html`<p class="quiet">It uses your key <code>${keyName}...</code> and counts towards its limits.</p>` : invitation(parts.isSignedIn)}
<div id="fault" role="alert"${fault?.field != null && html` data-field="${fault.field}"`}>${fault !== null && html`<p class="notice bad">${fault.text}${checked === null && typed.rows === 'file' && html` <span class="without-script">Please choose the file again: browsers do not remember it.</span>`}</p>`}</div>
<div id="preview" role="status">${checked !== null && preview(checked, typed.priceSet)}</div>
<div id="own-form"${!canRun && html` hidden`}>${runForm(form, { typed, faulty: fault?.field ?? null })}</div>
${runList(runs)}</section>`
  const stored = storedSection(choice, shipped)
  return {
    title: 'Backtest',
    section: '/backtest',
    description:
      'Backtest a ranking after costs, by our forecasts, a metric or your own scores, and see whether the result is skill or luck.',
    canonical: `${baseUrl}/backtest`,
    styles: ['backtest.css'],
    scripts: ['backtest.js'],
    main: html`<div id="backtest"><h1>Backtest</h1>
<p class="lead">Buy the highest-ranked names, sell the lowest-ranked, pay the costs, and see how far the numbers can tell skill from luck.</p>
<p>${canRun ? html`Below the form, <a href="#stored">stored results</a> show instantly what each setting does.` : html`Change the settings of stored results, or <a href="#own">run your own</a>.`}</p>
${canRun ? html`${run}${stored}` : html`${stored}${run}`}</div>`,
  }
}

const invitation = (isSignedIn: boolean): Markup =>
  html`<p>You need a key with the quant plan to run backtests. ${isSignedIn ? html`Your account has none: <a href="/account/licences">request one</a>.` : html`<a href="/sign-in?next=/backtest">Sign in</a> with an account that has one, or read <a href="/docs/guides/keys-and-limits">how to get one</a>.`}</p>
${keyField('Use it')}`

/** Describes the columns of a file of forecasts. */
const roles: Readonly<Record<string, string>> = {
  ticker: 'asset',
  predicted_pct: 'score',
  actual_pct: 'forward_return',
}
const used = new Set(['date', 'asset', 'score', 'forward_return', 'market', 'horizon'])

/** @param priceSet the set that gives the returns */
function preview(
  { head, rows, dates, assets, firstDay, lastDay, notices }: PanelFile,
  priceSet: string | undefined,
): Markup {
  const count = (value: number) => value.toLocaleString('en-US')
  const days = `${isoDate(firstDay)} to ${isoDate(lastDay)}`
  return html`<div class="notice"><h3>The file is valid</h3>
<p>${count(rows)} rows of ${count(assets)} assets on ${count(dates)} dates, ${days}.${notices.map(text => ` ${text}`)}</p>
${
  head !== null &&
  html`<div class="scroll" role="region" aria-label="First rows of the file" tabindex="0"><table>
<thead><tr>${head.columns.map(name => html`<th scope="col">${name}<small>${role(name, priceSet)}</small></th>`)}</tr></thead>
<tbody>${head.rows.map(row => html`<tr>${row.map(cell => html`<td>${cell.slice(0, 80)}</td>`)}</tr>\n`)}</tbody></table></div>`
}</div>`
}

function role(column: string, priceSet: string | undefined): string {
  const meaning = roles[column] ?? column
  if (meaning === 'forward_return' && priceSet !== undefined) return `not used: returns come from ${priceSet}`
  return used.has(meaning) ? `read as ${meaning}` : 'not used'
}
