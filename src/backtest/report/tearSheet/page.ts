import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { describeScore, describeStrategy } from '../descriptions.ts'
import { describePrices } from '../prices.ts'
import { comparisonSection } from './compare.ts'
import { costSection } from './costs.ts'
import { comparison } from './curves.ts'
import { drawdownSection } from './drawdowns.ts'
import { evidenceSection } from './evidence.ts'
import { factorSection } from './factors.ts'
import { headlineTiles, notices } from './headline.ts'
import { legSection } from './legs.ts'
import { monthTable } from './months.ts'
import { contentPolicy, styleSheet } from './policy.ts'
import { priceSection } from './prices.ts'
import { rankSection } from './ranks.ts'
import { configTable, positionTable, recordFacts } from './record.ts'
import { rollingSection } from './rolling.ts'
import { runAgain } from './runAgain.ts'
import { scoreSection } from './scores.ts'
import { verdictBox } from './skillOrLuck.ts'
import { tradingSection } from './trading.ts'
import { trialSection } from './trialTables.ts'
import { unseenPeriods } from './unseen.ts'

interface TearSheetOptions {
  /** Set for a report that anyone may read: it is hidden from search engines and does not say how to run it again. */
  readonly publicNote?: Markup
}

/** A backtest as a single HTML document that needs no other file, no network and no script. */
export function tearSheet(
  result: BacktestResult,
  title: string,
  { publicNote }: TearSheetOptions = {},
): string {
  const config = result.best?.config ?? result.config
  const isPublic = publicNote !== undefined
  const sections = sectionsOf(result).filter(({ id }) => !isPublic || id !== 'again')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="asfiled">
${isPublic && html`<meta name="robots" content="noindex, nofollow">\n`}\
<title>${title}</title>
${styleSheet}
</head>
<body>
<main>
${publicNote}<header><p class="kicker">Backtest</p><h1>${title}</h1><p class="lead">${describeStrategy(config)}</p>${result.score && html`<p>${describeScore(result.score)}</p>`}${result.prices && html`<p>${describePrices(result.prices)}</p>`}${recordFacts(result)}</header>
${notices(result)}
<nav aria-label="On this page">${sections.map(({ id, name }) => html`<a href="#${id}">${name}</a> `)}</nav>
${sections.map(({ id, name, content }) => html`<section id="${id}" aria-labelledby="${id}-name"><h2 id="${id}-name">${name}</h2>\n${content}</section>\n`)}
<footer>${result.score && html`<p>${result.score.attribution}</p>`}${result.prices && html`<p>${result.prices.attribution.join(' ')}</p>`}<p>Backtested results are hypothetical. They do not predict future returns, and nothing here is investment advice.</p></footer>
</main>
</body>
</html>
`.text
}

interface Section {
  readonly id: string
  readonly name: string
  readonly content: Markup
}

/** The sections of the page, in the order in which a sceptical reader asks. Those with nothing to show are
 * omitted. */
function sectionsOf(result: BacktestResult): Section[] {
  const { trials, evidence, performance, compare, factors, prices } = result
  const all: [id: string, name: string, content: Markup | null | undefined | false][] = [
    ['verdict', 'Skill or luck?', html`${verdictBox(result)}${headlineTiles(result)}`],
    ['growth', 'Net, gross and universe', comparison(result)],
    ['unseen', 'Unseen periods', unseenPeriods(result)],
    ['factors', 'What explains it', factors && factorSection(factors)],
    ['drawdowns', 'Drawdowns', drawdownSection(result)],
    ['rolling', 'Rolling figures', performance && rollingSection(performance, result)],
    ['months', 'Months', monthTable(result)],
    ['legs', 'Legs', legs(result)],
    ['ranks', 'Does the score rank the returns?', rankSection(result)],
    ['scores', 'Scores, exposures and groups', scoreSection(result)],
    [
      'compare',
      'What restatements and early dating would have been worth',
      compare && comparisonSection(compare),
    ],
    [
      'prices',
      'Returns from prices',
      prices && priceSection(prices, result.metrics.sharpe, result.metrics.cagr),
    ],
    ['costs', 'Costs', costSection(result)],
    ['trading', 'Returns and trading', tradingSection(result)],
    ['trials', 'All configurations tried', trials && trialSection(result)],
    ['evidence', 'Evidence', evidence && evidenceSection(evidence, result)],
    ['configuration', 'Configuration', configTable(result)],
    ['again', 'Run it again', runAgain(result)],
  ]
  return all.flatMap(([id, name, content]) => (content ? [{ id, name, content }] : []))
}

function legs(result: BacktestResult): Markup | null {
  const { performance, positions } = result
  if (performance === undefined && positions === undefined) return null
  return html`${performance && legSection(performance, result)}${positions && html`<h3>Held at the end</h3>${positionTable(positions)}`}`
}

/** The tear sheet of a result of the service. */
export const resultPage = (result: BacktestResult): string =>
  tearSheet(result, resultTitle(result, 'Your rows'))

/**
 * A title that names the source of the rows.
 *
 * @param own what to call rows that the caller sent
 */
export function resultTitle({ data_version: version, score, source }: BacktestResult, own: string): string {
  const ofArchive = score === undefined ? 'The archive' : `The archive of ${score.market} by ${score.metric}`
  const ofOwn = score?.metric === undefined ? own : `${own} by ${score.metric}`
  const rows = source === undefined ? ofOwn : ofArchive
  const isVersioned = version !== undefined && (source !== undefined || score !== undefined)
  return isVersioned ? `${rows}, data version ${version}` : rows
}
