import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  forwardReturns,
  minAbsentTradingDays,
  type PricedSecurity,
  returnStates,
} from '../../src/backtest/forwardReturns.ts'

const settings = { horizons: [1], entryLag: 0, assumedDelistingReturn: -0.3 }
const days = (first: number, count: number) => Int32Array.from({ length: count }, (_, at) => first + at)

function single(
  security: PricedSecurity,
  tradingDays: Int32Array,
  date: number,
  horizon: number,
  entryLag = 0,
) {
  const [found] = forwardReturns(security, tradingDays, Int32Array.of(date), {
    ...settings,
    horizons: [horizon],
    entryLag,
  })
  return {
    value: found.returns[0],
    before: found.beforeAssumption[0],
    state: returnStates[found.states[0]],
    carried: found.isCarried[0] === 1,
  }
}

describe('forward returns', () => {
  test('Apple over its split of 2020-08-31, 4-for-1: 499.23 to 129.04 is a gain of 3.39%', () => {
    // Closes as traded: Nasdaq, 2020-08-28 and 2020-08-31.
    const security = {
      days: Int32Array.of(18502, 18505),
      closes: Float64Array.of(499.23, 129.04),
      splitFactors: Float64Array.of(1, 4),
    }
    const { value, state } = single(security, security.days, 18502, 1)
    expect(value).toBeCloseTo((129.04 * 4) / 499.23 - 1, 14)
    expect(state).toBe('closes')
  })

  test('a dividend is in the shares after the split of its day', () => {
    const security = {
      days: days(0, 3),
      closes: Float64Array.of(100, 48, 60),
      splitFactors: Float64Array.of(1, 2, 1),
      dividends: Float64Array.of(0, 1, 0),
    }
    // One share becomes two, each pays 1 and is worth 48: 98. Reinvested, these are 98 / 48 shares.
    expect(single(security, security.days, 0, 1).value).toBeCloseTo(-0.02, 14)
    expect(single(security, security.days, 0, 2).value).toBeCloseTo((98 / 48) * 0.6 - 1, 14)
  })

  test('the date of a weekend enters at the next trading day, and a lag at the one after', () => {
    const tradingDays = Int32Array.of(1, 4, 5, 6, 7)
    const security = { days: tradingDays, closes: Float64Array.of(10, 11, 12, 15, 30) }
    expect(single(security, tradingDays, 2, 1).value).toBeCloseTo(12 / 11 - 1, 14)
    expect(single(security, tradingDays, 1, 1).value).toBeCloseTo(11 / 10 - 1, 14)
    expect(single(security, tradingDays, 1, 2, 1).value).toBeCloseTo(15 / 11 - 1, 14)
    expect(single(security, tradingDays, 6, 2)).toMatchObject({ value: Number.NaN, state: 'pending' })
    expect(single(security, tradingDays, 9, 1).state).toBe('pending')
  })

  test('a stated delisting return follows the last close, on its day or later', () => {
    const tradingDays = days(0, 40)
    const sameDay = {
      days: days(0, 2),
      closes: Float64Array.of(10, 8),
      delistingReturns: Float64Array.of(Number.NaN, -0.5),
    }
    expect(single(sameDay, tradingDays, 0, 1)).toMatchObject({
      value: expect.closeTo(-0.6, 12),
      state: 'stated_delisting',
    })
    // Who buys at the last close gets its delisting return as well.
    expect(single(sameDay, tradingDays, 1, 1).value).toBeCloseTo(-0.5, 12)
    const later = {
      days: Int32Array.of(0, 1, 4),
      closes: Float64Array.of(10, 8, Number.NaN),
      delistingReturns: Float64Array.of(Number.NaN, Number.NaN, 0.25),
    }
    expect(single(later, tradingDays, 0, 2)).toMatchObject({ value: expect.closeTo(-0.2, 12), carried: true })
    expect(single(later, tradingDays, 0, 4)).toMatchObject({
      value: expect.closeTo(0, 12),
      state: 'stated_delisting',
    })
  })

  test('prices that end without a word use the assumption, once enough days have passed', () => {
    const security = { days: days(0, 2), closes: Float64Array.of(10, 8) }
    const long = days(0, 2 + minAbsentTradingDays)
    expect(single(security, long, 0, 3)).toMatchObject({
      value: expect.closeTo(0.8 * 0.7 - 1, 12),
      before: expect.closeTo(-0.2, 12),
      state: 'assumed_delisting',
    })
    expect(single(security, long.slice(0, -1), 0, 3)).toMatchObject({ value: Number.NaN, state: 'pending' })
  })

  test('a gap is bridged by the close before it', () => {
    const security = { days: Int32Array.of(0, 3), closes: Float64Array.of(10, 20) }
    expect(single(security, days(0, 4), 0, 2)).toMatchObject({ value: 0, state: 'closes', carried: true })
    expect(single(security, days(0, 4), 1, 1).state).toBe('no_entry')
  })

  test('equals a loop that holds one share day by day', () => {
    const row = fc.record({
      gap: fc.constantFrom(1, 1, 1, 2),
      close: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 100, max: 90_000 }).map(cents => cents / 100) },
        { weight: 1, arbitrary: fc.constant(Number.NaN) },
      ),
      split: fc.constantFrom(1, 1, 1, 2, 0.1, 1.5),
      dividend: fc.constantFrom(0, 0, 0, 0.25, 3),
    })
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 2, maxLength: 40 }),
        fc.constantFrom(Number.NaN, -1, -0.4, 0.1),
        (rows, delisting) => {
          let day = 0
          const placed = rows.map(one => {
            day += one.gap
            return { ...one, day }
          })
          const delistingReturns = new Float64Array(rows.length).fill(Number.NaN)
          delistingReturns[rows.length - 1] = delisting
          const security = {
            days: Int32Array.from(placed, one => one.day),
            closes: Float64Array.from(placed, one => one.close),
            splitFactors: Float64Array.from(placed, one => one.split),
            dividends: Float64Array.from(placed, one => one.dividend),
            delistingReturns,
          }
          const tradingDays = days(0, day + 30)
          const found = forwardReturns(security, tradingDays, days(0, day), {
            horizons: [1, 5, 12],
            entryLag: 0,
            assumedDelistingReturn: -0.3,
          })
          for (const { horizon, returns } of found)
            for (let date = 0; date < day; date++) {
              const expected = heldByHand(placed, delisting, date, date + horizon)
              if (expected === null) expect(returns[date]).toBeNaN()
              else
                expect(Math.abs(returns[date] - expected)).toBeLessThan(
                  1e-12 * Math.max(1, Math.abs(expected)),
                )
            }
        },
      ),
      { numRuns: 300 },
    )
  })
})

interface Row {
  readonly day: number
  readonly close: number
  readonly split: number
  readonly dividend: number
}

/** Buys one share at the close of `from` and walks through every day to `to`. */
function heldByHand(rows: readonly Row[], delisting: number, from: number, to: number): number | null {
  const entry = rows.find(({ day }) => day === from)
  if (entry === undefined || Number.isNaN(entry.close)) return null
  const last = rows[rows.length - 1]
  const lastClose = rows.findLast(({ close }) => !Number.isNaN(close))
  let shares = 1
  let cash = 0
  let price = entry.close
  for (let today = from + 1; today <= to; today++) {
    const row = rows.find(({ day }) => day === today)
    if (row === undefined) continue
    // Without a close, the price of the day before is the price of a new share.
    shares *= row.split
    price /= row.split
    cash += shares * row.dividend
    if (Number.isNaN(row.close)) continue
    price = row.close
    shares += cash / price
    cash = 0
  }
  let worth = shares * price + cash
  if (!Number.isNaN(delisting) && last.day <= to) worth *= 1 + delisting
  else if (Number.isNaN(delisting) && lastClose !== undefined && lastClose.day < to) worth *= 0.7
  return worth / entry.close - 1
}
