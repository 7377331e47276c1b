import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { periodCapacity } from '../../../src/backtest/statistics/capacity.ts'

const capacityOf = (trades: readonly (readonly [size: number, volume: number])[], participation: number) =>
  periodCapacity(
    Float64Array.from(trades, ([size]) => size),
    Float64Array.from(trades, ([, volume]) => volume),
    participation,
  )

test('capacity leaves out at most 5% of the traded weight; the strict one leaves out nothing', () => {
  // At 1% of volume the trades allow a capital of 10, 100, 1,000 and 10,000.
  const trades = [
    [0.04, 40],
    [0.06, 600],
    [0.4, 40_000],
    [0.5, 500_000],
  ] as const
  // 0.04 is at most 0.05 of 1, so the capacity is 100. Adding 0.06 to 0.04 would exceed it.
  expect(capacityOf(trades, 0.01)).toEqual({
    capital: expect.closeTo(100, 9),
    strict: expect.closeTo(10, 9),
    traded: expect.closeTo(1, 12),
    tradedWithoutVolume: 0,
  })
  expect(capacityOf(trades, 0.1)?.capital).toBeCloseTo(1_000, 8)
})

test('one of twenty equal trades is 5% of them, and one of nineteen is more', () => {
  const equal = (count: number) =>
    capacityOf(
      Array.from({ length: count }, (_, i) => [1 / count, i === 0 ? 0 : 100]),
      0.01,
    )
  expect(equal(20)?.capital).toBeCloseTo(20, 10)
  expect(equal(19)?.capital).toBe(0)
  expect(equal(20)?.strict).toBe(0)
})

test('a trade without a volume allows no capital', () => {
  for (const volume of [0, Number.NaN])
    expect(
      capacityOf(
        [
          [0.5, 100],
          [0.5, volume],
        ],
        1,
      ),
    ).toEqual({
      capital: 0,
      strict: 0,
      traded: 1,
      tradedWithoutVolume: 0.5,
    })
})

test('a period without trades has no capacity', () => {
  expect(capacityOf([], 0.01)).toBeNull()
})

test('capacity is the largest capital of any trade at which 95% of the weight is within the limit', () => {
  const trade = fc.tuple(
    fc.integer({ min: 1, max: 60 }).map(size => size / 128),
    fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 9 }).map(v => 2 ** v) }, fc.constant(0)),
  )
  fc.assert(
    fc.property(fc.array(trade, { minLength: 1, maxLength: 40 }), trades => {
      const total = trades.reduce((sum, [size]) => sum + size, 0)
      const allowed = trades.map(([size, volume]) => (0.5 * volume) / size)
      const within = (capital: number) =>
        trades.reduce((sum, [size], i) => sum + (allowed[i] >= capital ? size : 0), 0) >= 0.95 * total - 1e-9
      const own = capacityOf(trades, 0.5)
      expect(own?.capital).toBe(Math.max(...allowed.filter(within)))
      expect(own?.strict).toBe(Math.min(...allowed))
    }),
    { numRuns: 1_000 },
  )
})
