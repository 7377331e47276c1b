import { html, type Markup } from '../../html.ts'
import { documentPage } from '../../http/docs/documentPage.ts'
import {
  maxFigureAgeDays,
  maxPriceAgeDays,
  type ValuationMetric,
  valuationMetrics,
} from '../../markets/valuations.ts'
import type { CatalogueMetric, MetricOfMarket } from './schema.ts'

const signTexts: Record<CatalogueMetric['sign'], string> = {
  amount: 'Normally positive: negative only if the company states it so.',
  cost: 'A positive value lowers profit.',
  outflow: 'A positive value is cash paid.',
  signed: 'A negative value is a loss, an outflow or a deficit.',
}

/**
 * /docs/metrics: every metric with its definition, its tags and the share of companies that have it.
 *
 * @param isExamined false if the database did not respond, so the page omits the shares
 */
export const metricsPage = (catalogue: readonly CatalogueMetric[], isExamined: boolean): string =>
  documentPage({
    title: 'Metrics',
    section: 'Metrics',
    contents: [...catalogue, ...valuationMetrics].map(({ name }) => ({ id: name, title: name })),
    main: html`<h1>Metrics</h1>
<p>Every metric, market by market. The tags on one line mean the same, and the first one is preferred. A later line is used if a filing has no tag of an earlier one. Programs get the same from <code>GET /api/v1/metrics</code>.</p>
<p>${isExamined ? '"Present" is the share of companies that report the metric, among at most 200 companies with figures in each market.' : 'The database is not responding, so this page cannot say how many companies report each metric.'}</p>
${catalogue.map(section)}${valuationMetrics.map(valuation)}`,
  })

/** A metric that also takes prices has no tags and no market. */
const valuation = ({ name, kind, unit, description }: ValuationMetric): Markup => html`<section>
<h2 id="${name}"><a href="#${name}">${name}</a></h2>
<p><span class="tag">${kind}</span> <span class="tag">${unit}</span> ${description} It takes prices that the operator imported, the close of a day at most ${maxPriceAgeDays} days old, and figures at most ${maxFigureAgeDays} days old as known on that day. It is null if one of them is missing, if their currencies differ, if a split lies between the count of shares and its filing, or if the company has prices of several securities.</p>
</section>
`

const section = ({ name, kind, unit, description, sign, markets }: CatalogueMetric): Markup => html`<section>
<h2 id="${name}"><a href="#${name}">${name}</a></h2>
<p><span class="tag">${kind}</span> <span class="tag">${unit}</span> ${description} ${signTexts[sign]}</p>
<table class="fits">
<thead><tr><th>market</th><th>present</th><th>tags</th></tr></thead>
<tbody>
${markets.map(row)}</tbody>
</table>
</section>
`

const row = ({ market, tags, absence, share }: MetricOfMarket): Markup =>
  html`<tr><td>${market}</td><td>${share === null ? '' : `${Math.round(share * 100)}%`}</td><td>${tags.map(
    (group, index) =>
      html`${index > 0 && html`<br>`}${group.map((tag, at) => html`${at > 0 && ' '}<code>${tag}</code>`)}`,
  )}${tags.length === 0 && 'computed'}${absence !== null && html`<br>${absence}`}</td></tr>
`
