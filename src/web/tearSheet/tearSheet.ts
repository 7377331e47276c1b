import type { BacktestResult } from '../../model/backtestResult.ts'
import { dayNumber } from '../../model/date.ts'
import { html, type Markup } from '../html.ts'
import { scoreWords } from '../scoreWords.ts'
import { strategyWords } from '../strategyWords.ts'
import { bucketChart } from './bucketChart.ts'
import { configTable } from './configTable.ts'
import { costTable } from './costTable.ts'
import { curveTable } from './curveTable.ts'
import { drawdownChart } from './drawdownChart.ts'
import { equityChart, isLogarithmic } from './equityChart.ts'
import { foldTable } from './foldTable.ts'
import { headline } from './headline.ts'
import { informationCoefficient } from './informationCoefficient.ts'
import { monthTable } from './monthTable.ts'
import { notices } from './notices.ts'
import { contentPolicy } from './policy.ts'
import { positionTable } from './positionTable.ts'
import { recordFacts } from './recordFacts.ts'
import { styleSheet } from './styleSheet.ts'
import { sweepSurface } from './sweepSurface.ts'
import { verdict } from './verdict.ts'

/** A backtest to look at: one HTML document that needs no other file, no network and no script. */
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
<header><p class="kicker">Backtest</p><h1>${title}</h1><p class="lead">${strategyWords(config)}</p>${result.score && html`<p>${scoreWords(result.score)}</p>`}${recordFacts(result)}</header>
${notices(result)}
${section('Headline numbers', headline(result))}
${verdict(result)}
${section('Equity', html`<p>What 1 became, all costs taken off.${isLogarithmic(result.equity_curve) && ' The scale is logarithmic: equal heights are equal percentages.'} Point at the line to read it.</p>${equityChart(result, days)}`)}
${section('Drawdown', html`<p>How far the curve was below its highest value so far.</p>${drawdownChart(result, days)}${curveTable(result)}`)}
${section('Month by month', monthTable(result))}
${section('Walk-forward', foldTable(result))}
${result.trials && section('Everything that was tried', sweepSurface(result))}
${section('Does the score rank the returns?', informationCoefficient(result))}
${section('Return by score', bucketChart(result))}
${section('Costs', costTable(result))}
${positions && section('The last book', positions)}
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
