import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { buildDataset } from '../../../src/backtest/dataset/build.ts'
import { rankDataset } from '../../../src/backtest/dataset/rank.ts'
import type { TradingRules } from '../../../src/backtest/portfolio/settings.ts'
import { simulate, simulateMany } from '../../../src/backtest/portfolio/simulate.ts'
import { visitTrades } from '../../../src/backtest/portfolio/trades.ts'
import { walkTrading } from '../../../src/backtest/portfolio/trading.ts'
import { findPython, runPython } from '../../python.ts'
import { plainSettings } from '../rows.ts'
import { uniform } from '../scoring/randomPanel.ts'

const [dates, names] = [60, 12]
const off: TradingRules = {
  maxTurnover: null,
  maxWeight: null,
  targetVolatility: null,
  volatilityPeriods: 10,
  maxLeverage: 2,
  impact: null,
  capital: 1e7,
  impactPeriods: 8,
  periodsPerYear: 52,
  returnDays: 5,
  medianGap: 3,
}

/** Every third weekday, with some days missing for holidays. */
function daysOf(random: () => number): number[] {
  const days: number[] = []
  for (let day = 4, weekday = 0; days.length < dates; day++) {
    if ((day + 3) % 7 > 4) continue
    if (weekday++ % 3 === 0 && random() > 0.1) days.push(day)
  }
  return days
}

function panelOf(seed: number) {
  const random = uniform(seed)
  const grid = <T>(make: () => T): T[][] =>
    Array.from({ length: dates }, () => Array.from({ length: names }, make))
  return {
    days: daysOf(random),
    score: grid(() => (random() < 0.1 ? null : Math.round(random() * 40))),
    r: grid(() => (random() < 0.05 ? null : random() * 0.2 - 0.1)),
    volume: grid(() => (random() < 0.1 ? null : random() * 1e8)),
    borrow: grid(() => (random() < 0.5 ? null : Math.round(random() * 900))),
  }
}

type Panel = ReturnType<typeof panelOf>

function datasetOf({ days, score, r, volume, borrow }: Panel) {
  const flat = (values: (number | null)[][]) => Float64Array.from(values.flat(), value => value ?? Number.NaN)
  const cells = Array.from({ length: dates * names }, (_, i) => i)
  const { dataset } = buildDataset({
    count: cells.length,
    day: Int32Array.from(cells, i => days[Math.floor(i / names)]),
    asset: Int32Array.from(cells, i => i % names),
    market: new Uint16Array(cells.length),
    score: flat(score),
    forwardReturn: flat(r),
    dollarVolume: flat(volume),
    borrowBps: flat(borrow),
    assetNames: Array.from({ length: names }, (_, i) => `A${String(i).padStart(2, '0')}`),
    marketNames: [''],
  })
  if (dataset === null) throw new Error('a cell is repeated')
  return rankDataset(dataset)
}

const rules: readonly Partial<TradingRules>[] = [
  {},
  { maxTurnover: 0.2 },
  { maxWeight: 0.15 },
  { maxWeight: 0.05 },
  { targetVolatility: 0.1 },
  { impact: 0.7 },
  { maxTurnover: 0.15, maxWeight: 0.2, targetVolatility: 0.2, impact: 1 },
]
const cases = rules.flatMap((own, at) =>
  [false, true].map(drift => ({
    panel: panelOf(7 * at + (drift ? 1 : 2)),
    trading: { ...off, ...own },
    settings: {
      ...plainSettings,
      drift,
      longShort: at !== 2,
      tranches: 1 + (at % 3),
      trading: { ...off, ...own },
    },
  })),
)
const costs = {
  roundTripOfMarket: Float64Array.of(0.001),
  borrowPerPeriod: 50 / 1e4 / 52,
  periodsPerYear: 52,
}
const periods = Int32Array.from({ length: dates }, (_, t) => t)

const python = findPython('json')

test.skipIf(python === null)('trading under limits equals an independent loop in Python', () => {
  const panels = cases.map(({ panel, settings, trading }) => ({
    panel,
    config: {
      q: settings.quantile,
      hold: settings.tranches,
      longShort: settings.longShort,
      gross: settings.gross,
      drift: settings.drift,
      costBps: 10,
      borrowBps: 50,
      ...trading,
    },
  }))
  const file = `${mkdtempSync(`${tmpdir()}/trading-`)}/panels.json`
  writeFileSync(file, JSON.stringify({ panels }))
  const expected = JSON.parse(
    runPython(python ?? '', `${import.meta.dir}/reference`, ['tradingReference.py', file]),
  )
  cases.forEach(({ panel, settings }, at) => {
    const { series, path } = simulate(datasetOf(panel), periods, settings, costs)
    const own = {
      gross: series.gross,
      net: series.net,
      turnover: series.turnover,
      cost: series.tradingCost,
      borrow: series.borrow,
      impact: path?.impact ?? [],
      leverage: path?.leverage ?? [],
      fraction: path?.tradedFraction ?? [],
    }
    for (const [name, values] of Object.entries(own))
      values.forEach((value, t) => {
        expect(Math.abs(value - expected[at][name][t])).toBeLessThanOrEqual(
          1e-12 * Math.max(1, Math.abs(value)),
        )
      })
    expect(path?.tradedFraction.some(one => one < 1)).toBe(settings.trading.maxTurnover !== null)
  })
})

test('without any rule, plain loops give the record of the compiled kernel', () => {
  for (const seed of [1, 2, 3]) {
    const { borrowBps: _, ...data } = datasetOf(panelOf(seed))
    for (const drift of [false, true]) {
      const settings = { ...plainSettings, drift, tranches: 2 }
      const kernel = simulate(data, periods, settings, costs).series
      const plain = simulate(data, periods, { ...settings, trading: off }, costs).series
      for (const name of ['gross', 'net', 'turnover', 'tradingCost', 'borrow'] as const)
        kernel[name].forEach((value, t) => {
          expect(plain[name][t]).toBeCloseTo(value, 12)
        })
      expect(plain.heldWithoutReturn).toEqual(kernel.heldWithoutReturn)
      expect(plain.held).toEqual(kernel.held)
    }
  }
})

test('a return never changes weights that are decided before it is known', () => {
  for (const { panel, settings } of cases) {
    const weightsOf = (one: Panel) => {
      const found: Float64Array[] = []
      walkTrading(datasetOf(one), periods, { ...settings, drift: false }, costs, (_, __, weight) => {
        found.push(weight.slice())
      })
      return found
    }
    const before = weightsOf(panel)
    const cut = 30
    const changed = { ...panel, r: panel.r.map((row, t) => (t >= cut ? row.map(r => -3 * (r ?? 0.1)) : row)) }
    const after = weightsOf(changed)
    // The return of period `cut` ends two dates later, and is first used on the date after that.
    for (let t = 0; t <= cut + 2; t++) expect(after[t]).toEqual(before[t])
  }
})

test('a sweep and the trades of a capacity have the bits of the single run', () => {
  const { panel, settings } = cases[12]
  const data = datasetOf(panel)
  const single = simulate(data, periods, settings, costs).series
  const out = new Float64Array(2 * (dates + 1))
  const other = { ...settings, quantile: 0.2 }
  simulateMany(data, periods, [other, settings], costs, out, new Int32Array(new SharedArrayBuffer(4)))
  expect(Array.from(out.slice(dates + 1, 2 * dates + 1))).toEqual(Array.from(single.net))
  visitTrades(data, periods, settings, ({ count, size }, t) => {
    let turnover = 0
    for (let i = 0; i < count; i++) turnover += size[i] / 2
    expect(turnover).toBe(single.turnover[t])
  })
})

test('another thread ends the walk before the next period', () => {
  const { panel, settings } = cases[12]
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const seen: number[] = []
  const visit = (_: unknown, t: number) => {
    seen.push(t)
    if (t === 3) Atomics.store(stop, 0, 1)
  }
  walkTrading(datasetOf(panel), periods, settings, costs, visit, stop)
  expect(seen).toEqual([0, 1, 2, 3])
})

test('the impact in a name that hardly trades is enormous, but a number', () => {
  const { settings, panel } = cases[10]
  const thin = { ...panel, volume: panel.volume.map(row => row.map(() => 5e-324)) }
  const trading = { ...settings.trading, capital: 1e15 }
  const { path } = simulate(datasetOf(thin), periods, { ...settings, trading }, costs)
  expect(path?.impact.every(Number.isFinite)).toBe(true)
  expect(Math.max(...(path?.impact ?? []))).toBeGreaterThan(1e100)
})
