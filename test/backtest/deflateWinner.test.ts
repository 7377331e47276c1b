import { expect, test } from 'bun:test'
import * as simple from 'simple-statistics'
import { expectedMaximumSharpe } from '../../src/backtest/overfitting/sharpe.ts'
import { deflateWinner } from '../../src/backtest/overfitting/winner.ts'
import { normalCdf, normalQuantile } from '../../src/backtest/statistics/normal.ts'

// design/backtest.md, section 7: `survives` is dsr >= .95; one trial has threshold 0.
test('a winner survives from a probability of .95 on', () => {
  const at = (mean: number) =>
    deflateWinner([Float64Array.from({ length: 120 }, (_, t) => mean + Math.sin(t * t) / 100)], 0)
  let low = 0
  let high = 0.01
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if ((at(middle).dsr ?? 0) < 0.95) low = middle
    else high = middle
  }
  expect([at(low).survives, at(high).survives]).toEqual([false, true])
  expect(at(low).dsr).toBeCloseTo(0.95, 6)
  expect(at(high).dsr).toBeCloseTo(0.95, 6)
  expect([at(high).sharpeThreshold, at(high).psr]).toEqual([0, at(high).dsr])
})

test('a winner that never moved survives nothing', () => {
  expect(deflateWinner([new Float64Array(50)], 0)).toMatchObject({ dsr: null, survives: false, trials: 1 })
})

// vectors/README.md: moments by simple-statistics, formulas as they are written there.
test('every field is its definition, per period; a trial that never traded counts among the tried', () => {
  const trial = (c: number) =>
    Float64Array.from(
      { length: 90 },
      (_, t) => (c + 1) / 4000 + Math.sin(t * t) / 100 + (Math.cos((c + 3) * t) ** 5 * (c + 2)) / 200,
    )
  const series = [trial(0), trial(1), new Float64Array(90), trial(4), trial(2)]
  const own = Array.from(series[3])
  const moved = series.filter((_, c) => c !== 2).map(values => [...values])
  const ofTrials = moved.map(values => simple.mean(values) / simple.sampleStandardDeviation(values))
  const pairs = moved.flatMap((a, i) => moved.slice(i + 1).map(b => simple.sampleCorrelation(a, b)))
  const rho = simple.mean(pairs)
  const effective = rho + (1 - rho) * 5
  const sr = ofTrials[2]
  const spread = simple.standardDeviation(own)
  const moment = (power: number) => simple.mean(own.map(r => ((r - simple.mean(own)) / spread) ** power))
  const [skew, kurtosis] = [moment(3), moment(4)]
  const error = 1 - skew * sr + ((kurtosis - 1) / 4) * sr ** 2
  const above = (threshold: number) => normalCdf(((sr - threshold) * Math.sqrt(89)) / Math.sqrt(error))
  const deviation = simple.sampleStandardDeviation(ofTrials)
  const expected = {
    dsr: above(deviation * expectedMaximumSharpe(5)),
    sharpePerPeriod: sr,
    sharpeThreshold: deviation * expectedMaximumSharpe(5),
    trialsVariance: deviation ** 2,
    skew,
    kurtosisRaw: kurtosis,
    trialsEffective: effective,
    dsrEffective: above(deviation * expectedMaximumSharpe(effective)),
    psr: above(0),
    minTrackRecordPeriods: 1 + error * (normalQuantile(0.95) / sr) ** 2,
  }
  const found = deflateWinner(series, 3)
  expect([found.trials, found.periods]).toEqual([5, 90])
  for (const [field, value] of Object.entries(expected)) {
    const own = Number(Object.entries(found).find(([name]) => name === field)?.[1])
    expect([field, Math.abs(own / value - 1) < 1e-11]).toEqual([field, true])
  }
  expect(new Set(Object.values(expected).map(value => value.toFixed(9))).size).toBe(10)
})
