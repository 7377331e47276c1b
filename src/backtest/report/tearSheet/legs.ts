import { html, type Markup } from '../../../html.ts'
import type { BacktestResult } from '../../result.ts'
import { count, percent, ratio, signedPercent } from '../numberFormat.ts'
import { formatPercentTick, type Performance, periodChart } from './rolling.ts'
import { scrollTable } from './scrollTable.ts'

/** Where the return comes from: the legs, the markets, and how much is held and traded. */
export function legSection(performance: Performance, result: BacktestResult): Markup {
  const { legs, markets, turnover } = performance
  return html`<p>What each leg adds before costs. A short leg that only loses means that the long one does the work, or the market does.</p>
${legTable(legs)}
${legChart(legs, result)}
${markets.length > 1 && html`<h3>By market</h3>${marketTable(markets)}`}
<h3>Exposure</h3>
${exposureChart(performance, result)}
<h3>Turnover</h3>
${periodChart({ id: 'turnover', title: 'Share of the equity traded in each period, one way', values: turnover, base: 0, format: value => percent(value), formatTick: formatPercentTick }, result)}`
}

function legTable(legs: Performance['legs']): Markup {
  return scrollTable(
    'Legs',
    html`<table class="legs"><thead><tr><th scope="col">Leg</th><th scope="col">Return a year</th><th scope="col">Sharpe</th><th scope="col">Volatility</th><th scope="col">Hit rate</th></tr></thead>
<tbody>${legs.map(
      ({ leg, return_annual, sharpe, volatility, hit_rate }) =>
        html`<tr><th scope="row">${leg === 'long' ? 'Long' : 'Short'}</th><td>${signedPercent(return_annual, 2)}</td><td>${ratio(sharpe)}</td><td>${percent(volatility)}</td><td>${percent(hit_rate)}</td></tr>`,
    )}</tbody></table>`,
    'phone',
  )
}

/** Running sums rather than products, so that the legs add up to the whole. */
function legChart(legs: Performance['legs'], result: BacktestResult): Markup | null {
  const [long, short] = legs.map(({ returns }) => runningSum(returns))
  if (long === undefined) return null
  const names = ['long', 'short'] as const
  const chart = {
    id: 'legs',
    title: 'Sum of what each leg added, before costs',
    values: long,
    base: 0,
    format: (value: number | null) => signedPercent(value),
    formatTick: formatPercentTick,
    ...(short === undefined ? {} : { other: short, names }),
  }
  return html`${short && legend('Long', 'Short')}${periodChart(chart, result)}`
}

function runningSum(values: readonly (number | null)[]): (number | null)[] {
  let sum = 0
  return values.map(value => {
    if (value === null) return null
    sum += value
    return sum
  })
}

function exposureChart({ exposure_long, exposure_short, legs }: Performance, result: BacktestResult): Markup {
  const hasShort = legs.length > 1
  const chart = {
    id: 'exposure',
    title: 'Weights held in each period, as a share of equity',
    values: exposure_long,
    base: 0,
    format: (value: number | null) => percent(value, 0),
    formatTick: formatPercentTick,
    ...(hasShort ? { other: exposure_short, names: ['long', 'short'] as const } : {}),
  }
  return html`${hasShort && legend('Long', 'Short')}${periodChart(chart, result)}`
}

const legend = (own: string, other: string) =>
  html`<p class="legend"><span class="key own">${own}</span> <span class="key gross">${other}</span></p>`

function marketTable(markets: Performance['markets']): Markup {
  return scrollTable(
    'Markets',
    html`<table><thead><tr><th scope="col">Market</th><th scope="col">Rows</th><th scope="col">Gross return a year</th><th scope="col">Sharpe, gross</th><th scope="col">Trading cost a year</th></tr></thead>
<tbody>${markets.map(
      ({ market, n_rows, gross_return_annual, sharpe, trading_cost_annual }) =>
        html`<tr><th scope="row">${market ?? 'No market'}</th><td>${count(n_rows)}</td><td>${signedPercent(gross_return_annual, 2)}</td><td>${ratio(sharpe)}</td><td>${percent(trading_cost_annual, 2)}</td></tr>`,
    )}</tbody></table>`,
    'phone',
  )
}
