import { isoDate } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import { html, type Markup } from '../../../html.ts'
import { PageFailure } from '../../../http/pages/pageFailure.ts'
import type { Page } from '../../../http/pages/shell.ts'
import { lackingMetrics, type Strategy, strategyMetric } from '../../../markets/strategies/strategies.ts'
import type { PageViewer } from '../../marketPages/query.ts'
import { maxScoreAgeDays } from '../../strategies/ranking.ts'
import { strategyOf } from '../../strategies/values.ts'
import { companyAddress, queryText } from '../companyFrame.ts'
import { sampleNotice } from '../extent/sampleNotice.ts'
import { cappedNote } from '../fields.ts'
import { exactFigure } from '../figures.ts'
import { metricInText } from '../metricLabels.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { inputTable, shownValue, unitText } from './companyValue.ts'
import { coverageChart, coverageSparkline, lagCharts, lagSentence, yearsOf } from './coverageCharts.ts'
import { strategyUse } from './dataUse.ts'
import { linkedFormula } from './formulaLinks.ts'
import { readStrategyPageQuery, type StrategyPageQuery, strategyFieldsOf, strategyPath } from './query.ts'
import {
  maxListed,
  type RankedList,
  readStrategyView,
  type SeenPrices,
  type StrategyPageDeps,
  type StrategyView,
  type StrategyViewDeps,
} from './read.ts'
import { researchLines } from './researchLines.ts'

/** /strategies/{name}: a strategy's formula, coverage, values and ranking. A mistake in the form is shown in the form. */
export async function strategyPage(
  deps: StrategyViewDeps,
  viewer: PageViewer,
  name: string,
  queryText: string,
  prices: SeenPrices,
): Promise<Page> {
  const strategy = strategyOf(name)
  const fields = strategyFieldsOf(queryText)
  const page = {
    title: strategy.title,
    section: '/strategies',
    description: `${strategy.explanation} The formula line by line, after ${strategy.paper.authors} (${strategy.paper.year}), its coverage by market and year, and its values on any day.`,
    canonical: `${deps.settings.baseUrl}/strategies/${name}`,
    styles: ['chart.css', 'lists.css', 'strategies.css', useThisDataAssets.style],
    scripts: ['bars.js', 'grid.js', useThisDataAssets.script],
  } as const
  try {
    const query = readStrategyPageQuery(queryText)
    const view = await deps.readLimiter.run('pages', () =>
      readStrategyView(deps, viewer, strategy, query, prices),
    )
    return { ...page, main: await wholePage(deps, viewer, strategy, view, query, fields) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const main = html`${headOf(strategy)}
<p class="notice bad">${error.message}</p>
${form(deps, strategy, fields)}
<p><a href="${strategyPath(name)}">The page without these choices</a></p>`
    throw new PageFailure(error, { ...page, unlisted: true, main })
  }
}

type Fields = ReturnType<typeof strategyFieldsOf>

async function wholePage(
  deps: StrategyPageDeps,
  viewer: PageViewer,
  strategy: Strategy,
  view: StrategyView,
  query: StrategyPageQuery,
  fields: Fields,
): Promise<Markup> {
  const { rights } = viewer
  const market = view.ranked === null ? null : view.market
  return html`${headOf(strategy)}
${await sampleNotice(deps)}
${form(deps, strategy, { ...fields, market: view.market })}
${formulaSection(strategy, view)}
${view.company !== null && companySection(strategy, view)}
${rankedSection(deps, strategy, view, viewer, query)}
${coverageSection(deps, strategy, view, query)}
${researchLines(deps, strategy)}
${useThisData(strategyUse(deps, rights, strategy, market, query), market !== null && rights.seesAllHistory ? 'The line for Google Sheets has the coverage, which needs no key.' : null)}
${paperSection(strategy)}`
}

const headOf = ({ title, explanation, sign, period }: Strategy) => html`<h1>${title}</h1>
<p class="lead">${explanation}</p>
<p class="quiet">The paper buys ${sign === 1 ? 'high' : 'low'} values, so the score is ${sign === 1 ? 'the value' : 'minus the value'}: higher is better. Its periods are ${period === 'FY' ? 'fiscal years' : 'single quarters'}. <a href="/strategies">All strategies</a>, <a href="/docs/guides/strategies">the rules</a></p>`

function form(
  { markets }: StrategyPageDeps,
  strategy: Strategy,
  { market, asOf, company, prices }: Fields,
): Markup {
  const codes = strategyMetric(markets.metrics, strategy).markets
  return html`<form method="get" action="/strategies/${strategy.name}" class="filters"><p class="row">\
<span class="field"><label for="market">Market</label> <select id="market" name="market">${codes.map(code => html`<option value="${code}"${code === market && html` selected`}>${markets.get(code)?.name ?? code}</option>`)}</select></span> \
<span class="field"><label for="as-of">As known on</label> <input id="as-of" name="as_of" size="12" value="${asOf}" placeholder="YYYY-MM-DD" spellcheck="false" autocomplete="off"></span> \
<span class="field"><label for="company">Company</label> <input id="company" name="company" size="14" value="${company}" placeholder="AAPL" spellcheck="false" autocomplete="off" autocapitalize="characters" maxlength="64"></span> \
${strategy.takesPrices && html`<span class="field"><label for="prices">Prices</label> <input id="prices" name="prices" size="14" value="${prices}" placeholder="the only set" spellcheck="false" autocomplete="off" maxlength="64"></span> `}\
<button type="submit">Show</button></p>
<p class="quiet">Leave the day empty for today. A company is shown line by line; without one you see the market alone.</p></form>`
}

function formulaSection(strategy: Strategy, { company, day }: StrategyView): Markup {
  const found = company?.value?.found ?? null
  const hasValues = company !== null && found !== null
  return html`<section><h2 id="formula">Formula</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="formula"><table class="formula">
<thead><tr><th scope="col">Line</th><th scope="col">Formula</th>${hasValues && html`<th scope="col" class="number">${company.ticker} on ${day}</th>`}<th scope="col">What it is</th></tr></thead>
<tbody>
${strategy.lines.map(({ name, formula, explanation }, at) => html`<tr id="line-${name}"><th scope="row"><code>${name}</code></th><td><code>${linkedFormula(strategy, formula, name)}</code></td>${hasValues && html`<td class="number">${shownValue(found?.lines[at] ?? Number.NaN)}</td>`}<td>${explanation}</td></tr>\n`)}</tbody></table></div>
<p class="quiet"><code>name[-1]</code> is the period before. A comparison is 1 or 0. If an input is missing or a denominator is 0, the line has no value, and neither has any line that uses it.${strategy.lines.some(({ formula }) => formula.includes('optional(')) && html` <code>optional(x)</code> is 0 if x is missing.`}${strategy.lines.some(({ formula }) => formula.includes('positive(')) && html` <code>positive(x)</code> is missing unless x is above 0.`}</p></section>`
}

function companySection(strategy: Strategy, { company, day, prices }: StrategyView): Markup | false {
  if (company === null) return false
  const { ticker, name, market, lacking, value, isExample } = company
  const link = html`<a href="${companyAddress(ticker)}">${name ?? ticker}</a>`
  return html`<section><h2 id="company">${name ?? ticker} on ${day}</h2>
${isExample && html`<p class="quiet">${link} is open to everybody. With a <a href="/docs/guides/keys-and-limits#licences">licence</a> you see every company and the ranking of a market.</p>`}
${lacking.length > 0 && html`<p class="notice">The register of market ${market} does not report ${lacking.map(metricInText).join(', ')}, so this strategy has no values there.</p>`}
${lacking.length === 0 && value === null && html`<p class="notice">No filing of ${link} up to ${day} states ${metricInText(strategy.anchor)}.</p>`}
${
  value !== null &&
  html`<p>${link}: ${Number.isNaN(value.found.value) ? (strategy.takesPrices && prices.set === null ? 'no value, because it takes prices and you see no set of them' : 'no value, because an input is missing or a denominator is 0') : html`value <strong>${shownValue(value.found.value)}${unitText(strategy, value.unit)}</strong>, score ${shownValue(value.found.score)}${unitText(strategy, value.unit)}`}, for the period to ${isoDate(value.found.end)}. The last of its inputs was filed on ${isoDate(value.found.filed)}.</p>
${inputTable(value)}`
}</section>`
}

function rankedSection(
  deps: StrategyPageDeps,
  strategy: Strategy,
  { market, day, ranked, prices }: StrategyView,
  { rights }: PageViewer,
  query: StrategyPageQuery,
): Markup {
  const country = deps.markets.get(market)?.name ?? market
  const lacking = lackingMetrics(deps.markets.metrics, strategy, market)
  if (lacking.length > 0)
    return html`<section><h2 id="ranking">Ranking</h2>
<p class="notice">The register of ${country} does not report ${lacking.map(metricInText).join(', ')}, so this strategy has no values there.</p></section>`
  if (prices.why !== null && rights.seesAllHistory)
    return html`<section><h2 id="ranking">Ranking</h2>
<p class="notice">${prices.why} The coverage below is open to everybody.</p></section>`
  if (ranked === null)
    return html`<section><h2 id="ranking">Ranking</h2>
<p class="notice">The values of a market compare several fiscal years of every company, so they need a <a href="/docs/guides/keys-and-limits#licences">licence</a>. The coverage below is open to everybody.</p></section>`
  const { ranking, rows, isOfSeen } = ranked
  const count = ranking.companies.length
  return html`<section><h2 id="ranking">Ranking of ${country} on ${day}</h2>
${cappedNote(rights)}
${isOfSeen && html`<p class="notice">Only companies that your licence has counted are ranked.</p>`}
<p>${count === 0 ? `No company has a value on ${day}.` : `${exactFigure(count)} ${count === 1 ? 'company has' : 'companies have'} a value.`} A value counts if its period ended at most ${maxScoreAgeDays} days before.${ranking.inOtherCurrency > 0 && ` ${exactFigure(ranking.inOtherCurrency)} in another currency than ${ranking.unit} ${ranking.inOtherCurrency === 1 ? 'is' : 'are'} left out.`}${prices.set !== null && ` The closes are those of the price set ${prices.set.name}.`}</p>
${ranking.deciles.length > 0 && decileTable(strategy, ranked, query)}
${rows.length > 0 && rankTable(strategy, ranked, day, query)}</section>`
}

function decileTable(strategy: Strategy, { ranking, decile }: RankedList, query: StrategyPageQuery): Markup {
  const unit = unitText(strategy, ranking.unit)
  return html`<h3>Deciles of the score${unit !== '' && `,${unit}`}</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Deciles"><table><thead><tr><th scope="col">Decile</th><th scope="col" class="number">Companies</th><th scope="col" class="number">Lowest score</th><th scope="col" class="number">Median</th><th scope="col" class="number">Highest</th></tr></thead>
<tbody>${[...ranking.deciles].reverse().map(one => html`<tr><th scope="row"><a href="${strategyPath(strategy.name, { ...query, decile: one.decile })}#ranking"${one.decile === decile && html` aria-current="true"`}>${one.decile}</a>${one.decile === 10 && ' (bought)'}${one.decile === 1 && ' (sold)'}</th><td class="number">${exactFigure(one.companies)}</td><td class="number">${shownValue(one.lowest)}</td><td class="number">${shownValue(one.median)}</td><td class="number">${shownValue(one.highest)}</td></tr>`)}</tbody></table></div>
<p class="quiet">As backtests cut buckets: in ascending order, number j of n, from 0, is in decile floor(10 j / n) + 1. Equal scores are in the order of import.</p>`
}

function rankTable(
  strategy: Strategy,
  { ranking, decile, rows }: RankedList,
  day: string,
  query: StrategyPageQuery,
): Markup {
  const all =
    decile === null ? ranking.companies.length : (ranking.deciles[decile - 1]?.companies ?? rows.length)
  const unit = unitText(strategy, ranking.unit)
  const asOf = query.as_of === undefined ? undefined : day
  return html`<h3>${decile === null ? 'All companies' : `Companies of decile ${decile}`}</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Ranked companies"><table class="figures ranked"><thead><tr><th scope="col">Company</th><th scope="col" class="number">Rank</th><th scope="col" class="number">Value${unit}</th><th scope="col" class="number">Score${unit}</th><th scope="col">Period to</th><th scope="col">Known since</th><th scope="col">Lines</th></tr></thead>
<tbody>
${rows.map(({ rank, value, name, id }) => html`<tr><th scope="row"><a href="${companyAddress(id)}${queryText({ as_of: asOf })}">${name ?? value.ticker}</a></th><td class="number">${exactFigure(rank)}</td><td class="number">${shownValue(value.found.value)}</td><td class="number">${shownValue(value.found.score)}</td><td>${isoDate(value.found.end)}</td><td>${isoDate(value.found.filed)}</td><td><a href="${strategyPath(strategy.name, { ...query, company: id })}#company">lines</a></td></tr>\n`)}</tbody></table></div>
${rows.length < all && html`<p class="quiet">These are the best ${exactFigure(maxListed)} of ${exactFigure(all)}. The API has all of them.</p>`}`
}

function coverageSection(
  { markets }: StrategyPageDeps,
  strategy: Strategy,
  { coverage, market }: StrategyView,
  query: StrategyPageQuery,
): Markup {
  const span = yearsOf(coverage)
  const { takesPrices } = strategy
  const codes = markets.manifests.filter(({ status }) => status === 'served').map(({ code }) => code)
  const has = coverage.some(row => row.market === market)
  return html`<section><h2 id="coverage">Coverage</h2>
${takesPrices && html`<p class="quiet">This counts the years for which filings state all inputs besides market_cap. Whether there is a value on a day also depends on the set of prices.</p>`}
<div class="scroll" tabindex="0" role="region" aria-labelledby="coverage"><table class="coverage"><thead><tr><th scope="col">Market</th><th scope="col">Companies by year${span !== null && `, ${span.first} to ${span.last}`}</th><th scope="col" class="number">Values</th><th scope="col">Not reported by the register</th></tr></thead>
<tbody>
${codes.map(code => {
  const ofMarket = coverage.filter(row => row.market === code)
  const lacking = lackingMetrics(markets.metrics, strategy, code)
  const values = ofMarket.reduce((sum, row) => sum + row.values, 0)
  return html`<tr><th scope="row">${lacking.length > 0 ? (markets.get(code)?.name ?? code) : html`<a href="${strategyPath(strategy.name, { ...query, market: code })}#coverage">${markets.get(code)?.name ?? code}</a>`}</th><td>${span !== null && ofMarket.length > 0 && coverageSparkline(coverage, code, span)}${lacking.length === 0 && ofMarket.length === 0 && html`<span class="quiet">no value in the imported filings</span>`}</td><td class="number">${lacking.length === 0 && exactFigure(values)}</td><td>${lacking.map((metric, at) => html`${at > 0 && ', '}<a href="/docs/metrics#${metric}">${metricInText(metric)}</a>`)}</td></tr>\n`
})}</tbody></table></div>
${
  has &&
  html`<h3>${markets.get(market)?.name ?? market}: companies by the year in which the period ends</h3>
${coverageChart(coverage, market)}
<h2 id="lags">What fixed lags would have hidden</h2>
<p>Studies without filing days assume that a report is known four or six months after the end of its period. ${lagSentence(coverage, market, 4)} ${lagSentence(coverage, market, 6)}</p>
${lagCharts(coverage, market)}`
}</section>`
}

function paperSection({ paper, published, notes }: Strategy): Markup {
  return html`<section><h2 id="paper">Paper</h2>
<p>${paper.authors} (${paper.year}): <cite>${paper.title}</cite>. ${paper.journal}.</p>
${
  published === null
    ? html`<p>SignalDoc.csv has no such signal, so no t value is stated.</p>`
    : html`<dl class="terms"><dt>Signal</dt><dd>${published.acronym} of <a href="https://github.com/OpenSourceAP/CrossSection" rel="noreferrer">SignalDoc.csv</a>, after ${published.authors} (${published.year}, ${published.journal})</dd>
<dt>Sample</dt><dd>${published.sample_start_year} to ${published.sample_end_year}</dd>
<dt>Published t</dt><dd>${published.t_value ?? 'none stated'}</dd>
<dt>Published return</dt><dd>${published.return_pct === null ? 'none stated' : `${Number(published.return_pct.toFixed(2))}% a month`}</dd>
<dt>Evidence</dt><dd>${{ clear: 'a clear predictor of returns in the paper', likely: 'a likely predictor of returns in the paper', not: 'no predictor of returns in the paper' }[published.predictability]}</dd></dl>`
}
${notes.length > 0 && html`<h3>Where it differs, and why</h3><ul>${notes.map(note => html`<li>${note}</li>`)}</ul>`}</section>`
}
