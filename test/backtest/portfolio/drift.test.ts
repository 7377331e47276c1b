import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rebalanceDates } from '../../../src/backtest/portfolio/rebalanceDates.ts'
import { simulateMany } from '../../../src/backtest/portfolio/simulate.ts'
import { mean } from '../../../src/backtest/statistics/moments.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import type { Row } from '../loopReference.ts'
import { columnsOf, datasetOf, plainSettings, row, simulateDataset } from '../rows.ts'
import { anyPanel, anySettings, borrow, bps } from './anyPanel.ts'

/** With drift, old weights are shares of the grown book, w (1 + r) / (1 + R). loopReference.ts computes it in loops. */

const costOf = (market: string) => new Map(Object.entries(bps)).get(market) ?? 0
const dates = 20
const longOnly = { ...plainSettings, longShort: false, drift: true }
const tenNames = (forwardReturn: (day: number, name: number) => number): Row[] =>
  Array.from({ length: 10 * dates }, (_, j) => [Math.floor(j / 10), j % 10]).map(([day, name]) =>
    row(day, `A${name}`, name, forwardReturn(day, name)),
  )

test('a book that nobody trades has the turnover of its entry alone', () => {
  const rows = tenNames(() => 0.01)
  const { turnover } = simulateDataset(datasetOf(rows), { ...longOnly, quantile: 0.5 }).series
  expect(turnover[0]).toBeCloseTo(0.5, 15)
  for (const traded of nonEmpty(turnover.subarray(1))) expect(traded).toBeLessThan(1e-16)
})

test('restoring equal weights after unequal returns trades what those moved', () => {
  // Half of the book doubles, so the shares are 2/3 and 1/3, and 1/6 of the grown book is sold.
  const rows = [0, 1].flatMap(day =>
    ['A', 'B', 'C', 'D'].map((name, i) => row(day, name, i, i === 3 ? 1 : 0)),
  )
  const { turnover } = simulateDataset(datasetOf(rows), { ...longOnly, quantile: 0.5 }).series
  expect(turnover[0]).toBeCloseTo(0.5, 15)
  expect(turnover[1]).toBeCloseTo(1 / 6, 15)
})

test('a book that lost everything is bought anew from nothing', () => {
  // Long names lose all and short names double: R is -1, apart from rounding.
  const rows = tenNames((day, name) => (day === 3 ? (name < 5 ? 1 : -1) : 0))
  const { turnover, gross } = simulateDataset(datasetOf(rows), { ...plainSettings, drift: true }).series
  expect(gross[3]).toBeCloseTo(-1, 14)
  expect(turnover[4]).toBeCloseTo(0.5, 15)
  const twice = { ...plainSettings, drift: true, gross: 2 }
  expect(simulateDataset(datasetOf(rows), twice).series.turnover[4]).toBeCloseTo(1, 15)
})

test('a drifting portfolio has the same bits alone and in a sweep', () => {
  fc.assert(
    fc.property(anyPanel, anySettings, (rows, settings) => {
      const data = datasetOf(rows)
      const periods = rebalanceDates(0, data.days.length, 1)
      const alone = simulateDataset(data, { ...settings, drift: true }, 1, bps, borrow).series
      const markets = [...new Set(columnsOf(rows).marketNames)].sort()
      const roundTripOfMarket = Float64Array.from(markets, name => costOf(name) / 1e4)
      const many = [1, 2, 5, 30].map(tranches => ({ ...settings, tranches, drift: true }))
      const width = periods.length + 1
      const out = new Float64Array(many.length * width)
      simulateMany(
        data,
        periods,
        many,
        { roundTripOfMarket, borrowPerPeriod: borrow, periodsPerYear: 252 },
        out,
        new Int32Array(1),
      )
      const at = many.findIndex(({ tranches }) => tranches === settings.tranches) * width
      expect([...out.slice(at, at + width - 1)]).toEqual([...alone.net])
      expect(out[at + width - 1]).toBe(mean(alone.turnover))
    }),
    { numRuns: 200 },
  )
})
