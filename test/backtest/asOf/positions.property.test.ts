import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findPositions, type JoinRule, none } from '../../../src/backtest/asOf/positions.ts'
import { rounds } from '../../rounds.ts'

/* The figure of a row is the last event of its company that is known on the row's day, whatever rows came before it. */

interface Event {
  readonly day: number
  /** NaN: nothing is known from this day on. */
  readonly value: number
  readonly end: number
}

interface Row {
  /** -1: an unknown company. */
  readonly company: number
  readonly day: number
  readonly ownDay: number
}

const [firstDay, lastDay] = [-0x8000_0000, 0x7fff_ffff]

/** Few days, so that events and rows often share one, and now and then the smallest and the largest. */
const anyDay = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: -8, max: 24 }) },
  { weight: 1, arbitrary: fc.constantFrom(firstDay, firstDay + 1, lastDay - 1, lastDay) },
)

const event: fc.Arbitrary<Event> = fc.record({
  day: anyDay,
  value: fc.constantFrom(1, 2, 3, Number.NaN),
  end: fc.integer({ min: -20, max: 24 }),
})

const companies = 4

/** Some companies have no events. */
const eventsOfCompany = fc
  .array(event, { maxLength: 12, size: 'max' })
  .map(events => events.toSorted((a, b) => a.day - b.day))

const anyRows = fc
  .tuple(
    fc.array(
      fc.record({ company: fc.integer({ min: -1, max: companies - 1 }), day: anyDay, ownDay: anyDay }),
      { maxLength: 120, size: 'max' },
    ),
    fc.constantFrom('ascending', 'descending', 'any order'),
  )
  .map(([rows, order]): readonly Row[] =>
    order === 'any order'
      ? rows
      : rows.toSorted((a, b) => (order === 'ascending' ? 1 : -1) * (a.day - b.day)),
  )

const rule: fc.Arbitrary<JoinRule> = fc.record({
  inclusive: fc.boolean(),
  maxAgeDays: fc.option(fc.integer({ min: 0, max: 30 })),
})

/** The definition, row by row. */
function defined(
  all: readonly (readonly Event[])[],
  rows: readonly Row[],
  { inclusive, maxAgeDays }: JoinRule,
) {
  let first = 0
  const firsts = all.map(events => {
    first += events.length
    return first - events.length
  })
  return rows.map(({ company, day, ownDay }) => {
    if (company === -1) return none
    const last = all[company].findLastIndex(one => (inclusive ? one.day <= day : one.day < day))
    if (last === -1) return none
    const { value, end } = all[company][last]
    if (Number.isNaN(value) || (maxAgeDays !== null && ownDay - end > maxAgeDays)) return none
    return firsts[company] + last
  })
}

test('a row shows the last event that is known on its day, in whatever order rows come', () => {
  let found = 0
  fc.assert(
    fc.property(
      fc.array(eventsOfCompany, { minLength: companies, maxLength: companies }),
      anyRows,
      rule,
      (all, rows, options) => {
        const events = all.flat()
        const counts = all.map(one => one.length)
        const positions = findPositions(
          {
            count: rows.length,
            day: Int32Array.from(rows, row => row.day),
            // The last name is that of no company.
            name: Int32Array.from(rows, ({ company }) => (company === -1 ? companies : company)),
          },
          Int32Array.from([0, 1, 2, 3, -1]),
          {
            starts: Int32Array.from([0, 1, 2, 3, 4], company =>
              counts.slice(0, company).reduce((sum, count) => sum + count, 0),
            ),
            days: Int32Array.from(events, one => one.day),
            values: Float64Array.from(events, one => one.value),
            ends: Int32Array.from(events, one => one.end),
          },
          options,
          // What was in it before must not show.
          new Int32Array(rows.length).fill(7),
          Int32Array.from(rows, row => row.ownDay),
        )
        expect([...positions]).toEqual(defined(all, rows, options))
        found += positions.filter(position => position !== none).length
      },
    ),
    { numRuns: rounds(2_000, 20_000) },
  )
  expect(found).toBeGreaterThan(rounds(10_000, 100_000))
}, 180_000)
