import { html, type Markup } from '../../html.ts'
import type { Page } from '../../http/pages/shell.ts'
import { type Job, jobRetentionDays } from '../../jobs/job.ts'
import { minuteOf, type ShareState, shareSection } from './shareSection.ts'
import type { Snippets } from './snippets.ts'
import { reportFrame } from './storedSection.ts'

export const runPath = (id: string): string => `/backtest/runs/${id}`

export interface ShownRun {
  readonly job: Job
  /** The URL to show in the address bar. */
  readonly address: string
  /** Set for a run that has succeeded. */
  readonly snippets: Snippets | null
  readonly sharing: ShareState
  /** Seconds until the page reloads if there is no script. */
  readonly refreshSeconds: number
}

/** A running backtest, or its report. */
export function runPage({ job, address, snippets, sharing, refreshSeconds }: ShownRun): Page {
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
${snippets !== null && report(job, address, snippets, sharing)}
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

const started = (job: Job) => minuteOf(job.createdAt)

function stateText({ state, done, total, ...job }: Job): string {
  switch (state) {
    case 'queued':
      return 'It is queued. You can close this page without stopping it.'
    case 'running':
      if (total === null || total === 1) return 'It is running.'
      return done < total
        ? `It is running: ${done} of ${total} configurations.`
        : `All ${total} configurations have run. Computing the statistics of the best one.`
    case 'succeeded':
      return `Done: ${total === null || total === 1 ? 'one configuration' : `${total} configurations`}.`
    case 'failed':
      return 'It failed.'
    case 'cancelled':
      return `It was cancelled${job.finishedAt === null ? '' : ` on ${minuteOf(job.finishedAt)} UTC`}.`
    default:
      return state satisfies never
  }
}

function progress(job: Job): Markup {
  const { id, done, total } = job
  return html`<p><progress id="run-progress" aria-label="Configurations done"${total !== null && done < total && html` value="${done}" max="${total}"`}></progress></p>
<form method="post" action="${runPath(id)}/cancel"><button>Cancel</button></form>
<p class="without-script quiet">This page reloads itself until the backtest is done.</p>`
}

const failure = ({ errorCode, errorMessage }: Job) =>
  html`<p class="notice bad" role="alert">${errorMessage} <a href="/docs/errors#${errorCode}">${errorCode}</a></p>`

function report(job: Job, address: string, { curl, python }: Snippets, sharing: ShareState): Markup {
  const path = runPath(job.id)
  return html`<p class="row downloads"><a class="button" href="${path}/report">Report on its own page</a> <a class="button" href="${path}/report" download="backtest.html">HTML</a> <a class="button" href="${path}/result" download="backtest.json">JSON</a> <a class="button" href="${path}/curve" download="backtest.csv">Curve as CSV</a> <a class="button" href="/backtest">New backtest</a></p>
${reportFrame(`${path}/report`, 'Report of the backtest')}
${shareSection(path, sharing)}
<h2>Your own address</h2>
<p class="share"><label for="address">Address</label> <input id="address" readonly value="${address}"></p>
<p class="quiet">Only the account that owns this key, or someone with the key, can open this link. The backtest was submitted at ${started(job)} UTC and is deleted ${jobRetentionDays} days after it ends, or when its last public address expires.</p>
<h2>Run it from a program</h2>
<p>Both commands return every number of the report. They read the key from <code>ASFILED_KEY</code>.</p>
<h3>curl</h3><pre id="curl" tabindex="0"><code>${curl}</code></pre>
<h3>Python</h3><pre id="python" tabindex="0"><code>${python}</code></pre>`
}

/** A person's runs that are still stored, newest first. */
export const runList = (jobs: readonly Job[]): Markup | false =>
  jobs.length > 0 &&
  html`<section><h2>Your latest backtests</h2><ul class="runs">${jobs.map(job => html`<li><a href="${runPath(job.id)}">${started(job)} UTC</a> ${titles[job.state]}${job.total !== null && job.total > 1 && `, ${job.total} configurations`}</li>\n`)}</ul></section>`

/** The page for a run that does not exist or belongs to someone else: identical bytes in both cases. */
export function missingRunPage(): Page {
  return {
    title: 'No such backtest',
    unlisted: true,
    styles: ['backtest.css'],
    scripts: ['backtest.js'],
    main: html`<div id="run-page"><h1>No such backtest</h1>
<p>There is no backtest at this address, or it belongs to another account. If it is yours, <a href="/sign-in?next=/backtest">sign in</a> with the account that owns its key. A backtest is deleted ${jobRetentionDays} days after it ends.</p>
${keyField('Open it')}
</div>`,
  }
}

/**
 * The field for a key. It has no name, so no form submits it: the script sends it in a header and keeps it
 * nowhere else.
 */
export const keyField = (action: string): Markup =>
  html`<form id="key-form" class="with-script backtest" autocomplete="off"><label for="pasted-key">Or paste a key with the quant plan</label>
<p class="row"><input id="pasted-key" type="password" autocomplete="off" spellcheck="false" maxlength="80" aria-describedby="key-help"> <button>${action}</button></p>
<p id="key-help" class="quiet">The key stays in this page's memory until you leave it, and is sent only in the Authorization header.</p>
<p id="key-fault" role="alert" class="fault"></p></form>`
