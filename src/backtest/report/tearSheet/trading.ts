import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { count, percent, ratio } from '../numberFormat.ts'
import { describeReturns, tradingRows } from '../trading.ts'
import { periodChart } from './rolling.ts'
import { scrollTable } from './scrollTable.ts'

/** How returns were computed and what limits on trading did; null for a plain record. */
export function tradingSection(result: BacktestResult): Markup | null {
  const { returns, trading, horizons } = result
  if (returns === undefined && trading === undefined) return null
  return html`${returns && html`<p>${describeReturns(returns).join(' ')}</p>`}${trading && tradingPart(trading, result)}${horizons && horizonTable(horizons)}`
}

function tradingPart(trading: NonNullable<BacktestResult['trading']>, result: BacktestResult): Markup {
  const rows = tradingRows(trading, result.n_periods)
  return html`${scrollTable(
    'Trading',
    html`<table><tbody>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>`,
  )}${trading.targetVolatility !== null && periodChart({ id: 'leverage', title: 'Leverage: the multiple of the target in each period', values: trading.leverage, base: 1, format: value => ratio(value), formatTick: value => ratio(value, 1) }, result)}${trading.impact !== null && periodChart({ id: 'impact', title: 'Impact paid in each period, a share of the equity', values: trading.impact_paid, base: 0, format: value => percent(value, 3), formatTick: value => percent(value, 2) }, result)}`
}

function horizonTable(horizons: NonNullable<BacktestResult['horizons']>): Markup {
  return scrollTable(
    'Horizons',
    html`<table><thead><tr><th scope="col">Return period, days</th><th scope="col">Sharpe ratio</th><th scope="col">Growth per year</th><th scope="col">Max drawdown</th><th scope="col">Turnover</th><th scope="col">Deflated Sharpe ratio</th></tr></thead><tbody>${horizons.map(one => html`<tr><th scope="row">${count(one.returnDays)}</th><td>${ratio(one.sharpe)}</td><td>${percent(one.cagr, 1)}</td><td>${percent(one.max_drawdown, 1)}</td><td>${percent(one.avg_turnover, 1)}</td><td>${ratio(one.dsr)}</td></tr>`)}</tbody></table>`,
  )
}
