import { html, type Markup } from '../../html.ts'
import { documentPage } from '../../http/docs/documentPage.ts'
import type { CatalogueMetric, MetricOfMarket } from './schema.ts'

const signTexts: Record<CatalogueMetric['sign'], string> = {
  amount: 'A size: negative only where a filer states it so.',
  cost: 'Positive lowers profit.',
  outflow: 'Positive is money paid.',
  signed: 'Negative is a loss, an outflow or a deficit.',
}

/** /docs/metrics: every metric with its definition, its tags and how often it is present.
 *
 * @param isExamined false: the database did not answer, so that the page is without shares */
export const metricsPage = (catalogue: readonly CatalogueMetric[], isExamined: boolean): string =>
  documentPage({
    title: 'Metrics',
    section: 'Metrics',
    contents: catalogue.map(({ name }) => ({ id: name, title: name })),
    main: html`<h1>Metrics</h1>
<p>Every metric by market. Tags of one line mean the same, the first in order of preference; a later line stands in where a filing states none of an earlier one. <code>GET /api/v1/metrics</code> is the same for programs.</p>
<p>${isExamined ? 'Present says which share of companies with figures has the metric, among at most 200 of each market.' : 'The database does not answer at the moment: how often a metric is present is missing here.'}</p>
${catalogue.map(section)}`,
  })

const section = ({ name, kind, unit, description, sign, markets }: CatalogueMetric): Markup => html`<section>
<h2 id="${name}"><a href="#${name}">${name}</a></h2>
<p><span class="tag">${kind}</span> <span class="tag">${unit}</span> ${description} ${signTexts[sign]}</p>
<table>
<thead><tr><th>market</th><th>present</th><th>tags</th></tr></thead>
<tbody>
${markets.map(row)}</tbody>
</table>
</section>
`

const row = ({ market, tags, absence, share }: MetricOfMarket): Markup =>
  html`<tr><td>${market}</td><td>${share === null ? '' : `${Math.round(share * 100)}%`}</td><td>${tags.map(
    (group, place) =>
      html`${place > 0 && html`<br>`}${group.map((tag, at) => html`${at > 0 && ' '}<code>${tag}</code>`)}`,
  )}${tags.length === 0 && 'computed'}${absence !== null && html`<br>${absence}`}</td></tr>
`
