import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildDataset } from '../../../src/backtest/dataset/build.ts'
import type { Dataset } from '../../../src/backtest/dataset/dataset.ts'
import { rankDataset } from '../../../src/backtest/dataset/rank.ts'
import { resolveConfig } from '../../../src/backtest/pipeline/resolveConfig.ts'
import { selectPanelData } from '../../../src/backtest/pipeline/selectData.ts'
import { planSweep, simulateSlice } from '../../../src/backtest/pipeline/sweepPlan.ts'
import { writeSweepResult } from '../../../src/backtest/pipeline/sweepResult.ts'
import { rebalanceDates } from '../../../src/backtest/portfolio/rebalanceDates.ts'
import { walkTrading } from '../../../src/backtest/portfolio/trading.ts'
import type { BacktestConfig } from '../../../src/backtest/request.ts'
import { dayNumber } from '../../../src/dates.ts'
import { uniform } from '../scoring/randomPanel.ts'

const names = 8

/** Weekdays of which about every tenth is a holiday, with a closure of weeks such as that of 1914. */
function tradingDays(random: () => number, count: number): number[] {
  const days: number[] = []
  const closureAfter = Math.floor(random() * count)
  for (let day = 12_000; days.length < count; day++) {
    if ((day + 3) % 7 > 4 || random() < 0.1) continue
    days.push(day)
    if (days.length === closureAfter) day += Math.floor(random() * 60)
  }
  return days
}

interface Rows {
  readonly days: readonly number[]
  readonly score: readonly number[][]
  /** By date and name; NaN: none. */
  readonly value: readonly number[][]
}

function datasetOf({ days, score, value }: Rows, column: 'close' | 'forwardReturn'): Dataset {
  const cells = Array.from({ length: days.length * names }, (_, i) => i)
  const values = Float64Array.from(value.flat())
  const { dataset } = buildDataset({
    count: cells.length,
    day: Int32Array.from(cells, i => days[Math.floor(i / names)]),
    asset: Int32Array.from(cells, i => i % names),
    market: new Uint16Array(cells.length),
    score: Float64Array.from(score.flat()),
    forwardReturn: column === 'forwardReturn' ? values : new Float64Array(cells.length).fill(Number.NaN),
    ...(column === 'close' ? { close: values } : {}),
    dollarVolume: new Float64Array(cells.length).fill(1e6),
    assetNames: Array.from({ length: names }, (_, i) => `A${i}`),
    marketNames: [''],
  })
  if (dataset === null) throw new Error('a cell is repeated')
  return dataset
}

/** The weights that each period trades to, and the day on which it decides. */
function weightsOf(panel: Dataset, config: BacktestConfig): Map<number, Float64Array> {
  const { data, view, returnDays, spacing } = selectPanelData(panel, config)
  const { portfolio, step } = resolveConfig(config, returnDays, spacing)
  const periods = rebalanceDates(view.firstDate, view.endDate, step)
  const costs = { roundTripOfMarket: Float64Array.of(0.001), borrowPerPeriod: 0, periodsPerYear: 252 }
  const found = new Map<number, Float64Array>()
  walkTrading(rankDataset(data), periods, portfolio, costs, (_, t, weight) => {
    found.set(data.days[periods[t]], weight.slice())
  })
  return found
}

/** Expects weights that were decided up to and including `lastDay` to be the same; returns whether later ones differ. */
function expectSame(
  one: Map<number, Float64Array>,
  other: Map<number, Float64Array>,
  lastDay: number,
): boolean {
  let differs = false
  for (const [day, weights] of one) {
    if (day <= lastDay) expect(other.get(day)).toEqual(weights)
    else if (other.get(day)?.some((weight, i) => weight !== weights[i])) differs = true
  }
  return differs
}

const trading = {
  targetVolatility: 0.1,
  volatilityPeriods: 5,
  maxLeverage: 3,
  maxWeight: 0.3,
  maxTurnover: 0.4,
  impact: 0.5,
  capital: 1e6,
  impactPeriods: 5,
}
const seed = fc.integer({ min: 1, max: 1_000_000 })

function gridOf(random: () => number, dates: number, make: () => number): number[][] {
  return Array.from({ length: dates }, () => Array.from({ length: names }, () => (random(), make())))
}

const closing = fc.record({
  seed,
  rebalance: fc.constantFrom(undefined, 'weekly:FRI', 'weekly:TUE', 'month_end', 'quarter_end'),
  returnDays: fc.constantFrom(1, 2, 5),
  entryDates: fc.constantFrom(0, 1, 7, 20),
  cut: fc.double({ min: 0.1, max: 0.95, noNaN: true }),
})

/** Closes that walk at random, with holes, halts and names that end. */
function closesOf(random: () => number, dates: number): number[][] {
  const price = Array.from({ length: names }, () => 100)
  const until = Array.from({ length: names }, () => (random() < 0.4 ? random() * dates : dates))
  return Array.from({ length: dates }, (_, t) =>
    price.map((_, name) => {
      price[name] *= Math.exp(0.06 * (random() - 0.5))
      return t > until[name] || random() < 0.05 ? Number.NaN : price[name]
    }),
  )
}

test('closes that become known after a date never change the weights that were decided by then', () => {
  let differing = 0
  fc.assert(
    fc.property(closing, ({ seed, rebalance, returnDays, entryDates, cut }) => {
      const random = uniform(seed)
      const days = tradingDays(random, rebalance === undefined ? 120 : 260)
      const rows = {
        days,
        score: gridOf(random, days.length, random),
        value: closesOf(random, days.length),
      }
      const from = Math.floor(cut * days.length)
      const others = closesOf(random, days.length)
      const changed = { ...rows, value: rows.value.map((own, t) => (t < from ? own : others[t])) }
      const drift = seed % 2 === 0
      const config = {
        ...(rebalance === undefined ? { returnDays } : { rebalance }),
        entryDates,
        drift,
        trading,
      } as BacktestConfig
      const [one, other] = [rows, changed].map(panel => weightsOf(datasetOf(panel, 'close'), config))
      // The closes of the cut become known on its day. A decision of that day, and with drift also the trade that follows
      // `entryDates` dates later, comes before them.
      const last = drift ? days[from - 1 - entryDates] : days[from]
      if (last === undefined) return
      if (expectSame(one, other, last)) differing++
    }),
    { numRuns: 150 },
  )
  expect(differing).toBeGreaterThan(50)
}, 60_000)

const sent = fc.record({
  seed,
  every: fc.constantFrom(1, 3),
  returnDays: fc.integer({ min: 1, max: 7 }),
  calendar: fc.constantFrom(undefined, 'weekly:FRI', 'month_end'),
  cut: fc.double({ min: 0.1, max: 0.95, noNaN: true }),
})

test('returns that were sent are not used before they have ended, over holidays and between the dates of a calendar', () => {
  let differing = 0
  fc.assert(
    fc.property(sent, ({ seed, every: sentEvery, returnDays: sentDays, calendar, cut }) => {
      const random = uniform(seed)
      const trades = tradingDays(random, calendar === undefined ? 360 : 260)
      // A calendar needs daily rows, and returns from each date to the next.
      const [every, returnDays] = calendar === undefined ? [sentEvery, sentDays] : [1, 1]
      const dated = trades.map((_, t) => t).filter(t => t % every === 0)
      const rows = {
        days: dated.map(t => trades[t]),
        score: gridOf(random, dated.length, random),
        value: gridOf(random, dated.length, () => (random() < 0.05 ? Number.NaN : 0.1 * (random() - 0.5))),
      }
      const cutDate = Math.floor(cut * trades.length)
      const value = rows.value.map((own, i) =>
        dated[i] + returnDays < cutDate ? own : own.map(() => 0.3 * (random() - 0.5)),
      )
      const config = {
        ...(calendar === undefined ? { returnDays } : { rebalance: calendar }),
        trading,
      } as BacktestConfig
      const [one, other] = [rows, { ...rows, value }].map(panel =>
        weightsOf(datasetOf(panel, 'forwardReturn'), config),
      )
      if (expectSame(one, other, trades[cutDate])) differing++
    }),
    { numRuns: 150 },
  )
  expect(differing).toBeGreaterThan(50)
}, 60_000)

test('months of three dates do not use a return whose exit comes seven rebalancings later', () => {
  const random = uniform(5)
  const days: number[] = []
  for (let day = 12_000; days.length < 150; day++) {
    const isLate = new Date(86_400_000 * (day + 5)).getUTCDate() <= 5
    if ((day + 3) % 7 < 5 && isLate) days.push(day)
  }
  const rows = { days, score: gridOf(random, days.length, random), value: closesOf(random, days.length) }
  const config: BacktestConfig = { rebalance: 'month_end', entryDates: 20, trading }
  const one = weightsOf(datasetOf(rows, 'close'), config)
  let differing = 0
  for (let from = 20; from < days.length; from++) {
    const value = rows.value.map((own, t) =>
      t < from ? own : own.map(close => close * (1 + 0.2 * random())),
    )
    if (expectSame(one, weightsOf(datasetOf({ ...rows, value }, 'close'), config), days[from])) differing++
  }
  expect(differing).toBeGreaterThan(20)
})

test('the weights of scores combined by their training ICs do not use a return from closes before its exit', () => {
  let differing = 0
  fc.assert(
    fc.property(closing, ({ seed, rebalance, returnDays, entryDates, cut }) => {
      const random = uniform(seed)
      const days = tradingDays(random, rebalance === undefined ? 120 : 400)
      const rows = {
        days,
        score: gridOf(random, days.length, random),
        value: closesOf(random, days.length),
      }
      const quality = Float64Array.from(rows.score.flat(), () => random())
      const from = Math.floor(cut * days.length)
      const others = closesOf(random, days.length)
      const value = rows.value.map((own, t) => (t < from ? own : others[t]))
      const config: BacktestConfig = {
        ...(rebalance === undefined ? { returnDays } : { rebalance }),
        entryDates,
        rankBy: { columns: ['score', 'quality'], combine: 'ic_weighted' },
      }
      const [one, other] = [rows, { ...rows, value }].map(panel => {
        const data = { ...datasetOf(panel, 'close'), extras: [{ name: 'quality', values: quality }] }
        const { weights, data: scored } = selectPanelData(data, config)
        if (!weights) throw new Error('the scores are combined')
        return { scored, weights: weights.weights }
      })
      const { days: dates, offsets } = one.scored
      for (let date = 0; date < dates.length; date++) {
        const [first, end] = [offsets[date], offsets[date + 1]]
        if (dates[date] <= days[from]) {
          expect(other.weights.slice(2 * date, 2 * date + 2)).toEqual(
            one.weights.slice(2 * date, 2 * date + 2),
          )
          // As numbers: as bytes, NaN differs from NaN.
          expect(Array.from(other.scored.score.slice(first, end))).toEqual(
            Array.from(one.scored.score.slice(first, end)),
          )
        } else if (other.weights[2 * date] !== one.weights[2 * date]) differing++
      }
    }),
    { numRuns: 100 },
  )
  expect(differing).toBeGreaterThan(50)
}, 60_000)

test('a fold of a sweep trains on no return whose exit comes after its first day', () => {
  let differing = 0
  const sweep = { quantile: [0.2, 0.5], weighting: ['equal', 'rank', 'score'] as const }
  const costs = { standard: { roundTripBps: 10, source: 'test', date: '2020-01-01' }, markets: {} }
  fc.assert(
    fc.property(closing, ({ seed, rebalance, returnDays, entryDates }) => {
      const random = uniform(seed)
      const days = tradingDays(random, rebalance === undefined ? 150 : 400)
      const rows = {
        days,
        score: gridOf(random, days.length, random),
        value: closesOf(random, days.length),
      }
      const config = { ...(rebalance === undefined ? { returnDays } : { rebalance }), entryDates }
      const foldsOf = (panel: Rows) => {
        const request = { config, sweep: { ...sweep, weighting: [...sweep.weighting] }, include: [] }
        const plan = planSweep(selectPanelData(datasetOf(panel, 'close'), config), request, costs)
        const width = rebalanceDates(plan.view.firstDate, plan.view.endDate, plan.configs[0].step).length + 1
        const series = plan.slices.map(slice => {
          const out = new Float64Array(slice.length * width)
          const configs = slice.map(at => plan.configs[at])
          simulateSlice({ ...plan, configs, series: out, stop: new Int32Array(1) })
          return out
        })
        return writeSweepResult(plan, series).folds
      }
      const truth = foldsOf(rows)
      const fold = truth[truth.length - 1]
      if (fold === undefined) return
      const start = days.indexOf(dayNumber(fold.test_start))
      const others = closesOf(random, days.length)
      // Whoever has been absent for ten dates counts as ended from then on.
      const isEnded = (name: number) =>
        rows.value.slice(start - 9, start + 1).every(closes => Number.isNaN(closes[name]))
      const value = rows.value.map((own, t) =>
        t <= start ? own : own.map((close, name) => (isEnded(name) ? close : others[t][name])),
      )
      const changed = foldsOf({ ...rows, value })
      truth.forEach((one, f) => {
        if (one.test_start > fold.test_start) return
        expect([changed[f].label, changed[f].train_sharpe]).toEqual([one.label, one.train_sharpe])
      })
      if (changed[changed.length - 1].sharpe !== fold.sharpe) differing++
    }),
    { numRuns: 60 },
  )
  expect(differing).toBeGreaterThan(20)
}, 60_000)
