import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import type { EvidenceUsed } from '../../resultEvidence.ts'
import { count } from '../numberFormat.ts'
import { reportSections } from '../reportSections.ts'

/** The request that returns every number of the page as JSON, with all defaults spelled out, so that later
 * changes of defaults do not affect it. */
export function requestOf({ config, source, sweep, evidence, benchmark, request }: BacktestResult): object {
  const named = request?.benchmark ?? request?.evidence?.benchmark
  const isByDirection = new Set(sweep?.direction).size > 1 && named === undefined
  return {
    ...(source === undefined ? { panel: 'YOUR ROWS' } : { source: withoutNull(source) }),
    ...(request?.score === undefined ? {} : { score: request.score }),
    config: withoutNull(config),
    ...(sweep === undefined ? {} : { sweep }),
    ...(benchmark === undefined || isByDirection
      ? {}
      : { benchmark: benchmark === 'series' ? 'YOUR BENCHMARK' : benchmark }),
    include: reportSections(sweep !== undefined),
    ...(evidence === undefined ? {} : { evidence: settingsOf(evidence) }),
  }
}

function settingsOf(evidence: EvidenceUsed): object {
  const { seed, bootstraps, mean_block, mean_block_chosen, groups, test_groups } = evidence
  const block = mean_block_chosen ? {} : { meanBlock: mean_block }
  return { seed, bootstraps, ...block, groups, testGroups: test_groups }
}

/** null represents a default that no value of the field expresses. */
function withoutNull(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

export function runAgain(result: BacktestResult): Markup {
  const { data_version: version, source } = result
  const rows =
    source === undefined
      ? html`<p>Put your rows, or the <code>id</code> of a stored panel, in place of <code>"YOUR ROWS"</code>. The same rows give the same numbers, to the last digit.</p>`
      : version !== undefined &&
        html`<p>This ran on data version ${count(version)}. The same version gives the same numbers, to the last digit; a later one may have more rows. Add <code>"data_version": ${version}</code> to run on this one, whatever was imported since, with a licence that includes <code>as_of</code>.</p>`
  return html`<p>Save this as <code>request.json</code>. It names every setting, also those left at their defaults:</p>
<pre class="request">${writeRequest(requestOf(result))}</pre>
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
