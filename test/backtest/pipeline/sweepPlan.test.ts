import { expect, test } from 'bun:test'
import { resolveConfig } from '../../../src/backtest/pipeline/resolveConfig.ts'
import { cutSlices } from '../../../src/backtest/pipeline/sweepPlan.ts'

const configs = Array.from({ length: 1_000 }, (_, i) =>
  resolveConfig({ quantile: (Math.floor(i / 20) + 1) / 100, holdDays: (i % 20) + 1 }, 1, {
    medianGap: 1,
    meanCalendarGap: 1,
  }),
)

test('a thousand configurations make many slices, however few the names', () => {
  // Measured: a portfolio costs about 55 ns per period before it holds a name, 0.14 s for all of these.
  for (const names of [2, 5, 20, 100]) {
    expect(cutSlices(configs, 2_520, names).length).toBeGreaterThanOrEqual(8)
  }
})

test('every configuration is in one slice, whatever the size of the panel', () => {
  for (const [periods, names] of [
    [1, 1],
    [2_520, 5],
    [2_520, 1_000],
    [100_000, 20],
  ] as const) {
    const slices = cutSlices(configs, periods, names)
    expect(slices.flat().toSorted((a, b) => a - b)).toEqual(configs.map((_, i) => i))
    expect(slices.every(slice => slice.length > 0)).toBe(true)
  }
})
