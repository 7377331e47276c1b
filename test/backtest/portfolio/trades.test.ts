import { expect, test } from 'bun:test'
import fc from 'fast-check'
import * as simple from 'simple-statistics'
import { type Dataset, nameAt } from '../../../src/backtest/dataset/dataset.ts'
import { rankDataset } from '../../../src/backtest/dataset/rank.ts'
import { rebalanceDates } from '../../../src/backtest/portfolio/rebalanceDates.ts'
import type { PortfolioSettings } from '../../../src/backtest/portfolio/settings.ts'
import { visitTrades } from '../../../src/backtest/portfolio/trades.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { loopReference, type Row } from '../loopReference.ts'
import { datasetOf, plainSettings, row, simulateDataset } from '../rows.ts'
import { anyPanel, anySettings } from './anyPanel.ts'

interface Trade {
  readonly row: number
  readonly size: number
}

function tradesOf(data: Dataset, settings: PortfolioSettings, step = 1): Trade[][] {
  const periods = rebalanceDates(0, data.days.length, step)
  const all: Trade[][] = []
  visitTrades(rankDataset(data), periods, settings, ({ count, row, size }) => {
    all.push(Array.from({ length: count }, (_, i) => ({ row: row[i], size: size[i] })))
  })
  return all
}

const sumOf = (trades: readonly Trade[]) => simple.sum(trades.map(({ size }) => size))

test('the trades of a period sum to twice the turnover that the engine answers', () => {
  fc.assert(
    fc.property(anyPanel, anySettings, fc.constantFrom(1, 2), (rows, settings, step) => {
      const data = datasetOf(rows)
      const { turnover } = simulateDataset(data, settings, step).series
      const trades = tradesOf(data, settings, step)
      expect(trades.length).toBe(turnover.length)
      for (const [t, own] of trades.entries())
        expect(Math.abs(sumOf(own) - 2 * turnover[t])).toBeLessThanOrEqual(1e-12)
    }),
    { numRuns: 1_000 },
  )
})

test('the same of a panel as wide as several tiles, whose names come and go', () => {
  const rows: Row[] = []
  for (let day = 0; day < 12; day++)
    for (let i = 0; i < 3_000; i++) {
      if ((i * 7 + day * 13) % 11 === 0 || Math.floor(i / 600) > day) continue
      rows.push(row(day, `A${i}`, Math.sin(i * 12.9 + day * 4.1), Math.cos(i * 78.2 + day) / 50, 'M0'))
    }
  const data = datasetOf(rows)
  for (const weighting of ['equal', 'rank', 'score'] as const)
    for (const drift of [false, true]) {
      const settings = { ...plainSettings, weighting, drift, tranches: 3 }
      const { turnover } = simulateDataset(data, settings).series
      for (const [t, own] of nonEmpty(tradesOf(data, settings).entries()))
        expect(Math.abs(sumOf(own) - 2 * turnover[t])).toBeLessThanOrEqual(1e-12)
    }
})

test('each name trades what the plain loops change of its weight, and is found in its row of the date', () => {
  let traded = 0
  fc.assert(
    fc.property(anyPanel, anySettings, (rows, settings) => {
      const data = datasetOf(rows)
      const days = [...data.days]
      const periods = loopReference(rows, settings, 1, {}, 0)
      const trades = tradesOf(data, settings)
      nonEmpty(periods).forEach(({ weights }, t) => {
        const expected = new Map<string, number>(weights)
        const past = t === 0 ? undefined : periods[t - 1]
        for (const [asset, old] of past?.weights ?? []) {
          const cell = rows.find(other => other.day === days[t - 1] && other.asset === asset)
          const left = settings.drift ? leftOf(old, cell?.forwardReturn ?? 0, past?.gross ?? 0) : old
          expected.set(asset, (expected.get(asset) ?? 0) - left)
        }
        const present = new Set(rows.filter(({ day }) => day === days[t]).map(({ asset }) => asset))
        const sizes = [...expected].map(([asset, change]) => ({ asset, size: Math.abs(change) }))
        for (const { row, size } of trades[t]) {
          if (row === -1) continue
          traded++
          expect(row).toBeGreaterThanOrEqual(data.offsets[t])
          expect(row).toBeLessThan(data.offsets[t + 1])
          const name = nameAt(data.assets, data.asset[row])
          const own = sizes.find(({ asset }) => asset === name)
          expect(Math.abs(size - (own?.size ?? 0))).toBeLessThanOrEqual(1e-12)
        }
        const absent = sizes.filter(({ asset, size }) => !present.has(asset) && size > 1e-12)
        const withoutRow = trades[t].filter(({ row, size }) => row === -1 && size > 1e-12)
        expect(withoutRow.length).toBe(absent.length)
        expect(sumOf(withoutRow)).toBeCloseTo(simple.sum(absent.map(({ size }) => size)), 12)
      })
    }),
    { numRuns: 300 },
  )
  expect(traded).toBeGreaterThan(50)
})

function leftOf(weight: number, forwardReturn: number, gross: number): number {
  return gross <= -1 + 1e-13 ? 0 : (weight * (1 + forwardReturn)) / (1 + gross)
}

test('a weight that stays is no trade', () => {
  const rows = [0, 1, 2].flatMap(day => ['A', 'B', 'C', 'D'].map((name, i) => row(day, name, i, 0.1)))
  const trades = tradesOf(datasetOf(rows), { ...plainSettings, longShort: false, quantile: 0.5 })
  expect(trades.map(list => list.length)).toEqual([2, 0, 0])
})
