import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildEvents } from '../../../src/backtest/asOf/figureEvents.ts'
import { neverEnds, vintageBytes } from '../../../src/backtest/asOf/packedVintages.ts'
import { findPositions, none } from '../../../src/backtest/asOf/positions.ts'
import type { VintageChoice } from '../../../src/backtest/requestCompare.ts'

interface Vintage {
  readonly company: number
  readonly filed: number
  readonly until: number
  readonly end: number
  readonly rank: number
  /** Negative: its state is left out. */
  readonly unit: number
  readonly value: number
}

interface World {
  readonly vintages: readonly Vintage[]
  readonly dates: readonly number[]
}

const companies = 3
const firstEntity = 4_096

/** Filings of one period, of which each ends the one before; several may be of one day. The last may withdraw the figure. */
const period = fc.record({
  company: fc.nat(companies - 1),
  // Two periods may end on one day, or be the same: then both have vintages of their own.
  end: fc.integer({ min: -2, max: 4 }).map(year => 90 * year),
  rank: fc.constantFrom(0, 0, 4, 5),
  lags: fc.array(fc.constantFrom(0, 0, 1, 2, 30, 60, 90, 200), { minLength: 1, maxLength: 5 }),
  isWithdrawn: fc.integer({ min: 0, max: 4 }).map(chance => chance === 0),
  units: fc.array(fc.constantFrom(3, 3, 3, ~3), { minLength: 5, maxLength: 5 }),
})

const world = fc
  .record({
    periods: fc.array(period, { minLength: 1, maxLength: 14 }),
    dates: fc.uniqueArray(fc.integer({ min: -200, max: 700 }), { minLength: 20, maxLength: 60 }),
    order: fc.array(fc.nat(), { minLength: 80, maxLength: 80 }),
  })
  .map(({ periods, dates, order }): World => {
    const vintages: Vintage[] = []
    for (const { company, end, rank, lags, isWithdrawn, units } of periods) {
      const days: number[] = []
      for (const lag of lags) days.push((days.at(-1) ?? end) + lag)
      const stated = isWithdrawn ? days.slice(0, -1) : days
      stated.forEach((filed, i) => {
        // Each value occurs once, so it identifies its vintage.
        const value = vintages.length + 1
        vintages.push({ company, filed, until: days[i + 1] ?? neverEnds, end, rank, unit: units[i], value })
      })
    }
    const shuffled = vintages.map((vintage, i) => ({ vintage, at: order[i % order.length] }))
    shuffled.sort((a, b) => a.at - b.at)
    return { vintages: shuffled.map(({ vintage }) => vintage), dates: dates.toSorted((a, b) => a - b) }
  })

function packed(vintages: readonly Vintage[]): Uint8Array {
  const rows = Buffer.alloc(vintageBytes * vintages.length)
  vintages.forEach(({ company, filed, until, end, rank, unit, value }, i) => {
    const at = vintageBytes * i
    rows.writeInt32BE(firstEntity + company, at)
    rows.writeInt32BE(filed, at + 4)
    rows.writeInt32BE(until, at + 8)
    rows.writeInt32BE(end, at + 12)
    rows.writeInt16BE(rank, at + 16)
    rows.writeInt16BE(unit, at + 18)
    rows.writeDoubleBE(value, at + 20)
  })
  return rows
}

/** The value of each company on each date, by the code that serves; null: none. */
function served({ vintages, dates }: World, choice: VintageChoice, daysEarly = 0): (number | null)[] {
  const built = buildEvents({ firstEntity, companies, rows: packed(vintages), choice })
  const events = { ...built, days: built.days.map(day => day - daysEarly) }
  const rows = {
    count: companies * dates.length,
    day: Int32Array.from({ length: companies * dates.length }, (_, i) => dates[Math.floor(i / companies)]),
    name: Int32Array.from({ length: companies * dates.length }, (_, i) => i % companies),
  }
  const found = findPositions(rows, Int32Array.from([0, 1, 2]), events, {
    inclusive: false,
    maxAgeDays: null,
  })
  return [...found].map(at => (at === none ? null : events.values[at]))
}

/** The definition, date by date and company by company.
 *
 * @param pick the vintage of one period that counts on a date, if any */
function defined(
  { vintages, dates }: World,
  pick: (ofPeriod: Vintage[], date: number) => Vintage | undefined,
) {
  return dates.flatMap(date =>
    Array.from({ length: companies }, (_, company) => {
      const own = vintages.filter(vintage => vintage.company === company)
      let best: Vintage | undefined
      for (const { end, rank } of own) {
        const found = pick(
          own.filter(other => other.end === end && other.rank === rank),
          date,
        )
        if (found === undefined) continue
        if (best === undefined || end > best.end || (end === best.end && rank > best.rank)) best = found
      }
      return best === undefined || best.unit < 0 ? null : best.value
    }),
  )
}

const highest = (vintages: Vintage[]) => vintages.toSorted((a, b) => b.value - a.value)[0]

const firstFiled = (of: World) =>
  defined(of, (ofPeriod, date) => {
    // A vintage that another one of the same day replaced was never current.
    const current = ofPeriod.filter(({ filed, until }) => filed < until)
    const firstDay = Math.min(...current.map(({ filed }) => filed))
    return firstDay < date ? highest(current.filter(({ filed }) => filed === firstDay)) : undefined
  })

const final = (of: World) =>
  defined(of, (ofPeriod, date) => {
    const onRecord = ofPeriod.filter(({ until }) => until === neverEnds)
    const lastDay = Math.max(...onRecord.map(({ filed }) => filed))
    return ofPeriod[0].end < date ? highest(onRecord.filter(({ filed }) => filed === lastDay)) : undefined
  })

const asKnown = (of: World) =>
  defined(of, (ofPeriod, date) => {
    const current = ofPeriod.filter(({ filed, until }) => filed < date && until >= date)
    const lastDay = Math.max(...current.map(({ filed }) => filed))
    return highest(current.filter(({ filed }) => filed === lastDay))
  })

const runs = { numRuns: 400 }

describe('vintages as first filed', () => {
  test('are those of the definition', () => {
    let figures = 0
    let others = 0
    fc.assert(
      fc.property(world, of => {
        const values = served(of, 'first_filed')
        const known = served(of, 'as_known')
        figures += values.filter(value => value !== null).length
        others += values.filter((value, i) => value !== known[i]).length
        expect(values).toEqual(firstFiled(of))
      }),
      runs,
    )
    expect(figures).toBeGreaterThan(1_000)
    expect(others).toBeGreaterThan(1_000)
  })

  const isFiledBefore = ({ vintages, dates }: World, values: readonly (number | null)[]) =>
    values.every((value, i) => {
      const vintage = vintages.find(one => one.value === value)
      return value === null || (vintage !== undefined && vintage.filed < dates[Math.floor(i / companies)])
    })

  test('never show a value that was filed on the date or later', () => {
    fc.assert(
      fc.property(world, of => expect(isFiledBefore(of, served(of, 'first_filed'))).toBe(true)),
      runs,
    )
    // The property sees figures that count a day too early, and final figures.
    const early = fc.check(
      fc.property(world, of => isFiledBefore(of, served(of, 'first_filed', 1))),
      runs,
    )
    const looksAhead = fc.check(
      fc.property(world, of => isFiledBefore(of, served(of, 'final'))),
      runs,
    )
    expect([early.failed, looksAhead.failed]).toEqual([true, true])
  })
})

test('final vintages are those of the definition', () => {
  let ahead = 0
  fc.assert(
    fc.property(world, of => {
      const values = served(of, 'final')
      values.forEach((value, i) => {
        const vintage = of.vintages.find(one => one.value === value)
        if (vintage !== undefined && vintage.filed >= of.dates[Math.floor(i / companies)]) ahead++
      })
      expect(values).toEqual(final(of))
    }),
    runs,
  )
  expect(ahead).toBeGreaterThan(1_000)
})

test('vintages as known are those of the definition, with and without the choice', () => {
  fc.assert(
    fc.property(world, of => {
      expect(served(of, 'as_known')).toEqual(asKnown(of))
      const rows = packed(of.vintages)
      const [chosen, plain] = [
        buildEvents({ firstEntity, companies, rows, choice: 'as_known' }),
        buildEvents({ firstEntity, companies, rows }),
      ]
      // NaN equals itself in an array, but not in a typed one.
      expect({ ...chosen, values: [...chosen.values] }).toEqual({ ...plain, values: [...plain.values] })
    }),
    runs,
  )
})
