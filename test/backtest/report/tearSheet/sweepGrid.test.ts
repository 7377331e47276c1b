import { expect, test } from 'bun:test'
import { sweepGrid } from '../../../../src/backtest/report/tearSheet/sweep.ts'
import { madeTrials } from '../fixtures.ts'

test('every trial stands once in its cell, quantiles and holdings rise', () => {
  const trials = madeTrials()
  const surfaces = sweepGrid(trials.toReversed())
  expect(surfaces.map(({ weighting }) => weighting).sort()).toEqual(['equal', 'rank', 'score'])
  for (const surface of surfaces) {
    expect(surface.direction).toBe('long_short')
    expect(surface.quantiles).toEqual([0.05, 0.1, 0.2, 0.3])
    expect(surface.holds).toEqual([1, 5, 10, 21])
    for (const [place, trial] of surface.cells) {
      const [quantile, hold] = place.split(' ')
      expect(trial.label).toBe(`long_short q${quantile} ${surface.weighting} h${hold}`)
    }
  }
  expect(surfaces.reduce((sum, surface) => sum + surface.cells.size, 0)).toBe(trials.length)
})
