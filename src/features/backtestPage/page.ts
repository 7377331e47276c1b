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
  /** The prefix of the key that runs; null: the visitor has none. */
  readonly keyName: string | null
  readonly isSignedIn: boolean
  readonly runs: readonly Job[]
  readonly baseUrl: string
}

/** /backtest: the form for who may run, and stored results for all. */
export function backtestPage(parts: BacktestPageParts): Page {
  const { keyName, fault, checked, form, typed, choice, shipped, runs, baseUrl } = parts
  const canRun = keyName !== null
  const run = html`<section id="own" aria-labelledby="own-title"><h2 id="own-title">Run your own</h2>
${canRun ? html`<p class="quiet">It runs as your key <code>${keyName}...</code> and counts against its limits.</p>` : invitation(parts.isSignedIn)}
<div id="fault" role="alert"${fault?.field != null && html` data-field="${fault.field}"`}>${fault !== null && html`<p class="notice bad">${fault.text}${checked === null && typed.rows === 'file' && html` <span class="without-script">Choose the file again, please: a browser never fills it in.</span>`}</p>`}</div>
<div id="preview" role="status">${checked !== null && preview(checked)}</div>
<div id="own-form"${!canRun && html` hidden`}>${runForm(form, { typed, faulty: fault?.field ?? null })}</div>
${runList(runs)}</section>`
  const stored = storedSection(choice, shipped)
  return {
    title: 'Backtest',
    section: '/backtest',
    description:
      'Backtest a ranking with its costs: on the forecasts of this service, by a metric, or with rows of your own. With the evidence for skill or luck.',
    canonical: `${baseUrl}/backtest`,
    styles: ['backtest.css'],
    scripts: ['backtest.js'],
    main: html`<div id="backtest"><h1>Backtest</h1>
<p class="lead">Buys what ranks highest, sells what ranks lowest, charges the costs, and tells skill from luck as far as the numbers can.</p>
<p>${canRun ? html`Below the form, <a href="#stored">stored results</a> show at once what settings do.` : html`Move the settings of stored results, or <a href="#own">run your own</a>.`}</p>
${canRun ? html`${run}${stored}` : html`${stored}${run}`}</div>`,
  }
}

const invitation = (isSignedIn: boolean): Markup =>
  html`<p>Running needs a key with the quant plan. ${isSignedIn ? html`None of your account has it: <a href="/account/licences">request one</a>.` : html`<a href="/sign-in?next=/backtest">Sign in</a> with an account that has one, or read <a href="/docs/guides/keys-and-limits">how to get one</a>.`}</p>
${keyField('Use it')}`

/** What is what in a file of forecasts. */
const roles: Readonly<Record<string, string>> = {
  ticker: 'asset',
  predicted_pct: 'score',
  actual_pct: 'forward_return',
}
const used = new Set(['date', 'asset', 'score', 'forward_return', 'market', 'horizon'])

function preview({ head, rows, dates, assets, firstDay, lastDay, notices }: PanelFile): Markup {
  const count = (value: number) => value.toLocaleString('en-US')
  const days = `${isoDate(firstDay)} to ${isoDate(lastDay)}`
  return html`<div class="notice"><h3>The file has no fault</h3>
<p>${count(rows)} rows of ${count(assets)} assets on ${count(dates)} dates, ${days}.${notices.map(text => ` ${text}`)}</p>
${
  head !== null &&
  html`<div class="scroll" role="region" aria-label="First rows of the file" tabindex="0"><table>
<thead><tr>${head.columns.map(name => html`<th scope="col">${name}<small>${role(name)}</small></th>`)}</tr></thead>
<tbody>${head.rows.map(row => html`<tr>${row.map(cell => html`<td>${cell.slice(0, 80)}</td>`)}</tr>\n`)}</tbody></table></div>`
}</div>`
}

function role(column: string): string {
  const meaning = roles[column] ?? column
  return used.has(meaning) ? `read as ${meaning}` : 'not used'
}
