import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildDataset } from '../../../src/backtest/dataset/build.ts'
import { allocateBuckets, orderDate, scoreRange } from '../../../src/backtest/dataset/order.ts'
import { rankDataset } from '../../../src/backtest/dataset/rank.ts'
import { legSize } from '../../../src/backtest/portfolio/legs.ts'
import { simulate } from '../../../src/backtest/portfolio/simulate.ts'
import { plainSettings } from '../rows.ts'

/** Expected orders come from JavaScript's own stable sort. */

const shapes: Record<string, (u: number, i: number) => number> = {
  even: u => u,
  bell: u => Math.log(u / (1 - u)),
  'one outlier': (u, i) => (i === 7 ? 1e12 : u),
  'outliers on both sides': (u, i) => (i % 50 === 0 ? (i % 100 === 0 ? 1e9 : -1e9) * u : u),
  'few values': u => Math.floor(u * 5),
  constant: () => 42,
  subnormal: u => u * 1e-310,
  extreme: u => (u - 0.5) * 2e300,
  heavy: u => Math.exp(40 * u),
}

const cross = fc.record({
  n: fc.oneof(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 60, max: 3000 })),
  seed: fc.integer({ min: 1, max: 1e9 }),
  shape: fc.constantFrom(...Object.keys(shapes)),
  quantile: fc.constantFrom(0.01, 0.1, 0.3, 0.5),
  missing: fc.constantFrom(0, 0, 0.2),
  offset: fc.constantFrom(0, 13),
})

const noCosts = { roundTripOfMarket: Float64Array.of(0), borrowPerPeriod: 0, periodsPerYear: 252 }

/** One date, with names in the order of their rows. */
function columnsOf(score: Float64Array, offset: number, n: number) {
  return {
    count: n,
    day: new Int32Array(n),
    asset: Int32Array.from({ length: n }, (_, i) => i),
    market: new Uint16Array(n),
    score: score.slice(offset, offset + n),
    forwardReturn: new Float64Array(n),
    assetNames: Array.from({ length: n }, (_, i) => `A${10_000 + i}`),
    marketNames: ['M'],
  }
}

test('orders a date, and picks its legs without ordering it, like a full sort, for any distribution', () => {
  fc.assert(
    fc.property(cross, ({ n, seed, shape, quantile, missing, offset }) => {
      let state = seed
      const uniform = () => {
        state = (state * 48_271) % 2_147_483_647
        return (state + 0.5) / 2_147_483_648
      }
      const score = Float64Array.from({ length: offset + n }, (_, i) =>
        uniform() < missing ? Number.NaN : shapes[shape](uniform(), i),
      )
      const rows = Array.from({ length: n }, (_, i) => offset + i).filter(row => !Number.isNaN(score[row]))
      fc.pre(rows.length >= 2)
      const truth = rows.sort((a, b) => score[a] - score[b])
      const range = { eligible: 0, min: 0, max: 0, sum: 0 }
      scoreRange(score, offset, offset + n, range)
      expect([range.eligible, range.min, range.max]).toEqual([
        truth.length,
        score[truth[0]],
        score[truth[truth.length - 1]],
      ])

      const scratch = allocateBuckets(n)
      const ordered = new Int32Array(n)
      orderDate(score, offset, offset + n, range, scratch, ordered)
      expect([...ordered.subarray(0, truth.length)]).toEqual(truth)

      const columns = columnsOf(score, offset, n)
      for (const longShort of [true, false]) {
        const settings = { ...plainSettings, quantile, longShort }
        const k = legSize(truth.length, quantile, longShort)
        const { dataset } = buildDataset(columns)
        if (!dataset) throw new Error('a cell is repeated')
        const { weight } = simulate(dataset, Int32Array.of(0), settings, noCosts, true)
        const expected = new Float64Array(n)
        const leg = longShort ? 0.5 / k : 1 / k
        if (longShort) for (const row of truth.slice(0, k)) expected[row - offset] = -leg
        for (const row of truth.slice(truth.length - k)) expected[row - offset] = leg
        expect(weight).toEqual(expected)
        expect(simulate(rankDataset(dataset), Int32Array.of(0), settings, noCosts, true).weight).toEqual(
          weight,
        )
      }
    }),
    { numRuns: 400 },
  )
})

test('orders a million rows that share one bucket in n log n', () => {
  const n = 1_000_000
  const score = Float64Array.from({ length: n }, (_, i) => ((i * 7_919) % n) * 1e-9)
  score[0] = 1e9
  const range = { eligible: 0, min: 0, max: 0, sum: 0 }
  scoreRange(score, 0, n, range)
  const ordered = new Int32Array(n)
  // A comparison of each with each would be 10^12 of them, which no test's time allows.
  orderDate(score, 0, n, range, allocateBuckets(n), ordered)
  const outOfOrder = ordered.findIndex((row, i) => i > 0 && score[ordered[i - 1]] > score[row])
  expect(outOfOrder).toBe(-1)
})
