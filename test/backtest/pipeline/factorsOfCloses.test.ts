import { expect, test } from 'bun:test'
import { readBody } from '../../../src/backtest/codec/body.ts'
import { buildPanelDataset } from '../../../src/backtest/pipeline/panelDataset.ts'
import { runPanelBacktest } from '../../../src/backtest/pipeline/runRequest.ts'
import type { BacktestConfig } from '../../../src/backtest/request.ts'
import { isoDate } from '../../../src/dates.ts'

const costs = { standard: { roundTripBps: 10, source: 'test', date: '2020-01-01' }, markets: {} }

/** Weekdays without about every tenth, from the first of March 2004. */
function tradingDays(count: number): number[] {
  const days: number[] = []
  for (let day = 12_478; days.length < count; day++)
    if ((day + 3) % 7 < 5 && (day * 7) % 11 !== 0) days.push(day)
  return days
}

const days = tradingDays(700)
const factorOf = (t: number) => 0.02 * Math.sin(t * t + 1)

/** Half of the names are the factor itself, and the others never move. So a portfolio that is long the former and short the
 * latter, half of equity each, earns half of the factor, over whatever interval. */
function rowsOf(column: 'close' | 'forward_return') {
  let level = 100
  return days.flatMap((day, t) => {
    level *= 1 + factorOf(t)
    return Array.from({ length: 8 }, (_, name) => {
      const isFactor = name >= 4
      const value =
        column === 'close' ? (isFactor ? level : 50) : isFactor && t + 1 < days.length ? factorOf(t + 1) : 0
      return { date: isoDate(day), asset: `A${name}`, score: isFactor ? 2 : 1, [column]: value }
    })
  })
}

function explain(column: 'close' | 'forward_return', config: BacktestConfig, factorDays = days) {
  const factors = {
    date: factorDays.map(isoDate),
    returns: { MKT: factorDays.map(day => factorOf(days.indexOf(day))) },
  }
  const settings = { quantile: 0.5, costBps: 0, borrowBps: 0, ...config }
  const body = JSON.stringify({ config: settings, panel: rowsOf(column), factors })
  const { panel, ...request } = readBody(new TextEncoder().encode(body))
  if (panel === null) throw new Error('no rows')
  const { factors: found } = runPanelBacktest(buildPanelDataset(panel), request, costs)
  if (found === undefined) throw new Error('no factors')
  return found
}

for (const [column, config] of [
  ['close', { entryDates: 0 }],
  ['close', { entryDates: 1 }],
  ['close', { entryDates: 7, returnDays: 5 }],
  ['close', { entryDates: 1, rebalance: 'weekly:FRI' }],
  ['close', { entryDates: 3, rebalance: 'month_end' }],
  ['forward_return', { rebalance: 'weekly:WED' }],
  ['forward_return', { rebalance: 'month_end' }],
] as const)
  test(`factors cover exactly the interval of the returns: ${column} with ${JSON.stringify(config)}`, () => {
    const found = explain(column, config)
    expect(found.unmatched).toEqual([])
    expect(found.betas[0].beta).toBeCloseTo(0.5, 9)
    expect(found.alpha.per_period).toBeCloseTo(0, 12)
    expect(found.r_squared).toBeCloseTo(1, 12)
  })

test('a factor day without a row is counted, not compounded, where daily returns were sent', () => {
  const extra = Array.from({ length: 700 }, (_, i) => days[0] + i).filter(day => (day + 3) % 7 < 5)
  const [first] = explain(
    'forward_return',
    { rebalance: 'month_end' },
    [...new Set([...days, ...extra])].sort((a, b) => a - b),
  ).unmatched
  expect(first.reason).toBe('interval')
})
