import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import * as simple from 'simple-statistics'
import type { BacktestSettings } from '../../../src/backtest/codec/settings.ts'
import { deflatedSharpe } from '../../../src/backtest/overfitting/deflatedSharpe.ts'
import { runPanelBacktest } from '../../../src/backtest/pipeline/runRequest.ts'
import { selectPanelData } from '../../../src/backtest/pipeline/selectData.ts'
import { planSweep, simulateSlice } from '../../../src/backtest/pipeline/sweepPlan.ts'
import { writeSweepResult } from '../../../src/backtest/pipeline/sweepResult.ts'
import type { BacktestResult } from '../../../src/backtest/result.ts'
import { isoDate } from '../../../src/dates.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { loopReference, type Row } from '../loopReference.ts'
import { datasetOf } from '../rows.ts'

const costs = { markets: {}, standard: { roundTripBps: 10, source: 'a test', date: '2020-01-01' } }
const none = { include: [] as const }

/** A sweep on this thread. */
function sweep(rows: readonly Row[], request: BacktestSettings): BacktestResult {
  const plan = planSweep(selectPanelData(datasetOf(rows), request.config), request, costs)
  const series = plan.slices.map(slice => {
    const out = new Float64Array(slice.length * (plan.view.endDate + 1))
    const configs = slice.map(place => plan.configs[place])
    simulateSlice({ ...plan, configs, series: out, stop: new Int32Array(1) })
    return out
  })
  return writeSweepResult(plan, series)
}

const firstDay = 19_723 // Monday, 2024-01-01

/** Weekdays; on some of them fewer than two names have a score, so that a portfolio runs empty. */
const anyPanel: fc.Arbitrary<Row[]> = fc
  .record({
    days: fc.integer({ min: 12, max: 40 }),
    names: fc.integer({ min: 3, max: 7 }),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    gap: fc.integer({ min: 0, max: 6 }),
    market: fc.double({ min: -0.02, max: 0.02, noNaN: true }),
  })
  .map(({ days, names, seed, gap, market }) => {
    let state = seed
    const uniform = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647 - 0.5
    }
    return Array.from({ length: days * names }, (_, i): Row => {
      const [t, name] = [Math.floor(i / names), i % names]
      const isUnscored = t > 5 && t <= 5 + gap
      return {
        day: firstDay + 7 * Math.floor(t / 5) + (t % 5),
        asset: `A${name}`,
        market: 'US',
        score: isUnscored ? null : uniform(),
        forwardReturn: uniform() / 20 + market,
      }
    })
  })

const sharpeOf = (values: readonly number[]) => {
  const deviation = simple.sampleStandardDeviation([...values])
  return (simple.mean([...values]) / deviation) * Math.sqrt(252)
}

interface LoopTrial {
  readonly label: string
  readonly net: readonly number[]
  readonly judged: readonly number[]
}

/** Every trial and its judged returns in plain loops. */
function loopTrials(rows: readonly Row[], directions: readonly ('long_short' | 'long_only')[]): LoopTrial[] {
  return directions.flatMap(direction =>
    [0.2, 0.5].flatMap(quantile =>
      [1, 3].map(tranches => {
        const settings = {
          longShort: direction === 'long_short',
          quantile,
          weighting: 'equal' as const,
          tranches,
          gross: 1,
          neutralMarket: false,
          drift: false,
        }
        const periods = loopReference(rows, settings, 1, { US: 10 }, 50 / 1e4 / 252)
        return {
          label: `${direction} q${quantile} equal h${tranches}`,
          net: periods.map(({ net }) => net),
          judged: periods.map(({ net, universe, weights }) => {
            if (direction === 'long_short' || weights.size === 0) return net
            return net - universe
          }),
        }
      }),
    ),
  )
}

const directions = ['long_short', 'long_only'] as const

test('each trial of a sweep of both directions is judged by its own series: every number is that of plain loops', () => {
  fc.assert(
    fc.property(anyPanel, rows => {
      const config = { returnDays: 1, folds: 2 }
      const grid = { direction: [...directions], quantile: [0.2, 0.5], holdDays: [1, 3] }
      const result = sweep(rows, { ...none, config, sweep: grid })
      const loops = loopTrials(rows, directions)
      const best = result.verdict.trials === 8 ? result : null
      if (best === null) throw new Error('the verdict counts other trials')
      nonEmpty(result.trials).forEach((trial, i) => {
        expect(trial.label).toBe(loops[i].label)
        expect(trial.benchmark).toBe(i < 4 ? 'cash' : 'universe')
        expect(trial.sharpe).toBeCloseTo(sharpeOf(loops[i].net), 7)
        expect(trial.judged_sharpe).toBeCloseTo(sharpeOf(loops[i].judged), 7)
      })
      const judged = loops.map(loop => sharpeOf(loop.judged))
      const highest = Math.max(...judged)
      const winner = loops.findIndex(({ label }) => label === result.best?.label)
      expect(judged[winner]).toBeCloseTo(highest, 7)
      expect(result.benchmark).toBe(winner < 4 ? 'cash' : 'universe')
      expect(result.metrics.judged_sharpe).toBeCloseTo(highest, 7)
      expect(result.metrics.sharpe).toBeCloseTo(sharpeOf(loops[winner].net), 7)
      expect(result.verdict.judged_sharpe).toBe(result.metrics.judged_sharpe)

      const own = [...loops[winner].judged]
      const deviation = simple.standardDeviation(own)
      const moment = (power: number) =>
        simple.mean(own.map(value => ((value - simple.mean(own)) / deviation) ** power))
      const found = result.deflated_sharpe
      const variance = simple.sampleVariance(judged.map(value => value / Math.sqrt(252)))
      expect(found?.trials_variance).toBeCloseTo(variance, 9)
      expect(found?.skew).toBeCloseTo(moment(3), 6)
      expect(found?.kurtosis_raw).toBeCloseTo(moment(4), 6)
      const record = {
        sharpePerPeriod: highest / Math.sqrt(252),
        periods: own.length,
        skew: moment(3),
        kurtosisRaw: moment(4),
      }
      expect(found?.dsr).toBeCloseTo(deflatedSharpe(record, variance, 8) ?? Number.NaN, 6)

      for (const fold of nonEmpty(result.folds)) {
        const chosen = loops.findIndex(({ label }) => label === fold.label)
        const trained = result.trials?.map((_, i) => foldOf(rows, loops[i].label, fold.fold)) ?? []
        expect(fold.judged_train_sharpe).toBe(trained[chosen]?.judged_train_sharpe ?? null)
        for (const rival of nonEmpty(trained)) {
          const [a, b] = [rival?.judged_train_sharpe, fold.judged_train_sharpe]
          expect(a ?? Number.NEGATIVE_INFINITY).toBeLessThanOrEqual(b ?? Number.NEGATIVE_INFINITY)
        }
      }
    }),
    { numRuns: 25 },
  )
})

/** The same fold of the trial's single backtest. */
function foldOf(rows: readonly Row[], label: string, fold: number) {
  const [direction, quantile, , hold] = label.split(' ')
  const config = {
    direction: direction === 'long_only' ? ('long_only' as const) : ('long_short' as const),
    quantile: Number(quantile.slice(1)),
    holdDays: Number(hold.slice(1)),
    returnDays: 1,
    folds: 2,
  }
  return runPanelBacktest(datasetOf(rows), { ...none, config }, costs).folds.find(one => one.fold === fold)
}

test('against the universe the judged Sharpe ratio of a portfolio that is never empty is its information ratio, to the bit', () => {
  fc.assert(
    fc.property(anyPanel, rows => {
      const scored = rows.map(row => ({ ...row, score: row.score ?? Number(row.asset.slice(1)) }))
      const config = { direction: 'long_only' as const, returnDays: 1, quantile: 0.4 }
      const { metrics, benchmark, verdict } = runPanelBacktest(datasetOf(scored), { ...none, config }, costs)
      expect([benchmark, verdict.benchmark]).toEqual(['universe', 'universe'])
      expect(metrics.judged_sharpe).toBe(metrics.information_ratio)
    }),
    { numRuns: 50 },
  )
})

describe('a benchmark of the caller', () => {
  test('takes the place of cash and of the universe, as rows or as columns, and changes no net figure', () => {
    fc.assert(
      fc.property(anyPanel, fc.constantFrom(...directions), (rows, direction) => {
        const config = { direction, returnDays: 1 }
        const data = datasetOf(rows)
        const days = [...new Set(rows.map(({ day }) => day))]
        const values = days.map((_, t) => Math.sin(t) / 100)
        const own = { date: days.map(isoDate), return: values }
        const plain = runPanelBacktest(data, { ...none, config }, costs)
        const judged = runPanelBacktest(data, { ...none, config, benchmark: own }, costs)
        const asRows = own.date.map((date, i) => ({ date, return: values[i] })).toReversed()
        const same = runPanelBacktest(data, { ...none, config, benchmark: asRows }, costs)
        expect({ ...same, request: null }).toEqual({ ...judged, request: null })
        expect(judged.benchmark).toBe('series')
        expect(judged.request?.benchmark).toEqual(own)
        expect(judged.equity_curve).toEqual(plain.equity_curve)
        expect({ ...judged.metrics, judged_sharpe: 0 }).toEqual({ ...plain.metrics, judged_sharpe: 0 })
        const settings = {
          weighting: 'equal' as const,
          tranches: 1,
          gross: 1,
          neutralMarket: false,
          drift: false,
        }
        const longShort = direction === 'long_short'
        const periods = loopReference(
          rows,
          { ...settings, quantile: 0.1, longShort },
          1,
          { US: 10 },
          50 / 1e4 / 252,
        )
        const series = periods.map(({ net, weights }, t) => (weights.size === 0 ? net : net - values[t]))
        expect(judged.metrics.judged_sharpe).toBeCloseTo(sharpeOf(series), 7)
      }),
      { numRuns: 25 },
    )
  })

  test('a name or the older spelling in evidence gives the same numbers', () => {
    const [rows] = fc.sample(anyPanel, { numRuns: 1, seed: 5 })
    const include = ['spa', 'track_record'] as const
    const run = (request: Partial<BacktestSettings>) =>
      runPanelBacktest(datasetOf(rows), { config: { returnDays: 1 }, include, ...request }, costs)
    const { request: _, ...named } = run({ benchmark: 'universe' })
    const { request: __, ...older } = run({ evidence: { benchmark: 'universe' } })
    const { request: ___, ...both } = run({ benchmark: 'universe', evidence: { benchmark: 'universe' } })
    expect(older).toEqual(named)
    expect(both).toEqual(named)
    expect([named.benchmark, named.evidence?.benchmark]).toEqual(['universe', 'universe'])
    expect(named.evidence?.track_record?.sharpe).toBe(named.metrics.judged_sharpe)
    expect(() => run({ benchmark: 'cash', evidence: { benchmark: 'universe' } })).toThrow(
      'benchmark and evidence.benchmark ("universe") differ',
    )
  })

  test('without the return of a period, with one twice, or with columns of unequal length, it is refused in words', () => {
    const [rows] = fc.sample(anyPanel, { numRuns: 1, seed: 5 })
    const days = [...new Set(rows.map(({ day }) => day))]
    const all = days.map(day => ({ date: isoDate(day), return: 0.01 }))
    const run = (benchmark: NonNullable<BacktestSettings['benchmark']>) => () =>
      runPanelBacktest(datasetOf(rows), { ...none, config: {}, benchmark }, costs)
    expect(run([...all, { date: '1999-12-31', return: 5 }])).not.toThrow()
    expect(run(all.slice(2))).toThrow(
      `benchmark has no return for 2 of the ${days.length} dates on which a period starts: 2024-01-01, 2024-01-02. Send`,
    )
    expect(run(all.slice(0, 1))).toThrow(`and ${days.length - 6} more`)
    expect(run([...all, all[3]])).toThrow(
      `benchmark[${all.length}].date is ${all[3].date}, which already appeared`,
    )
    expect(run({ date: ['2024-01-01'], return: [] })).toThrow(
      'benchmark.date has 1 elements and benchmark.return 0',
    )
  })
})
