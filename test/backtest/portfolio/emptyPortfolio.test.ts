import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rankDataset } from '../../../src/backtest/dataset/rank.ts'
import type { PortfolioSettings } from '../../../src/backtest/portfolio/settings.ts'
import { sharpe } from '../../../src/backtest/statistics/sharpe.ts'
import { loopReference, type Row } from '../loopReference.ts'
import { datasetOf, plainSettings, simulateDataset } from '../rows.ts'

/** A portfolio without tranches holds exactly nothing. What adding and subtracting leaves of its weights is rounding,
 * which would earn returns, and those have a Sharpe ratio, a hit rate and a sign like any other. */

const markets = ['M0', 'M1', 'M2']
const bps = { M0: 10, M1: 20, M2: 40 }

/** Nine names whose returns continue while their scores pause. */
function pausing(scored: (day: number) => boolean, days: number): Row[] {
  return Array.from({ length: 9 * days }, (_, j) => {
    const [day, i] = [Math.floor(j / 9), j % 9]
    return {
      day,
      asset: `A${i}`,
      market: markets[i % 3],
      score: scored(day) ? Math.sin(12.9898 * i + 0.7 * day) : null,
      forwardReturn: Math.cos(78.233 * i + 2.3 * day) / 40,
    }
  })
}

const anySettings: fc.Arbitrary<PortfolioSettings> = fc.record({
  longShort: fc.boolean(),
  quantile: fc.constantFrom(0.1, 0.3, 0.5),
  weighting: fc.constantFrom('equal', 'rank', 'score'),
  tranches: fc.constantFrom(1, 2, 3, 7),
  gross: fc.constantFrom(1, 2.5),
  neutralMarket: fc.boolean(),
  drift: fc.boolean(),
})

test('while the portfolio is empty nothing is earned, traded or borrowed, to the bit', () => {
  const rows = pausing(day => day < 31 || (day > 45 && day < 70) || day > 88, 110)
  fc.assert(
    fc.property(anySettings, settings => {
      const truth = loopReference(rows, settings, 1, bps, 0.01)
      const data = datasetOf(rows)
      const { series } = simulateDataset(data, settings, 1, bps, 0.01)
      truth.forEach((period, t) => {
        expect(series.net[t]).toBeCloseTo(period.net, 13)
        if (period.weights.size > 0) return
        expect(series.gross[t]).toBe(0)
        expect(series.borrow[t]).toBe(0)
        if (truth[t - 1].weights.size === 0) expect(series.net[t]).toBe(0)
      })
      expect(truth.filter(period => period.weights.size === 0).length).toBeGreaterThan(10)
      expect(simulateDataset(rankDataset(data), settings, 1, bps, 0.01).series).toEqual(series)
    }),
    { numRuns: 150 },
  )
})

test('periods without positions have no Sharpe ratio', () => {
  const rows = pausing(day => day < 30, 80)
  for (const weighting of ['equal', 'rank', 'score'] as const) {
    const { series } = simulateDataset(
      datasetOf(rows),
      { ...plainSettings, weighting, tranches: 5 },
      1,
      bps,
      0.01,
    )
    expect(sharpe(series.net.subarray(0, 34), 252)).not.toBeNull()
    expect(sharpe(series.net.subarray(40), 252)).toBeNull()
  }
})

test('a name whose long and short tranches cancel has weight 0', () => {
  // Each of six names takes each place in turn, so over six tranches its rank weights sum to 0.
  const rows = Array.from({ length: 240 }, (_, j) => {
    const [day, i] = [Math.floor(j / 6), j % 6]
    return { day, asset: `A${i}`, market: 'M0', score: (day + i) % 6, forwardReturn: 0.01 * i }
  })
  const settings: PortfolioSettings = {
    ...plainSettings,
    quantile: 0.5,
    gross: 0.7,
    weighting: 'rank',
    tranches: 6,
  }
  expect([...simulateDataset(datasetOf(rows), settings).positions.values()]).toEqual([0, 0, 0, 0, 0, 0])
})
