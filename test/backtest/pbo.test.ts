import { expect, test } from 'bun:test'
import fc from 'fast-check'
import * as simple from 'simple-statistics'
import { pbo } from '../../src/backtest/overfitting/pbo.ts'
import { effectiveTrials, meanPairwiseCorrelation } from '../../src/backtest/overfitting/winner.ts'
import { sharpe } from '../../src/backtest/statistics/sharpe.ts'
import { blockBounds } from '../../src/backtest/walkforward/folds.ts'

/** The estimator as Bailey et al. (2017) write it down, choice by choice: nothing is shared with the kernel but the
 * Sharpe ratio, which statistics.test.ts holds to simple-statistics. */
function byTheBook(series: readonly Float64Array[], blocks: number): number {
  const bounds = blockBounds(series[0].length, blocks)
  const logits: number[] = []
  for (const chosen of choices(blocks, blocks / 2)) {
    const pick = (values: Float64Array, wanted: boolean) =>
      Float64Array.from(
        bounds
          .slice(1)
          .flatMap((end, b) => (chosen.has(b) === wanted ? [...values.slice(bounds[b], end)] : [])),
      )
    const train = series.map(values => sharpe(pick(values, true), 1) ?? Number.NEGATIVE_INFINITY)
    const test = series.map(values => sharpe(pick(values, false), 1) ?? Number.NEGATIVE_INFINITY)
    const best = train.indexOf(Math.max(...train))
    const rank = test.filter(value => value < test[best]).length + 1
    const omega = rank / (series.length + 1)
    logits.push(Math.log(omega / (1 - omega)))
  }
  return logits.filter(logit => logit <= 0).length / logits.length
}

function choices(from: number, count: number): Set<number>[] {
  if (count === 0) return [new Set()]
  const found: Set<number>[] = []
  for (let last = count - 1; last < from; last++) {
    for (const rest of choices(last, count - 1)) found.push(new Set([...rest, last]))
  }
  return found
}

function noise(
  trials: number,
  periods: number,
  seed: number,
  drift: (trial: number) => number,
): Float64Array[] {
  let state = seed
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647 - 0.5
  }
  return Array.from({ length: trials }, (_, c) =>
    Float64Array.from({ length: periods }, () => (next() + next() + next()) / 50 + drift(c)),
  )
}

test('equals the definition, choice by choice, for every number of blocks', () => {
  for (const [periods, blocks] of [
    [20, 2],
    [39, 2],
    [47, 4],
    [83, 8],
    [125, 12],
  ]) {
    for (const trials of [2, 3, 5, 6, 7]) {
      for (const seed of [1, 2, 3]) {
        const series = noise(trials, periods, seed, c => c / 4000)
        expect(pbo(series)).toBeCloseTo(byTheBook(series, blocks), 12)
      }
    }
  }
  expect(choices(16, 8).length).toBe(12_870)
})

test('a trial that is better everywhere is no overfit, and the best of pure noise is about one half', () => {
  expect(pbo(noise(20, 400, 5, c => (c === 7 ? 0.05 : 0)))).toBe(0)
  const shares = [11, 12, 13, 14, 15, 16, 17, 18].map(seed => pbo(noise(30, 800, seed, () => 0)) ?? 0)
  expect(simple.mean(shares)).toBeGreaterThan(0.3)
  expect(simple.mean(shares)).toBeLessThan(0.7)
})

// Of M equal trials each has the mean rank (M + 1) / 2: omega is 1/2, its logit 0, and that counts as the lower half.
test('equal trials share the mean of their ranks', () => {
  for (const count of [2, 3, 4, 7]) {
    const copies = Array.from({ length: count }, () => noise(1, 80, 9, () => 0)[0])
    expect(pbo(copies)).toBe(1)
  }
  // Two copies above one that is worse everywhere rank (2 + 3) / 2 of 3, so omega is .625.
  const [good, bad] = [noise(1, 80, 9, () => 0.05)[0], noise(1, 80, 9, () => -0.05)[0]]
  expect(pbo([good, bad, good])).toBe(0)
})

test('a trial that does not move is worse than all that do', () => {
  const still = new Float64Array(80)
  const [losing] = noise(1, 80, 9, () => -0.05)
  expect(pbo([still, losing])).toBe(0)
  expect(pbo([losing, still, still])).toBe(0)
})

test('is null where there is nothing to choose among, or too little to cut', () => {
  expect(pbo(noise(1, 400, 1, () => 0))).toBeNull()
  expect(pbo(noise(5, 19, 1, () => 0))).toBeNull()
  expect(pbo([])).toBeNull()
})

const trials = fc.integer({ min: 2, max: 8 })

test('does not see the scale of a trial, nor the order of the trials', () => {
  fc.assert(
    fc.property(trials, fc.integer({ min: 1, max: 1_000_000 }), (count, seed) => {
      const series = noise(count, 60, seed, c => c / 3000)
      const truth = pbo(series)
      expect(pbo([...series].reverse())).toBe(truth)
      expect(pbo(series.map((values, c) => values.map(r => r * 2 ** c)))).toBe(truth)
    }),
    { numRuns: 40 },
  )
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
    fc.property(trials, fc.integer({ min: 1, max: 1_000_000 }), (count, seed) => {
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
