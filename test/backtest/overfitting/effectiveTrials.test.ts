import { expect, test } from 'bun:test'
import fc from 'fast-check'
import * as simple from 'simple-statistics'
import {
  effectiveTrials,
  meanPairwiseCorrelation,
} from '../../../src/backtest/overfitting/effectiveTrials.ts'
import { anyTrialCount, noise } from './noise.ts'

test('48 trials that correlate by .8 count as 10.4', () => {
  expect(effectiveTrials(48, 0.8)).toBeCloseTo(10.4, 12)
  expect(effectiveTrials(48, 1)).toBe(1)
  expect(effectiveTrials(48, 0)).toBe(48)
  expect(effectiveTrials(48, -0.01)).toBe(48)
})

test('the mean correlation of all pairs is the mean of simple-statistics’ correlations', () => {
  const series = noise(7, 50, 3, () => 0)
  for (const values of series) for (let t = 0; t < 50; t++) values[t] += Math.sin(t) / 100
  const pairs = series.flatMap((a, i) =>
    series.slice(i + 1).map(b => simple.sampleCorrelation([...a], [...b])),
  )
  expect(meanPairwiseCorrelation(series)).toBeCloseTo(simple.mean(pairs), 13)
  expect(meanPairwiseCorrelation([series[0]])).toBe(0)
  expect(meanPairwiseCorrelation([series[0], new Float64Array(50)])).toBe(0)
})

test('neither scale nor shift nor order changes the mean correlation, and copies count as one trial', () => {
  fc.assert(
    fc.property(anyTrialCount, fc.integer({ min: 1, max: 1_000_000 }), (count, seed) => {
      const series = noise(count, 40, seed, () => 0)
      const truth = meanPairwiseCorrelation(series)
      expect(
        meanPairwiseCorrelation(series.map((values, c) => values.map(r => r * (c + 1) + c))),
      ).toBeCloseTo(truth, 11)
      expect(meanPairwiseCorrelation([...series].reverse())).toBeCloseTo(truth, 13)
      const copies = Array.from({ length: count }, () => series[0])
      expect(effectiveTrials(count, meanPairwiseCorrelation(copies))).toBeCloseTo(1, 10)
      expect(effectiveTrials(count, truth)).toBeLessThanOrEqual(count)
    }),
    { numRuns: 60 },
  )
})
