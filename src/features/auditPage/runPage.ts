import { html, type Markup } from '../../html.ts'
import type { Page } from '../../http/pages/shell.ts'
import { type Job, jobRetentionDays } from '../../jobs/job.ts'

export const runPath = (id: string): string => `/audit/runs/${id}`

const common = { section: '/audit', unlisted: true, styles: ['backtest.css'], scripts: ['audit.js'] } as const

/** A running audit, or its report. */
export function runPage(job: Job, refreshSeconds: number): Page {
  const isOver = job.finishedAt !== null
  return {
    ...common,
    title: `Audit: ${titles[job.state]}`,
    ...(isOver ? {} : { refreshSeconds }),
    main: html`<div id="run-page" data-run="${job.id}" data-state="${job.state}">
<h1>Audit</h1>
<p id="run-state" role="status">${stateText(job)}</p>
${!isOver && html`<p><progress aria-label="The audit is running"></progress></p><form method="post" action="${runPath(job.id)}/cancel"><button>Cancel</button></form><p class="without-script quiet">This page reloads itself until the audit is done.</p>`}
${job.state === 'failed' && html`<p class="notice bad" role="alert">${job.errorMessage} <a href="/docs/errors#${job.errorCode}">${job.errorCode}</a></p>`}
${job.state === 'succeeded' && storedReport(job)}
${isOver && job.state !== 'succeeded' && html`<p><a class="button" href="/audit">Back to the form</a></p>`}
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

const minuteOf = (time: Date) => time.toISOString().slice(0, 16).replace('T', ' ')

function stateText({ state, total, createdAt }: Job): string {
  switch (state) {
    case 'queued':
      return 'It is queued. You can close this page without stopping it.'
    case 'running':
      return 'It is running. You can close this page without stopping it.'
    case 'succeeded':
      return `Done: ${(total ?? 0).toLocaleString('en')} ${total === 1 ? 'row' : 'rows'}, submitted on ${minuteOf(createdAt)} UTC.`
    case 'failed':
      return 'It failed.'
    case 'cancelled':
      return 'It was cancelled.'
    default:
      return state satisfies never
  }
}

/** The frame allows no script. Links to filings open in windows of their own, which must not be bound by that. */
const sandbox = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox'

function storedReport({ id }: Job): Markup {
  const path = runPath(id)
  return html`<p class="row downloads"><a class="button" href="${path}/csv" download="audit.csv">Corrected rows as CSV</a> <a class="button" href="${path}/parquet" download="audit.parquet">as Parquet</a> <a class="button" href="${path}/json" download="audit.json">Report as JSON</a> <a class="button" href="${path}/report">Report on its own page</a> <a class="button" href="/audit">New audit</a></p>
<iframe class="report" src="${path}/report" title="Report of the audit" sandbox="${sandbox}"></iframe>
<p class="quiet">Only accounts with this key can open this page. The audit is deleted ${jobRetentionDays} days after it ends.</p>`
}

export interface SentDownload {
  readonly name: string
  readonly label: string
  /** As a data: URL; null: it would be too large for one. */
  readonly url: string | null
}

/** The report of an audit that is not stored, which the page therefore contains with its downloads. */
export function unstoredPage(report: string, downloads: readonly SentDownload[]): Page {
  const tooLarge = downloads.filter(({ url }) => url === null).map(({ label }) => label)
  return {
    ...common,
    title: 'Audit: report',
    main: html`<div id="run-page" data-state="succeeded"><h1>Audit</h1>
<p class="row downloads">${downloads.map(({ name, label, url }) => url !== null && html`<a class="button" href="${url}" download="${name}">${label}</a> `)}<a class="button" href="/audit">New audit</a></p>
${tooLarge.length > 0 && html`<p class="quiet">Too large for a page that is not stored: ${tooLarge.join(', ')}. Sign in with an account that has a key, or use the API.</p>`}
<iframe class="report" srcdoc="${report}" title="Report of the audit" sandbox="${sandbox}"></iframe>
<p class="quiet">This audit is not stored: the report and the rows are gone when you leave this page.</p></div>`,
  }
}

/** A person's audits that are still stored, newest first. */
export const runList = (jobs: readonly Job[]): Markup | false =>
  jobs.length > 0 &&
  html`<section><h2>Your latest audits</h2><ul class="runs">${jobs.map(job => html`<li><a href="${runPath(job.id)}">${minuteOf(job.createdAt)} UTC</a> ${titles[job.state]}${job.total !== null && `, ${job.total.toLocaleString('en')} rows`}</li>\n`)}</ul></section>`

/** For an audit that does not exist or belongs to someone else: identical bytes in both cases. */
export const missingRunPage = (): Page => ({
  ...common,
  title: 'No such audit',
  main: html`<div id="run-page"><h1>No such audit</h1>
<p>There is no audit at this address, or it belongs to another account. If it is yours, <a href="/sign-in?next=/audit">sign in</a> with the account that owns its key. An audit is deleted ${jobRetentionDays} days after it ends.</p></div>`,
})
