import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { count } from '../numberFormat.ts'
import { reproducingRequest } from '../reproducingRequest.ts'

export function runAgain(result: BacktestResult): Markup {
  const { data_version: version, source } = result
  const rows =
    source === undefined
      ? html`<p>Put your rows, or the <code>id</code> of a stored panel, in place of <code>"YOUR ROWS"</code>. The same rows give the same numbers, to the last digit.</p>`
      : version !== undefined &&
        html`<p>This ran on data version ${count(version)}. The same version gives the same numbers, to the last digit; a later one may have more rows. Add <code>"data_version": ${version}</code> to run on this one, whatever was imported since, with a licence that includes <code>as_of</code>.</p>`
  return html`<p>Save this as <code>request.json</code>. It names every setting, also those left at their defaults:</p>
<pre class="request">${writeRequest(reproducingRequest(result))}</pre>
${rows}${result.benchmark === 'series' && html`<p>Put the returns of your benchmark in place of <code>"YOUR BENCHMARK"</code>.</p>`}
<p>Send it for the numbers as JSON, or with <code>?format=html</code> for this page:</p>
<pre>curl "$ASFILED/api/v1/backtest" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -d @request.json</pre>`
}

/** Writes one field per line, and each list on one line. */
function writeRequest(request: object): string {
  const fields = Object.entries(request).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value).replaceAll(',"', ', "')}`,
  )
  return `{\n${fields.join(',\n')}\n}`
}
