import { expect, test } from 'bun:test'
import { legSize } from '../../../src/backtest/portfolio/legs.ts'

// design/backtest.md, section 2: k = max(1, floor(quantile * n + 1e-9)); if n < 2, or long_short and 2k > n, floor(n / 2).
test('a leg holds the quantile of the names, rounded down, and at least one', () => {
  expect(0.29 * 100).toBeLessThan(29)
  expect(legSize(100, 0.29, true)).toBe(29)
  expect(legSize(10, 0.3, true)).toBe(3)
  expect(legSize(19, 0.1, true)).toBe(1)
  expect(legSize(20, 0.1, true)).toBe(2)
  expect(legSize(3, 0.01, true)).toBe(1)
})

test('two legs never overlap, and one name alone forms no leg', () => {
  expect([10, 11, 3, 2].map(n => legSize(n, 0.5, true))).toEqual([5, 5, 1, 1])
  // Three of five names in each leg, or two of three, would share one.
  expect([legSize(5, 0.6, true), legSize(3, 0.67, true), legSize(5, 0.6, false)]).toEqual([2, 1, 3])
  expect([1, 0].map(n => legSize(n, 0.5, true))).toEqual([0, 0])
  expect(legSize(1, 0.5, false)).toBe(0)
})
