import { expect, test } from 'bun:test'
import * as simple from 'simple-statistics'
import { expectedMaxOfNormals } from '../../../src/backtest/overfitting/deflatedSharpe.ts'
import { deflateWinner, pickWinner } from '../../../src/backtest/overfitting/winner.ts'
import { normalCdf, normalQuantile } from '../../../src/backtest/statistics/normal.ts'

test('the winner has the highest Sharpe ratio, then the lower turnover, then the first label; one without a Sharpe ratio is last', () => {
  const trial = (label: string, sharpe: number | null, avgTurnover: number) => ({
    label,
    sharpe,
    avgTurnover,
  })
  expect(pickWinner([trial('a', 1, 0.1), trial('b', 2, 0.9)])).toBe(1)
  expect(pickWinner([trial('a', 2, 0.2), trial('b', 2, 0.1)])).toBe(1)
  expect(pickWinner([trial('b', 2, 0.1), trial('a', 2, 0.1)])).toBe(1)
  expect(pickWinner([trial('a', null, 0), trial('b', -3, 0.9)])).toBe(1)
  expect(pickWinner([trial('b', null, 0.1), trial('a', null, 0.2)])).toBe(0)
})

// design/backtest.md, section 7: `survives` is dsr >= .95; one trial has threshold 0.
test('a winner survives with a probability of at least .95', () => {
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

test('a winner that does not vary does not survive', () => {
  expect(deflateWinner([new Float64Array(50)], 0)).toMatchObject({ dsr: null, survives: false, trials: 1 })
})

// Formulas from vectors/README.md, moments by simple-statistics.
test('every field follows its definition, per period; a trial that never traded counts as a trial', () => {
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
    dsr: above(deviation * expectedMaxOfNormals(5)),
    sharpePerPeriod: sr,
    sharpeThreshold: deviation * expectedMaxOfNormals(5),
    trialsVariance: deviation ** 2,
    skew,
    kurtosisRaw: kurtosis,
    trialsEffective: effective,
    dsrEffective: above(deviation * expectedMaxOfNormals(effective)),
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
