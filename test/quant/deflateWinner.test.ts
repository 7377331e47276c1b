import { expect, test } from 'bun:test'
import { deflateWinner } from '../../src/quant/deflateWinner.ts'

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
