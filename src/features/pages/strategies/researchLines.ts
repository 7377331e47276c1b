import { html, type Markup } from '../../../html.ts'
import type { Strategy } from '../../../markets/strategies/strategies.ts'
import type { PageDeps } from '../deps.ts'

/** How the strategy becomes a column of a join, or the score of a backtest. */
export function researchLines(
  { settings: { baseUrl } }: Pick<PageDeps, 'settings'>,
  { name }: Strategy,
): Markup {
  const post = (path: string, body: object) =>
    `curl -s -H "Authorization: Bearer $ASFILED_KEY" -H 'Content-Type: application/json' '${baseUrl}${path}' \\\n  -d '${JSON.stringify(body)}'`
  const join = post('/api/v1/as-of', {
    metrics: [name],
    with: ['end', 'filed'],
    rows: { date: ['2010-04-01', '2011-04-01'], ticker: ['AAPL', 'AAPL'] },
  })
  const backtest = post('/api/v1/backtest', { source: { market: 'US', score: name } })
  const python = `joined = client.as_of_join(rows, ["${name}"], with_=["end", "filed"])`
  return html`<section><h2 id="research">Join or backtest it</h2>
<p>The name is a metric of <a href="/docs/guides/joins-and-mirrors">as-of joins</a>: each row of yours gets the score that was known before its date.</p>
<pre><code>${join}</code></pre>
<pre><code>${python}</code></pre>
<p>It is also a score of <a href="/docs/guides/backtests">backtests</a>: <a href="/backtest?score=${name}#run">fill in the form</a>, or send it with your key of the quant plan.</p>
<pre><code>${backtest}</code></pre></section>`
}
