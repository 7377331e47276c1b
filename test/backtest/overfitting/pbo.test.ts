import { expect, test } from 'bun:test'
import fc from 'fast-check'
import * as simple from 'simple-statistics'
import { pbo } from '../../../src/backtest/overfitting/pbo.ts'
import { sharpe } from '../../../src/backtest/statistics/sharpe.ts'
import { blockBounds } from '../../../src/backtest/walkforward/folds.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { anyTrialCount, noise } from './noise.ts'

/** The estimator as Bailey et al. (2017) write it down, choice by choice: it shares with the kernel only
 * the Sharpe ratio, which sharpe.test.ts compares with simple-statistics. */
function byDefinition(series: readonly Float64Array[], blocks: number): number {
  const bounds = blockBounds(series[0].length, blocks)
  const logits: number[] = []
  for (const chosen of nonEmpty(choices(blocks, blocks / 2))) {
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
        expect(pbo(series)).toBeCloseTo(byDefinition(series, blocks), 12)
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

test('equal trials share the mean of their ranks', () => {
  // Two copies above one that is worse everywhere rank (2 + 3) / 2 of 3, so omega is .625.
  const [good, bad] = [noise(1, 80, 9, () => 0.05)[0], noise(1, 80, 9, () => -0.05)[0]]
  expect(pbo([good, bad, good])).toBe(0)
})

test('a trial that does not vary ranks below all that do', () => {
  const still = new Float64Array(80)
  const [losing, worse] = noise(2, 80, 9, c => -0.05 * (c + 1))
  expect(pbo([still, losing, worse])).toBe(0)
  expect(pbo([worse, losing, still, still])).toBe(0)
})

test('is null with fewer than two trials or 20 periods', () => {
  expect(pbo(noise(1, 400, 1, () => 0))).toBeNull()
  expect(pbo(noise(5, 19, 1, () => 0))).toBeNull()
  expect(pbo([])).toBeNull()
})

// A panel of one name holds nothing (`still`), and records that are equal except for rounding leave nothing
// to choose.
test('is null where the trials leave nothing to choose', () => {
  const still = new Float64Array(80)
  const [one] = noise(1, 80, 9, () => 0.05)
  expect(pbo([still, still, still])).toBeNull()
  expect(pbo([still, one])).toBeNull()
  expect(pbo([one, one.slice(), one.map(r => r + 1e-17), still])).toBeNull()
  expect(pbo([one, one.map(r => r + 1e-3)])).not.toBeNull()
})

test('does not depend on the scale of a trial or on the order of the trials', () => {
  fc.assert(
    fc.property(anyTrialCount, fc.integer({ min: 1, max: 1_000_000 }), (count, seed) => {
      const series = noise(count, 60, seed, c => c / 3000)
      const truth = pbo(series)
      expect(pbo([...series].reverse())).toBe(truth)
      expect(pbo(series.map((values, c) => values.map(r => r * 2 ** c)))).toBe(truth)
    }),
    { numRuns: 40 },
  )
})
