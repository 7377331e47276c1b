import { html, type Markup } from '../../html.ts'
import type { Page } from '../../http/pages/shell.ts'
import { type Job, jobRetentionDays } from '../../jobs/job.ts'
import type { Snippets } from './snippets.ts'
import { reportFrame } from './storedSection.ts'

export const runPath = (id: string): string => `/backtest/runs/${id}`

export interface ShownRun {
  readonly job: Job
  /** The address for the bar of a browser. */
  readonly address: string
  /** Of a run that has succeeded. */
  readonly snippets: Snippets | null
  /** Seconds until it loads again without script. */
  readonly refreshSeconds: number
}

/** A backtest under way, or its report. */
export function runPage({ job, address, snippets, refreshSeconds }: ShownRun): Page {
  const isOver = job.finishedAt !== null
  return {
    title: `Backtest: ${titles[job.state]}`,
    section: '/backtest',
    unlisted: true,
    styles: ['backtest.css'],
    scripts: ['backtest.js'],
    ...(isOver ? {} : { refreshSeconds }),
    main: html`<div id="run-page" data-run="${job.id}" data-state="${job.state}">
<h1>Backtest</h1>
<p id="run-state" role="status">${stateText(job)}</p>
${!isOver && progress(job)}
${job.state === 'failed' && failure(job)}
${snippets !== null && report(job, address, snippets)}
${isOver && job.state !== 'succeeded' && html`<p><a class="button" href="/backtest">Back to the form</a></p>`}
</div>`,
  }
}

const titles: Readonly<Record<Job['state'], string>> = {
  queued: 'waiting',
  running: 'running',
  succeeded: 'report',
  failed: 'failed',
  cancelled: 'cancelled',
}

const started = (job: Job) => job.createdAt.toISOString().slice(0, 16).replace('T', ' ')

function stateText({ state, done, total, ...job }: Job): string {
  switch (state) {
    case 'queued':
      return 'It waits for a place. It is stored: closing this page does not stop it.'
    case 'running':
      return total === null || total === 1 ? 'It runs.' : `It runs: ${done} of ${total} configurations.`
    case 'succeeded':
      return `Done: ${total === null || total === 1 ? 'one configuration' : `${total} configurations`}.`
    case 'failed':
      return 'It failed.'
    case 'cancelled':
      return `It was cancelled${job.finishedAt === null ? '' : ` on ${job.finishedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`}.`
    default:
      return state satisfies never
  }
}

function progress(job: Job): Markup {
  const { id, done, total } = job
  return html`<p><progress id="run-progress" aria-label="Configurations done"${total !== null && html` value="${done}" max="${total}"`}></progress></p>
<form method="post" action="${runPath(id)}/cancel"><button>Cancel</button></form>
<p class="without-script quiet">This page loads itself again while it runs.</p>`
}

const failure = ({ errorCode, errorMessage }: Job) =>
  html`<p class="notice bad" role="alert">${errorMessage} <a href="/docs/errors#${errorCode}">${errorCode}</a></p>`

function report(job: Job, address: string, { curl, python }: Snippets): Markup {
  const path = runPath(job.id)
  return html`<p class="row downloads"><a class="button" href="${path}/report">Report on its own page</a> <a class="button" href="${path}/report" download="backtest.html">HTML</a> <a class="button" href="${path}/result" download="backtest.json">JSON</a> <a class="button" href="${path}/curve" download="backtest.csv">Curve as CSV</a> <a class="button" href="/backtest">Another one</a></p>
${reportFrame(`${path}/report`, 'Report of the backtest')}
<h2>Share it</h2>
<p class="share"><label for="address">Address</label> <input id="address" readonly value="${address}"></p>
<p class="quiet">It opens for who is signed in with the account of this key, or has the key itself; for others there is no such page. It was sent at ${started(job)} UTC and is deleted ${jobRetentionDays} days after its end.</p>
<h2>The same by a program</h2>
<p>Both lines give every number of the report. They expect the key in <code>ASFILED_KEY</code>.</p>
<h3>curl</h3><pre id="curl" tabindex="0"><code>${curl}</code></pre>
<h3>Python</h3><pre id="python" tabindex="0"><code>${python}</code></pre>`
}

/** The runs of a person that are still stored, newest first. */
export const runList = (jobs: readonly Job[]): Markup | false =>
  jobs.length > 0 &&
  html`<section><h2>Your latest backtests</h2><ul class="runs">${jobs.map(job => html`<li><a href="${runPath(job.id)}">${started(job)} UTC</a> ${titles[job.state]}${job.total !== null && job.total > 1 && `, ${job.total} configurations`}</li>\n`)}</ul></section>`

/** What a run that is not there, or not theirs, looks like: for both the same bytes. */
export function missingRunPage(): Page {
  return {
    title: 'No such backtest',
    unlisted: true,
    styles: ['backtest.css'],
    scripts: ['backtest.js'],
    main: html`<div id="run-page"><h1>No such backtest</h1>
<p>There is no backtest at this address that you may see. It is open to its owner alone: <a href="/sign-in?next=/backtest">sign in</a> with the account of its key. A backtest is deleted ${jobRetentionDays} days after its end.</p>
${keyField('Open it')}
</div>`,
  }
}

/** The field for a key. It has no name, so no form sends it: the script sends it in a header, and it is nowhere else. */
export const keyField = (action: string): Markup =>
  html`<form id="key-form" class="with-script backtest" autocomplete="off"><label for="pasted-key">Or paste a key with the quant plan</label>
<p class="row"><input id="pasted-key" type="password" autocomplete="off" spellcheck="false" maxlength="80" aria-describedby="key-help"> <button>${action}</button></p>
<p id="key-help" class="quiet">It stays in the memory of this page until you leave it, and is sent in the Authorization header alone.</p>
<p id="key-fault" role="alert" class="fault"></p></form>`
