import { html, type Markup } from '../../html.ts'
import type { Page } from '../../http/pages/shell.ts'
import type { Manifest } from '../../markets/manifest.ts'
import { readMarket } from '../../markets/parameters.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { Rights } from '../../rights/rights.ts'
import { coverageIndex } from '../coverage/index.ts'
import type { CoverageMarket } from '../coverage/schema.ts'
import { planFilings, readFilings } from '../filings/filings.ts'
import type { PageDeps } from './deps.ts'
import { isDownloadable } from './downloads.ts'
import { namesOf } from './fields.ts'
import { exactFigure } from './figures.ts'
import { metricLabel } from './metricLabels.ts'

const readCounts = (deps: PageDeps) =>
  withSnapshot(deps.sql, sql => coverageIndex({ ...deps, sql }, { limit: 1 }))

/** /markets: every market with its counts and its freshness. */
export async function marketsPage(deps: PageDeps): Promise<Page> {
  const { markets } = await readCounts(deps)
  const rows = markets.map(market => ({ market, manifest: deps.markets.get(market.code) }))
  return {
    title: 'Markets',
    section: '/markets',
    description: 'The registers that asfiled covers: companies, first and last filing, and terms of use.',
    canonical: `${deps.settings.baseUrl}/markets`,
    main: html`<h1>Markets</h1>
<p>Each market is one register. Registers follow different rules, so no page mixes figures from two of them.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Markets"><table>
<thead><tr><th scope="col">Market</th><th scope="col">Register</th><th scope="col" class="number">Companies</th><th scope="col">First filing</th><th scope="col">Last filing</th><th scope="col">Terms read</th></tr></thead>
<tbody>
${rows.map(({ market, manifest }) => html`<tr><th scope="row"><a href="/markets/${market.code}">${market.name}</a> <small>${market.code}</small></th><td>${manifest?.register.name}</td><td class="number">${exactFigure(market.entities)}</td><td>${market.first_filed ?? 'none yet'}</td><td>${market.last_filed ?? 'none yet'}</td><td>${manifest?.licence.verified === true ? 'yes' : 'in part'}</td></tr>\n`)}</tbody>
</table></div>`,
  }
}

const latestFilings = 15

/** /markets/{code}: how to read a market's figures, and what is new. */
export async function marketPage(deps: PageDeps, rights: Rights, sent: string): Promise<Page> {
  const code = readMarket(deps.markets, sent, '')
  const manifest = deps.markets.get(code)
  if (manifest === undefined) throw new Error(`The market ${code} was read and has no manifest.`)
  const { markets } = await readCounts(deps)
  const plan = await planFilings(deps, rights, { market: code, limit: latestFilings })
  const filings = await deps.readLimiter.run(`page ${code}`, () => readFilings(deps, plan))
  const names = await namesOf(
    deps,
    filings.data.map(({ ticker }) => ticker),
  )
  const counts = markets.find(market => market.code === code)
  const metrics = [...deps.markets.metrics.values()].filter(metric => metric.markets.includes(code))
  const { name, register, licence } = manifest
  return {
    title: `${name}: company figures as filed`,
    section: '/markets',
    description: `Figures of companies of ${name} from ${register.name}: what is covered, how filing days are found, and on which terms.`,
    canonical: `${deps.settings.baseUrl}/markets/${code}`,
    linkedData: {
      '@context': 'https://schema.org',
      '@type': 'Dataset',
      name: `Company figures of ${name}`,
      description: `${manifest.reporting_basis.scope} ${manifest.reporting_basis.periods}`,
      url: `${deps.settings.baseUrl}/markets/${code}`,
      license: licence.url,
      isAccessibleForFree: true,
      creditText: manifest.attribution,
      spatialCoverage: name,
      ...(counts?.first_filed ? { temporalCoverage: `${counts.first_filed}/${counts.last_filed}` } : {}),
      variableMeasured: metrics.map(metric => metric.name),
      creator: { '@type': 'Organization', name: register.operator, url: register.url },
    },
    main: html`<h1>${name}</h1>
${counts !== undefined && freshness(counts, manifest)}
<p class="buttons"><a class="button" href="/screen?market=${code}">Screen</a> <a class="button" href="/restatements?market=${code}">Restatements</a> <a class="button" href="/catalogue?market=${code}">Metrics</a></p>
${
  filings.data.length > 0 &&
  html`<section><h2 id="filings">Latest filings</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="filings"><table><thead><tr><th scope="col">Filed</th><th scope="col">Company</th><th scope="col">Form</th><th scope="col">Document</th><th scope="col" class="number">Figures</th></tr></thead><tbody>
${filings.data.map(row => html`<tr><td>${row.filed}</td><td><a href="/companies/${encodeURIComponent(row.ticker)}">${names.get(row.ticker) ?? row.ticker}</a></td><td>${row.form}</td><td>${row.url === null ? row.accession : html`<a href="${row.url}" rel="noreferrer">${row.accession}</a>`}</td><td class="number">${row.figures}</td></tr>\n`)}</tbody></table></div></section>`
}
${readingRules(manifest)}
<section><h2 id="metrics">Metrics</h2><p>${metrics.map(({ name: metric }, index) => html`${index > 0 && ', '}<a href="/docs/metrics#${metric}">${metricLabel(metric)}</a>`)}.</p></section>
<section><h2 id="terms">Source and terms</h2>
<p>${manifest.attribution}</p>
<p>Terms: <a href="${licence.url}" rel="noreferrer">${licence.name}</a>. ${licence.verified ? 'We have read them in full: they allow passing the figures on as this page does.' : 'We have not read them in full.'} ${licence.note}</p>
<p>${isDownloadable(deps.settings, manifest) ? 'You can download the figures of each company.' : 'There are no downloads for this market until we have read the terms.'}</p></section>`,
  }
}

const freshness = ({ entities, first_filed, last_filed }: CoverageMarket, { register }: Manifest): Markup =>
  html`<p class="lead">${exactFigure(entities)} ${entities === 1 ? 'company' : 'companies'} from <a href="${register.url}" rel="noreferrer">${register.name}</a>, ${register.operator}. ${first_filed === null ? 'No filing has been imported yet.' : `Filings from ${first_filed} to ${last_filed}.`}</p>`

function readingRules({
  reporting_basis: basis,
  filed,
  restatements,
  calendar,
  currency,
  id,
  issuer,
  notes,
}: Manifest) {
  const rules: [string, string | undefined][] = [
    ['Companies that file', basis.scope],
    ['Consolidation', basis.consolidation],
    ['Accounting standards', basis.standards],
    ['Periods', basis.periods],
    ['Revenue', basis.revenue],
    ['Coverage since', basis.since],
    ['Currency', currency],
    ['Fiscal year', calendar.fiscal_year],
    ['Filing day', filed.rule],
    ['Figures without a filing day', filed.undated],
    ['Restatements', restatements],
    ['ID', `${id.format} ${id.note ?? ''} Example: ${id.example}. ${issuer.name}: ${issuer.example}.`],
  ]
  return html`<section><h2 id="reading">How to read the figures</h2>
<dl class="terms">${rules.map(([term, text]) => text !== undefined && html`<dt>${term}</dt><dd>${text}</dd>`)}</dl>
${notes.length > 0 && html`<ul>${notes.map(note => html`<li>${note}</li>`)}</ul>`}</section>`
}
