import { html, type Markup } from '../../html.ts'
import type { Page } from '../../http/pages/shell.ts'
import type { Job } from '../../jobs/job.ts'
import type { FieldName, Typed } from './form.ts'
import { runList } from './runPage.ts'

export interface AuditPageParts {
  readonly typed: Typed
  readonly fault: { readonly text: string; readonly field: FieldName | null } | null
  /** Whether audits run under a key of the visitor's account. */
  readonly hasKey: boolean
  readonly isSignedIn: boolean
  readonly runs: readonly Job[]
  readonly maxMb: number
  readonly baseUrl: string
}

/** /audit: what an audit does, and the form that runs one. It works without JavaScript. */
export function auditPage(parts: AuditPageParts): Page {
  const { baseUrl, fault, runs } = parts
  return {
    title: 'Audit for look-ahead',
    section: '/audit',
    description:
      'Upload your own point-in-time data and see which values could not have been known on their date: figures used before they were filed, later restatements, and figures of other companies.',
    canonical: `${baseUrl}/audit`,
    styles: ['backtest.css'],
    scripts: ['audit.js'],
    main: html`<div id="audit"><h1>Audit your data for look-ahead</h1>
<p class="lead">Upload rows of date, ticker and values. For each value, the audit says whether it could have been known on that date.</p>
<p>Each value is compared with every figure that the company has ever filed. A value is <em>early</em> if it was first filed after the date, <em>restated</em> if it is a later correction, and <em>announced</em> if an earnings release had made it public before the filing. The report counts them by column and year, links the worst ones to their filings, and the rows come back with a corrected column. If the rows have returns, it also says what the look-ahead would have earned.</p>
<div id="fault" role="alert">${fault !== null && html`<p class="notice bad">${fault.text} Please choose the file again: browsers do not remember it.</p>`}</div>
${form(parts)}
${runList(runs)}
<section aria-labelledby="program"><h2 id="program">From a program</h2>
<p>The API takes the same file. <a href="/docs/guides/audits">The guide</a> explains the rest.</p>
<pre tabindex="0" aria-label="Command"><code>curl -s "${baseUrl}/api/v1/audits?format=html" -H "Authorization: Bearer $ASFILED_KEY" -H "Content-Type: text/csv" --data-binary @rows.csv &gt; audit.html</code></pre></section></div>`,
  }
}

function form({ typed, fault, hasKey, isSignedIn, maxMb }: AuditPageParts): Markup {
  const faulty = fault?.field ?? null
  return html`<form id="run" class="backtest" method="post" action="/audit" enctype="multipart/form-data">
<fieldset><legend>Your rows</legend>
<div class="setting wide-setting"><label for="f-file">CSV, NDJSON, Parquet or Arrow stream</label>
<input id="f-file" name="file" type="file" accept=".csv,.ndjson,.jsonl,.parquet,.arrow,.arrows,text/csv" aria-describedby="h-file">
<p class="help" id="h-file">The columns are <code>date</code> and <code>ticker</code>, then any columns of values, such as <code>revenue</code> or <code>eps</code>. A column <code>forward_return</code> adds the look-ahead premium, which needs the quant plan. At most ${maxMb} MB. <a href="/audit/sample.csv" download>A sample file</a> has real figures of Apple.</p></div>
</fieldset>
<fieldset><legend>Settings, all optional</legend><div class="settings">
${textField('columns', typed, faulty, 'Columns', 'sales=revenue, eps_ttm=eps', html`Which metric a column contains, if its name does not say it. JSON may also set the period, scale, sign and currency, as in <a href="/docs#/Fundamentals/auditRows">the API</a>. By default, every column of numbers is audited.`)}
${textField('forwardReturn', typed, faulty, 'Column of returns', 'forward_return', 'The name of the column of forward returns, if it has another name.')}
${textField('maxAge', typed, faulty, 'Maximum age of a figure, days', 'unlimited', 'Older figures do not count as known.', 'numeric')}
</div>
${check('inclusive', typed, 'Figures count as known on the day of their filing, not only from the next day on')}
${check('filings', typed, 'Add the filing, its day and the end of the period to each corrected row')}
</fieldset>
<p class="row"><button name="do" value="audit" class="first">Audit</button> <button name="do" value="sample">Try the sample</button></p>
<p class="quiet">${terms(hasKey, isSignedIn)}</p>
</form>`
}

function textField(
  name: FieldName,
  typed: Typed,
  faulty: FieldName | null,
  label: string,
  example: string,
  help: string | Markup,
  mode: 'text' | 'numeric' = 'text',
): Markup {
  return html`<div class="setting${faulty === name && ' faulty'}"><label for="f-${name}">${label}</label>
<input id="f-${name}" name="${name}" type="text" inputmode="${mode}" value="${typed[name]}" placeholder="${example}" autocomplete="off" spellcheck="false" aria-describedby="h-${name}"${faulty === name && html` aria-invalid="true"`}>
<p class="help" id="h-${name}">${help}</p></div>`
}

const check = (name: FieldName, typed: Typed, label: string): Markup =>
  html`<p class="check"><label><input type="checkbox" name="${name}" value="true"${typed[name] !== undefined && html` checked`}> ${label}</label></p>`

/** Under whose rights the audit runs. */
function terms(hasKey: boolean, isSignedIn: boolean): Markup {
  if (hasKey)
    return html`The audit has the rights of your key and counts towards its limits. It is deleted with its rows 7 days after it ends.`
  const more = isSignedIn
    ? html`Your account has no key: <a href="/account/licences">request one</a> to audit more.`
    : html`<a href="/sign-in?next=/audit">Sign in</a> to audit with the rights of your key.`
  return html`Without a key, you can audit companies whose full history is open to everyone, such as Apple. Nothing that you send is stored. ${more}`
}
