import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rankDataset } from '../../src/backtest/dataset/rank.ts'
import type { BookSettings } from '../../src/backtest/portfolio/settings.ts'
import { datasetOf, plain, run } from './kernel.ts'
import { loopReference, type Row } from './loopReference.ts'

/** Expected values come from the loop reference beside this file, which extends ref_backtest.py. */

const bps = { '': 25, M0: 10, M1: 20, M2: 40 }
const borrow = 0.005 / 252

const settings: fc.Arbitrary<BookSettings> = fc.record({
  longShort: fc.boolean(),
  quantile: fc.constantFrom(0.01, 0.1, 0.3, 0.5),
  weighting: fc.constantFrom('equal', 'rank', 'score'),
  tranches: fc.constantFrom(1, 2, 5, 30),
  gross: fc.constantFrom(1, 2.5),
  neutralMarket: fc.boolean(),
  drift: fc.boolean(),
})

/** Few distinct scores, so ties are common; names come and go, change market, and lose scores and returns. */
const panel: fc.Arbitrary<Row[]> = fc.uniqueArray(
  fc.record({
    day: fc.integer({ min: 0, max: 14 }),
    asset: fc.integer({ min: 0, max: 11 }).map(i => `A${i}`),
    market: fc.constantFrom('', 'M0', 'M1', 'M2'),
    score: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: -3, max: 3 }).map(s => s / 2) },
      { weight: 3, arbitrary: fc.double({ min: -5, max: 5, noNaN: true }) },
      fc.constant(null),
    ),
    forwardReturn: fc.oneof(
      { weight: 5, arbitrary: fc.double({ min: -0.5, max: 0.5, noNaN: true }) },
      fc.constant(null),
    ),
  }),
  { selector: row => `${row.day} ${row.asset}`, minLength: 1, maxLength: 150 },
)

function expectEqual(rows: Row[], book: BookSettings, step: number) {
  const truth = loopReference(rows, book, step, bps, borrow)
  const data = datasetOf(rows)
  const ours = run(data, book, step, bps, borrow)
  expect(ours.series.net.length).toBe(truth.length)
  truth.forEach((period, t) => {
    expect(ours.series.gross[t]).toBeCloseTo(period.gross, 11)
    expect(ours.series.net[t]).toBeCloseTo(period.net, 11)
    expect(ours.series.turnover[t]).toBeCloseTo(period.turnover, 11)
    expect(ours.series.tradingCost[t]).toBeCloseTo(period.cost, 13)
    expect(ours.series.borrow[t]).toBeCloseTo(period.borrow, 13)
    expect(ours.series.universe[t]).toBeCloseTo(period.universe, 11)
    expect(ours.series.heldWithoutReturn[t]).toBe(period.heldWithoutReturn)
  })
  const last = truth[truth.length - 1].book
  expect([...ours.book.keys()].sort()).toEqual([...last.keys()].sort())
  for (const [asset, weight] of last) expect(ours.book.get(asset)).toBeCloseTo(weight, 11)
  expect(run(rankDataset(data), book, step, bps, borrow)).toEqual(ours)
}

test('equals the loop reference with ties, missing scores and returns, vanishing names, drift and neutral legs', () => {
  fc.assert(fc.property(panel, settings, fc.constantFrom(1, 2, 3), expectEqual), { numRuns: 600 })
})

const day = (d: number, cells: [string, number | null, number | null, string?][]): Row[] =>
  cells.map(([asset, score, forwardReturn, market]) => ({
    day: d,
    asset,
    market: market ?? 'M0',
    score,
    forwardReturn,
  }))

const cases: Record<string, Row[]> = {
  'one date': day(0, [
    ['A', 1, 0.1],
    ['B', 2, 0.2],
    ['C', 3, -0.1],
  ]),
  'one name': [...day(0, [['A', 1, 0.1]]), ...day(1, [['A', 2, 0.1]])],
  'two names': [
    ...day(0, [
      ['A', 1, 0.1],
      ['B', 2, 0.3],
    ]),
    ...day(1, [
      ['A', 5, 0.1],
      ['B', 2, 0.3],
    ]),
  ],
  'constant scores': [0, 1, 2].flatMap(d =>
    day(d, [
      ['D', 7, 0.1],
      ['A', 7, 0.2],
      ['C', 7, 0],
      ['B', 7, -0.1],
    ]),
  ),
  'no score anywhere': day(0, [
    ['A', null, 0.1],
    ['B', null, 0.2],
  ]),
  'no return anywhere': day(0, [
    ['A', 1, null],
    ['B', 2, null],
  ]),
  'a held name vanishes': [
    ...day(0, [
      ['A', 1, 0.1],
      ['B', 2, 0.2],
      ['C', 3, 0.3],
    ]),
    ...day(1, [
      ['A', 1, 0.1],
      ['B', 2, 0.2],
    ]),
  ],
  'a name changes its market while held': [
    ...day(0, [
      ['A', 1, 0.1, 'M0'],
      ['B', 2, 0.2, 'M1'],
    ]),
    ...day(1, [
      ['A', 2, 0.1, 'M2'],
      ['B', 1, 0.2, 'M1'],
    ]),
  ],
  'huge and tiny scores': day(0, [
    ['A', 1e300, 0.1],
    ['B', -1e300, 0.2],
    ['C', 5e-324, 0.1],
    ['D', 0, 0.2],
    ['E', -0, 0.3],
  ]),
  'a loss beyond the equity': [
    ...day(0, [
      ['A', 1, 9],
      ['B', 2, -1],
    ]),
    ...day(1, [
      ['A', 1, 0.1],
      ['B', 2, 0.1],
    ]),
  ],
}

for (const [name, rows] of Object.entries(cases)) {
  test(`equals the loop reference: ${name}`, () => {
    for (const weighting of ['equal', 'rank', 'score'] as const) {
      for (const longShort of [true, false]) {
        for (const neutralMarket of [true, false]) {
          for (const tranches of [1, 2]) {
            expectEqual(
              rows,
              { ...plain, weighting, longShort, neutralMarket, tranches, drift: tranches === 2 },
              1,
            )
          }
        }
      }
    }
  })
}

test('leaves no trace of the order of rows, to the bit', () => {
  fc.assert(
    fc.property(panel, settings, fc.infiniteStream(fc.nat()), (rows, book, keys) => {
      const shuffled = rows
        .map(row => ({ row, key: keys.next().value ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ row }) => row)
      expect(run(datasetOf(shuffled), book, 1, bps, borrow)).toEqual(
        run(datasetOf(rows), book, 1, bps, borrow),
      )
    }),
    { numRuns: 200 },
  )
})

test('does not change when scores are shifted or scaled', () => {
  fc.assert(
    fc.property(
      panel,
      settings,
      fc.constantFrom(0.25, 8),
      fc.constantFrom(-4, 16),
      (rows, book, scale, shift) => {
        const exact = rows.map(row => ({
          ...row,
          score: row.score === null ? null : Math.round(row.score * 8) / 8,
        }))
        const moved = exact.map(row => ({
          ...row,
          score: row.score === null ? null : row.score * scale + shift,
        }))
        const before = run(datasetOf(exact), book, 1, bps, borrow).series
        const after = run(datasetOf(moved), book, 1, bps, borrow).series
        for (const [t, net] of before.net.entries()) expect(after.net[t]).toBeCloseTo(net, 10)
      },
    ),
    { numRuns: 200 },
  )
})

test('equal and rank books depend on the order of scores only, to the bit', () => {
  fc.assert(
    fc.property(panel, settings, (rows, book) => {
      fc.pre(book.weighting !== 'score')
      const bent = rows.map(row => ({
        ...row,
        score: row.score === null ? null : Math.round(row.score * 8) ** 3,
      }))
      const flat = rows.map(row => ({ ...row, score: row.score === null ? null : Math.round(row.score * 8) }))
      expect(run(datasetOf(bent), book, 1, bps, borrow)).toEqual(run(datasetOf(flat), book, 1, bps, borrow))
    }),
    { numRuns: 200 },
  )
})

test('scales returns and costs with gross exposure', () => {
  fc.assert(
    fc.property(panel, settings, (rows, book) => {
      fc.pre(!book.drift)
      const one = run(datasetOf(rows), { ...book, gross: 1 }, 1, bps, borrow).series
      const four = run(datasetOf(rows), { ...book, gross: 4 }, 1, bps, borrow).series
      for (const [t, net] of one.net.entries()) expect(four.net[t]).toBeCloseTo(4 * net, 10)
    }),
    { numRuns: 100 },
  )
})

test('dearer markets never raise a net return', () => {
  fc.assert(
    fc.property(panel, settings, (rows, book) => {
      const cheap = run(datasetOf(rows), book, 1, bps, borrow).series
      const dear = run(datasetOf(rows), book, 1, { '': 50, M0: 50, M1: 50, M2: 50 }, 2 * borrow).series
      for (const [t, net] of cheap.net.entries()) expect(dear.net[t]).toBeLessThanOrEqual(net + 1e-15)
    }),
    { numRuns: 100 },
  )
})

test('returns after a date never change the book at that date', () => {
  fc.assert(
    fc.property(
      panel,
      settings,
      fc.integer({ min: 0, max: 14 }),
      fc.double({ min: -0.9, max: 2, noNaN: true }),
      (rows, book, day, r) => {
        const upTo = rows.filter(row => row.day <= day)
        fc.pre(upTo.length > 0)
        const other = upTo.map(row => (row.day === day ? { ...row, forwardReturn: r } : row))
        expect(run(datasetOf(other), book).book).toEqual(run(datasetOf(upTo), book).book)
        const later = rows.map(row =>
          row.day > day ? { ...row, forwardReturn: r, score: row.score === null ? 1 : null } : row,
        )
        const periods = new Set(upTo.map(row => row.day)).size
        const before = run(datasetOf(rows), book, 1, bps, borrow).series
        const after = run(datasetOf(later), book, 1, bps, borrow).series
        for (let t = 0; t < periods; t++) expect(after.net[t]).toBe(before.net[t])
      },
    ),
    { numRuns: 200 },
  )
})

test('a leg of one name weighs the same by every rule, to the bit', () => {
  const rows = Array.from({ length: 60 }, (_, t) =>
    day(
      t,
      Array.from({ length: 7 }, (_, i) => [`A${i}`, Math.sin(5 * i + t) / 3, Math.cos(3 * i + 2 * t) / 30]),
    ),
  ).flat()
  const data = datasetOf(rows)
  const one = { ...plain, quantile: 0.1, gross: 0.7, tranches: 3 }
  const equal = run(data, one, 1, bps, borrow)
  for (const weighting of ['rank', 'score'] as const)
    expect(run(data, { ...one, weighting }, 1, bps, borrow)).toEqual(equal)
})

// The kernel loads 32 periods at a time; a name that is absent when a new block begins still costs what it cost before.
test('a market that changed costs from then on, through absences and however long the record is', () => {
  const rows = Array.from({ length: 100 }, (_, t) =>
    day(
      t,
      Array.from({ length: 8 }, (_, i): [string, number, number, string] => [
        `A${i}`,
        Math.sin(5 * i + 1.3 * t),
        Math.cos(3 * i + 2 * t) / 30,
        ['M0', 'M1', 'M2'][Math.floor((t + 5 * i) / 9) % 3],
      ]).filter((_, i) => (t + i) % 4 !== 0 && !(t % 32 < 2 && i < 6)),
    ),
  ).flat()
  for (const tranches of [1, 3]) expectEqual(rows, { ...plain, tranches, drift: tranches === 3 }, 1)
})

test('score weights of scores near the smallest double are finite, and sum to the leg', () => {
  const rows = day(
    0,
    [-4, -3, -1, 1, 2, 5].map((units, i) => [`A${i}`, units * Number.MIN_VALUE, 0.1 * i]),
  )
  const { book } = run(datasetOf(rows), { ...plain, quantile: 0.5, weighting: 'score' })
  // Their mean, 0 / 6, is 0: 1 2 5 of 8 are bought, 4 3 1 of 8 sold.
  expect([...book.values()]).toEqual([-4, -3, -1, 1, 2, 5].map(units => units / 16))
})

test('score weights of constant scores are equal weights', () => {
  const rows = Array.from({ length: 40 }, (_, t) =>
    day(
      t,
      Array.from({ length: 9 }, (_, i) => [`A${i}`, 1, Math.cos(3 * i + 2 * t) / 30]),
    ),
  ).flat()
  for (const longShort of [true, false]) {
    const book: BookSettings = { ...plain, longShort, tranches: 2, weighting: 'score' }
    expectEqual(rows, book, 1)
    expect(run(datasetOf(rows), book).series.turnover[0]).toBeCloseTo(0.25, 14)
  }
})
