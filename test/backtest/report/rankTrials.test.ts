import { expect, test } from 'bun:test'
import { rankTrials } from '../../../src/backtest/report/trials.ts'

const trial = (label: string, sharpe: number | null, avg_turnover: number) => ({
  label,
  sharpe,
  cagr: 0.1,
  max_drawdown: -0.1,
  avg_turnover,
})
const ordered = (trials: ReturnType<typeof trial>[], winner: string) =>
  rankTrials({ trials, best: { label: winner } }).map(({ label }) => label)

test('the winner stands first also where others have the same Sharpe ratio and come before it in the grid', () => {
  const trials = [trial('a', 1, 0.5), trial('b', 2, 0.4), trial('c', 2, 0.3), trial('d', null, 0)]
  expect(ordered(trials, 'c')).toEqual(['c', 'b', 'a', 'd'])
})

test('of trials none of which has a Sharpe ratio, too', () => {
  const trials = [trial('a', null, 0.5), trial('b', null, 0.1), trial('c', null, 0.3)]
  expect(ordered(trials, 'b')).toEqual(['b', 'c', 'a'])
})
