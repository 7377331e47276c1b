import { describe, expect, test } from 'bun:test'
import { rankTrials, sweepSurfaces } from '../../../src/backtest/report/trials.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { madeTrials } from './fixtures.ts'

describe('rankTrials', () => {
  const trial = (label: string, sharpe: number | null, avg_turnover: number) => ({
    label,
    sharpe: 0,
    judged_sharpe: sharpe,
    benchmark: 'universe' as const,
    cagr: 0.1,
    max_drawdown: -0.1,
    avg_turnover,
  })
  const ranked = (trials: ReturnType<typeof trial>[], winner: string) =>
    rankTrials({ trials, best: { label: winner } }).map(({ label }) => label)

  test('puts the winner first, also where others with the same Sharpe ratio precede it in the grid', () => {
    const trials = [trial('a', 1, 0.5), trial('b', 2, 0.4), trial('c', 2, 0.3), trial('d', null, 0)]
    expect(ranked(trials, 'c')).toEqual(['c', 'b', 'a', 'd'])
  })

  test('does so among trials without a Sharpe ratio, too', () => {
    const trials = [trial('a', null, 0.5), trial('b', null, 0.1), trial('c', null, 0.3)]
    expect(ranked(trials, 'b')).toEqual(['b', 'c', 'a'])
  })
})

test('every trial is in one cell of the surfaces, quantiles and holding days ascend', () => {
  const trials = madeTrials()
  const surfaces = sweepSurfaces(trials.toReversed())
  expect(surfaces.map(({ weighting }) => weighting).sort()).toEqual(['equal', 'rank', 'score'])
  for (const surface of surfaces) {
    expect(surface.direction).toBe('long_short')
    expect(surface.quantiles).toEqual([0.05, 0.1, 0.2, 0.3])
    expect(surface.holds).toEqual([1, 5, 10, 21])
    for (const [place, trial] of nonEmpty(surface.cells)) {
      const [quantile, hold] = place.split(' ')
      expect(trial.label).toBe(`long_short q${quantile} ${surface.weighting} h${hold}`)
    }
  }
  expect(surfaces.reduce((sum, surface) => sum + surface.cells.size, 0)).toBe(trials.length)
})
