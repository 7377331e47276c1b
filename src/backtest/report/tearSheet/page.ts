import { dayNumber } from '../../../dates.ts'
import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { describeScore, describeStrategy } from '../descriptions.ts'
import { curveTable, drawdownChart, equityChart, isLogarithmic } from './curves.ts'
import { headlineTiles, notices, verdictSection } from './headline.ts'
import { foldTable, monthTable } from './periods.ts'
import { contentPolicy, styleSheet } from './policy.ts'
import { configTable, costTable, positionTable, recordFacts } from './record.ts'
import { bucketChart, informationCoefficient } from './scoreQuality.ts'
import { sweepSection } from './sweep.ts'

/** A backtest as one HTML document that needs no other file, no network and no script. */
export function tearSheet(result: BacktestResult, title: string): string {
  const config = result.best?.config ?? result.config
  const positions = positionTable(result)
  const days = Float64Array.from(result.equity_dates, dayNumber)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="asfiled">
<title>${title}</title>
${styleSheet}
</head>
<body>
<main>
<header><p class="kicker">Backtest</p><h1>${title}</h1><p class="lead">${describeStrategy(config)}</p>${result.score && html`<p>${describeScore(result.score)}</p>`}${recordFacts(result)}</header>
${notices(result)}
${section('Headline numbers', headlineTiles(result))}
${verdictSection(result)}
${section('Equity', html`<p>Growth of 1, net of all costs.${isLogarithmic(result.equity_curve) && ' The scale is logarithmic: equal heights are equal percentage changes.'} Point at the line to read its values.</p>${equityChart(result, days)}`)}
${section('Drawdown', html`<p>Decline of the equity from its highest value so far.</p>${drawdownChart(result, days)}${curveTable(result)}`)}
${section('Monthly returns', monthTable(result))}
${section('Walk-forward', foldTable(result))}
${result.trials && section('All configurations tried', sweepSection(result))}
${section('Information coefficient', informationCoefficient(result))}
${section('Return by score group', bucketChart(result))}
${section('Costs', costTable(result))}
${positions && section('Final portfolio', positions)}
${section('Configuration', configTable(result))}
<footer>${result.score && html`<p>${result.score.attribution}</p>`}<p>Backtested results are hypothetical. They do not predict future returns, and nothing here is investment advice.</p></footer>
</main>
</body>
</html>
`.text
}

function section(name: string, content: Markup): Markup {
  return html`<section><h2>${name}</h2>
${content}</section>`
}

/** The tear sheet of a result of the service, titled by the rows that it is of. */
export function resultPage(result: BacktestResult): string {
  const { data_version: version, score } = result
  const archive = score === undefined ? 'The archive' : `The archive of ${score.market} by ${score.metric}`
  return tearSheet(result, version === undefined ? 'Your rows' : `${archive}, data version ${version}`)
}
