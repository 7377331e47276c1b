import { html } from '../../html.ts'
import type { Page } from '../../http/pages/shell.ts'
import { readMarket } from '../../markets/parameters.ts'
import type { PageDeps } from './deps.ts'
import { metricLabel } from './metricLabels.ts'

const kinds = { flow: 'over a period', stock: 'at the end of a period', ratio: 'ratio' } as const
const signs = {
  amount: 'normally positive',
  cost: 'positive: lowers profit',
  outflow: 'positive: cash paid',
  signed: 'may be negative',
} as const

/** /catalogue: every metric, its meaning and the markets that report it. */
export function cataloguePage(deps: Pick<PageDeps, 'markets' | 'settings'>, sent: string | undefined): Page {
  const market = sent === undefined ? null : readMarket(deps.markets, sent)
  const metrics = [...deps.markets.metrics.values()].filter(
    ({ markets }) => market === null || markets.includes(market),
  )
  return {
    title: market === null ? 'Metrics' : `Metrics of ${deps.markets.get(market)?.name}`,
    section: '/catalogue',
    description: 'Every metric: its definition, unit and sign, and the registers that state it.',
    canonical: `${deps.settings.baseUrl}/catalogue`,
    scripts: ['filter.js'],
    main: html`<h1>Metrics</h1>
<p>${metrics.length} metrics${market !== null && ` of ${deps.markets.get(market)?.name}`}. The <a href="/docs/metrics">reference of metrics</a> lists the tags that each register uses for them, and how many companies report each.</p>
<form method="get" action="/catalogue" class="filters"><p class="row"><label for="market">Market</label>
<select id="market" name="market"><option value="">all</option>${deps.markets.manifests.map(({ code, name }) => html`<option value="${code}"${code === market && html` selected`}>${name}</option>`)}</select> <button type="submit">Show</button>
<span class="with-script"><label for="filter">Find</label> <input id="filter" type="search" data-filters="metrics" autocomplete="off"></span></p></form>
<div class="scroll" tabindex="0" role="region" aria-label="Metrics"><table id="metrics" class="wrapped">
<thead><tr><th scope="col">Metric</th><th scope="col">Meaning</th><th scope="col">Kind</th><th scope="col">Unit</th><th scope="col">Sign</th><th scope="col">Markets</th></tr></thead>
<tbody>
${metrics.map(metric => html`<tr><th scope="row" id="${metric.name}"><a href="/docs/metrics#${metric.name}">${metricLabel(metric.name)}</a><small><code>${metric.name}</code></small></th><td>${metric.description}</td><td>${kinds[metric.kind]}</td><td>${metric.unit}</td><td>${signs[metric.sign]}</td><td>${metric.markets.map((code, index) => html`${index > 0 && ' '}<a href="/markets/${code}">${code}</a>`)}</td></tr>\n`)}</tbody>
</table></div>`,
  }
}
