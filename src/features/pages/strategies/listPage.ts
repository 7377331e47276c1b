import { Failure } from '../../../errors.ts'
import { html, type Markup } from '../../../html.ts'
import type { Page } from '../../../http/pages/shell.ts'
import {
  capitalisation,
  type Strategy,
  strategies,
  strategyMetric,
} from '../../../markets/strategies/strategies.ts'
import { readCoverage } from '../../strategies/coverage.ts'
import type { CoverageYear } from '../../strategies/schema.ts'
import { sampleNotice } from '../extent/sampleNotice.ts'
import { exactFigure } from '../figures.ts'
import { useThisData, useThisDataAssets } from '../useThisData/panel.ts'
import { coverageSparkline, yearsOf } from './coverageCharts.ts'
import { strategyListUse } from './dataUse.ts'
import { strategyPath } from './query.ts'
import type { StrategyPageDeps } from './read.ts'

/** The page without some of its coverage, which no later visitor may get from a cache. */
export class UnfinishedPage extends Error {
  constructor(readonly page: Page) {
    super('The server is busy.')
  }
}

/**
 * /strategies: every published signal with its paper, sign and t value, and how many companies have a value. Throws an
 * `UnfinishedPage` if not every coverage can be read at the moment.
 */
export async function strategiesPage(deps: StrategyPageDeps): Promise<Page> {
  const listed = []
  for (const strategy of strategies.values())
    listed.push({ strategy, coverage: await coverageOf(deps, strategy) })
  const span = yearsOf(listed.flatMap(({ coverage }) => coverage ?? []))
  const page: Page = {
    title: 'Published strategies',
    section: '/strategies',
    description:
      'Signals of papers as data: formula, sign and published t value, how many companies have a value in each market and year, and what fixed lags would have hidden.',
    canonical: `${deps.settings.baseUrl}/strategies`,
    styles: ['strategies.css', useThisDataAssets.style],
    scripts: [useThisDataAssets.script],
    main: html`<h1>Published strategies</h1>
<p>Signals of papers, computed line by line from what companies had filed by a day. Each page has the formula, the coverage, the values and the ranking of a day. The <a href="/docs/guides/strategies">guide</a> has the rules.</p>
${await sampleNotice(deps)}
<div class="scroll" tabindex="0" role="region" aria-label="Strategies"><table class="strategies">
<thead><tr><th scope="col">Strategy</th><th scope="col">Paper</th><th scope="col">Buys</th><th scope="col" class="number">Published t</th><th scope="col">Needs</th><th scope="col">Companies with a value${span !== null && html`, ${span.first} to ${span.last}`}</th></tr></thead>
<tbody>
${listed.map(({ strategy, coverage }) => row(deps, strategy, coverage, span))}</tbody>
</table></div>
<p class="quiet">The bars count the companies with a value by the year in which the period ends, each market on a scale of its own. Signs, samples and t values are facts of the papers as <a href="https://github.com/OpenSourceAP/CrossSection" rel="noreferrer">SignalDoc.csv</a> states them. A published t value says nothing about the years after the paper.</p>
${useThisData(strategyListUse(deps))}`,
  }
  if (listed.some(({ coverage }) => coverage === null)) throw new UnfinishedPage(page)
  return page
}

/** Null if the memory for joins is taken by other requests at the moment. */
async function coverageOf(
  deps: StrategyPageDeps,
  strategy: Strategy,
): Promise<readonly CoverageYear[] | null> {
  try {
    return (await deps.readLimiter.run('pages', () => readCoverage(deps, strategy))).coverage
  } catch (error) {
    if (error instanceof Failure && error.code === 'compute_busy') return null
    throw error
  }
}

function row(
  { markets }: Pick<StrategyPageDeps, 'markets'>,
  strategy: Strategy,
  coverage: readonly CoverageYear[] | null,
  span: ReturnType<typeof yearsOf>,
): Markup {
  const { name, title, explanation, sign, paper, published, required, inputs, takesPrices } = strategy
  const codes = strategyMetric(markets.metrics, strategy).markets
  const shown = codes.filter(code => coverage?.some(({ market }) => market === code))
  const optional = inputs.filter(input => !required.includes(input) && input !== capitalisation)
  return html`<tr><th scope="row"><a href="${strategyPath(name)}">${title}</a><p>${explanation}</p></th>\
<td>${paper.authors} (${paper.year}), <cite>${paper.title}</cite></td>\
<td>${sign === 1 ? 'high' : 'low'}</td>\
<td class="number">${publishedT(published)}</td>\
<td><details><summary>${exactFigure(required.length)} ${required.length === 1 ? 'metric' : 'metrics'}${takesPrices && ' and prices'}</summary>${required.map((input, at) => html`${at > 0 && ', '}<a href="/docs/metrics#${input}">${input}</a>`)}${optional.length > 0 && html`; if stated, ${optional.map((input, at) => html`${at > 0 && ', '}<a href="/docs/metrics#${input}">${input}</a>`)}`}</details></td>\
<td>${coverage === null && html`<span class="quiet">The server is busy: see its page.</span>`}${span !== null && shown.map(code => html`<span class="market"><a href="${strategyPath(name, { market: code })}">${code}</a> ${coverageSparkline(coverage ?? [], code, span)} <small>${most(coverage ?? [], code)}</small></span> `)}${coverage !== null && shown.length === 0 && html`<span class="quiet">none of the imported companies</span>`}</td></tr>\n`
}

const publishedT = (published: Strategy['published']) =>
  published?.t_value === undefined || published.t_value === null
    ? html`<span class="quiet">none stated</span>`
    : published.t_value.toFixed(2)

/** The largest count of a year. */
const most = (coverage: readonly CoverageYear[], code: string) =>
  `at most ${exactFigure(Math.max(...coverage.filter(({ market }) => market === code).map(({ companies }) => companies)))}`
