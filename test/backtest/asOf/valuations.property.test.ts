import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type FigureOfRows, valueRows } from '../../../src/backtest/asOf/valuations.ts'
import { findPriced } from '../../../src/markets/strategies/pricedMetrics.ts'
import type { PriceBasis, PriceColumns } from '../../../src/prices/priceSeries.ts'

const capitalisation = findPriced('market_cap')
if (capitalisation === undefined) throw new Error('market_cap is a valuation')

const units = { shares: 1, currency: 2, pure: 3 }

/** One row that shows the count of a day, filed on another day. */
function countOf(value: number, end: number, filed: number): FigureOfRows {
  const events = {
    starts: Int32Array.of(0, 1),
    days: Int32Array.of(filed),
    values: Float64Array.of(value),
    ends: Int32Array.of(end),
    filed: Int32Array.of(filed),
    units: Int16Array.of(units.shares),
    text: new Uint8Array(),
    textStarts: new Int32Array(2),
  }
  return { events, positions: Int32Array.of(0) }
}

function valuedAt(
  count: FigureOfRows,
  securities: readonly PriceColumns[],
  lastDay: number,
  basis: PriceBasis = 'raw',
): number | null {
  const rows = { count: 1, companyOfRow: () => 0, lastDays: Int32Array.of(lastDay) }
  const prices = { set: { basis, statesSplits: true }, securities: [securities], units }
  const figures = new Map([['shares_outstanding', count]])
  if (capitalisation === undefined) return null
  const { events, positions } = valueRows(capitalisation, rows, figures, prices)
  return positions[0] === -1 ? null : events.values[positions[0]]
}

const lastOfSeries = 400

/** A company that is always worth 1,000,000 and only splits its shares: whatever is read, any value but that is a mixed basis. */
const worth = 1_000_000

const histories = fc.record({
  first: fc.integer({ min: 0, max: 60 }),
  splits: fc.array(
    fc.record({
      day: fc.integer({ min: 1, max: lastOfSeries }),
      factor: fc.constantFrom(2, 4, 8, 0.5, 0.25),
    }),
    { maxLength: 5 },
  ),
  /** Days without a price. */
  gaps: fc.array(fc.integer({ min: 0, max: lastOfSeries }), { maxLength: 12 }),
  counted: fc.integer({ min: 0, max: lastOfSeries }),
  /** Days from the count to its filing. */
  lag: fc.integer({ min: 0, max: 60 }),
  read: fc.integer({ min: 0, max: lastOfSeries + 15 }),
  basis: fc.constantFrom<PriceBasis>('raw', 'split_adjusted'),
})

test('a count and a price never meet on different bases of splits', () => {
  let [found, across] = [0, 0]
  fc.assert(
    fc.property(histories, ({ first, splits, gaps, counted, lag, read, basis }) => {
      const factorOn = new Map(splits.map(({ day, factor }) => [day, factor]))
      // Shares on each day, counted with a plain loop.
      const shares = [1_024]
      for (let day = 1; day <= lastOfSeries; day++) shares[day] = shares[day - 1] * (factorOn.get(day) ?? 1)
      const days: number[] = []
      for (let day = first; day <= lastOfSeries; day++)
        if (!gaps.includes(day) || factorOn.has(day)) days.push(day)
      const security = {
        days: Int32Array.from(days),
        knownDays: Int32Array.from(days),
        closes: Float64Array.from(days, day => worth / shares[basis === 'raw' ? day : lastOfSeries]),
        splitFactors: Float64Array.from(days, day => factorOn.get(day) ?? 1),
        basisDays: new Int32Array(days.length).fill(lastOfSeries),
      }
      const filed = counted + lag
      if (filed > read) return
      const value = valuedAt(countOf(shares[counted], counted, filed), [security], read, basis)
      const priceDay = days.findLast(day => day <= read && day >= read - 10)
      const isAmbiguous =
        priceDay !== undefined &&
        splits.some(({ day }) => day > Math.min(counted, priceDay) && day <= filed && day <= read)
      if (priceDay === undefined || isAmbiguous || days[0] > counted) expect(value).toBeNull()
      else {
        expect(value).toBe(worth)
        found++
        if (shares[counted] !== shares[priceDay]) across++
      }
    }),
    { numRuns: 4_000 },
  )
  expect(found).toBeGreaterThan(500)
  expect(across).toBeGreaterThan(100)
})

test('prices of two securities of a company give no value, since a count does not say how many shares each has', () => {
  const security = {
    days: Int32Array.of(0, 1),
    knownDays: Int32Array.of(0, 1),
    closes: Float64Array.of(5, 6),
    splitFactors: Float64Array.of(1, 1),
    basisDays: Int32Array.of(1, 1),
  }
  const ended = { ...security, closes: Float64Array.of(Number.NaN, Number.NaN) }
  expect(valuedAt(countOf(10, 0, 0), [security], 1)).toBe(60)
  expect(valuedAt(countOf(10, 0, 0), [security, ended], 1)).toBe(60)
  expect(valuedAt(countOf(10, 0, 0), [security, security], 1)).toBeNull()
})

test('a price or a split that became known later is not seen', () => {
  const security = {
    days: Int32Array.of(0, 1, 2),
    knownDays: Int32Array.of(0, 9, 2),
    closes: Float64Array.of(5, 7, 3),
    splitFactors: Float64Array.of(1, 1, 2),
    basisDays: Int32Array.of(2, 2, 2),
  }
  expect(valuedAt(countOf(10, 0, 0), [security], 1)).toBe(50)
  expect(valuedAt(countOf(10, 0, 0), [security], 2)).toBe(60)
})

test('a value is known from the day on which the last split that it rests on became known', () => {
  const rows = { count: 1, companyOfRow: () => 0, lastDays: Int32Array.of(9) }
  const knownOf = (knownDays: readonly number[], factors: readonly number[]) => {
    const security = {
      days: Int32Array.of(0, 1, 1, 2),
      knownDays: Int32Array.from(knownDays),
      closes: Float64Array.of(8, 4, 4, 4),
      splitFactors: Float64Array.from(factors),
      basisDays: new Int32Array(4).fill(2),
    }
    const prices = { set: { basis: 'raw' as const, statesSplits: true }, securities: [[security]], units }
    const counts = new Map([['shares_outstanding', countOf(10, 0, 0)]])
    if (capitalisation === undefined) return null
    const { events } = valueRows(capitalisation, rows, counts, prices)
    return [events.values[0], events.filed[0]]
  }
  // A correction of day 7 states the split of day 1, another withdraws it, and a third only repeats it.
  expect(knownOf([0, 1, 7, 2], [1, 1, 2, 1])).toEqual([80, 7])
  expect(knownOf([0, 1, 7, 2], [1, 2, 1, 1])).toEqual([40, 7])
  expect(knownOf([0, 1, 7, 2], [1, 2, 2, 1])).toEqual([80, 2])
})

test('a day that only a later import added does not show that there was no split before the first known price', () => {
  // The rows of days 0 and 3 became known on day 90, so on day 5 nobody knew of the split between the count and the price.
  const security = {
    days: Int32Array.of(0, 3, 5),
    knownDays: Int32Array.of(90, 90, 5),
    closes: Float64Array.of(8, 2, 2),
    splitFactors: Float64Array.of(1, 4, 1),
    basisDays: Int32Array.of(5, 5, 5),
  }
  expect(valuedAt(countOf(10, 2, 2), [security], 5)).toBeNull()
  expect(valuedAt(countOf(10, 2, 2), [{ ...security, knownDays: Int32Array.of(0, 3, 5) }], 5)).toBe(80)
})
