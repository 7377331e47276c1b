import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { count, percent, ratio } from '../numberFormat.ts'
import { scrollTable } from './scrollTable.ts'

/** How returns were computed and what limits on trading did; null for a plain record. */
export function tradingSection({ returns, trading, horizons, n_periods }: BacktestResult): Markup | null {
  if (returns === undefined && trading === undefined) return null
  return html`${returns && returnsText(returns)}${trading && tradingTable(trading, n_periods)}${horizons && horizonTable(horizons)}`
}

function returnsText(returns: NonNullable<BacktestResult['returns']>): Markup {
  const { from, rebalance, entryDates, dates, delistingReturn } = returns
  const span = dates === null ? `from one rebalancing to the next (${rebalance})` : `over ${dates} dates`
  if (from === 'forward_return')
    return html`<p>Returns are compounded ${span}. ${count(returns.returns_missing ?? 0)} missing ones contributed 0.</p>`
  return html`<p>Returns are computed from closes ${span}. A score is traded at the close ${entryDates === 0 ? 'of its own date, so it must have been known before that close' : `${entryDates} ${entryDates === 1 ? 'date' : 'dates'} later`}. ${count(returns.rows_delisted ?? 0)} rows belong to names whose closes ended; ${percent(delistingReturn ?? 0, 0)} is assumed to follow the last one. ${count(returns.rows_carried ?? 0)} rows use an earlier close at the exit, and ${count((returns.rows_without_entry ?? 0) + (returns.rows_pending ?? 0))} have no return.</p>`
}

function tradingTable(trading: NonNullable<BacktestResult['trading']>, periods: number): Markup {
  const rows: [string, string][] = []
  const share = (held: number) => `${count(held)} of ${count(periods)} periods`
  if (trading.maxTurnover !== null) {
    rows.push(['Turnover capped', share(trading.periods_turnover_capped)])
    rows.push(['Mean part of each wanted trade that was made', percent(trading.mean_traded_fraction, 1)])
  }
  if (trading.maxWeight !== null) {
    rows.push(['Weights capped', share(trading.periods_weight_capped)])
    rows.push(['Mean exposure left in cash', percent(trading.mean_in_cash, 2)])
  }
  if (trading.targetVolatility !== null) {
    rows.push([
      'Leverage, lowest, mean and highest',
      `${ratio(trading.leverage_min)}, ${ratio(trading.leverage_mean)}, ${ratio(trading.leverage_max)}`,
    ])
    rows.push(['Leverage at its limit', share(trading.periods_leverage_capped)])
  }
  if (trading.impact !== null) {
    rows.push(['Impact paid per year', percent(trading.impact_annual, 2)])
    rows.push(['Trades without a volume or past returns', count(trading.trades_without_inputs)])
  }
  rows.push(['Borrow costs', trading.borrow_by_name ? 'by name' : 'the same for all names'])
  return scrollTable(
    'Trading',
    html`<table><tbody>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>`,
  )
}

function horizonTable(horizons: NonNullable<BacktestResult['horizons']>): Markup {
  return scrollTable(
    'Horizons',
    html`<table><thead><tr><th scope="col">Return period, days</th><th scope="col">Sharpe ratio</th><th scope="col">Growth per year</th><th scope="col">Max drawdown</th><th scope="col">Turnover</th><th scope="col">Deflated Sharpe ratio</th></tr></thead><tbody>${horizons.map(one => html`<tr><th scope="row">${count(one.returnDays)}</th><td>${ratio(one.sharpe)}</td><td>${percent(one.cagr, 1)}</td><td>${percent(one.max_drawdown, 1)}</td><td>${percent(one.avg_turnover, 1)}</td><td>${ratio(one.dsr)}</td></tr>`)}</tbody></table>`,
  )
}
