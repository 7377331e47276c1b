import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { neverEnds, packVintages, type Vintages } from '../../../src/backtest/asOf/packedVintages.ts'
import { findPositions, none } from '../../../src/backtest/asOf/positions.ts'
import { buildStrategyEvents } from '../../../src/backtest/asOf/strategyEvents.ts'
import { findPricedStrategy } from '../../../src/markets/strategies/pricedStrategies.ts'
import { strategies } from '../../../src/markets/strategies/strategies.ts'

interface Filing {
  readonly input: number
  /** The number of the fiscal year. */
  readonly year: number
  readonly lag: number
  readonly value: number
}

const firstEntity = 4_096
const yearDays = 365

/** What a register has on file of one company if nothing was filed after a day: each statement of a period ends the one before. */
function onFile(filings: readonly Filing[], inputs: number, lastDay: number): Uint8Array[] {
  return Array.from({ length: inputs }, (_, input) => {
    const ofPeriod = new Map<number, Filing[]>()
    for (const filing of filings) {
      if (filing.input !== input || filedOn(filing) > lastDay) continue
      ofPeriod.set(filing.year, [...(ofPeriod.get(filing.year) ?? []), filing])
    }
    const rows = [...ofPeriod.values()].flatMap(list => {
      // The last of several on one day is the one that stays.
      const byDay = new Map(list.map(filing => [filedOn(filing), filing]))
      const days = [...byDay.keys()].sort((a, b) => a - b)
      return days.map((filed, i) => ({
        filed,
        until: days[i + 1] ?? neverEnds,
        end: yearDays * (byDay.get(filed)?.year ?? 0),
        value: byDay.get(filed)?.value ?? 0,
      }))
    })
    const vintages: Vintages = {
      count: rows.length,
      entity: Int32Array.from(rows, () => firstEntity),
      filed: Int32Array.from(rows, ({ filed }) => filed),
      until: Int32Array.from(rows, ({ until }) => until),
      end: Int32Array.from(rows, ({ end }) => end),
      rank: new Int16Array(rows.length),
      unit: new Int16Array(rows.length).fill(1),
      value: Float64Array.from(rows, ({ value }) => value),
    }
    return packVintages(vintages)
  })
}

const filedOn = ({ year, lag }: Filing) => yearDays * year + lag

function scoreOn(name: string, packed: readonly Uint8Array[], day: number): number | null {
  const block = buildStrategyEvents({
    firstEntity,
    companies: 1,
    rows: Buffer.concat(packed),
    strategy: { name, inputBytes: packed.map(({ length }) => length), pureUnit: 2 },
  })
  const rows = { count: 1, day: Int32Array.of(day), name: Int32Array.of(0) }
  const [at] = findPositions(rows, Int32Array.of(0), block, { inclusive: true, maxAgeDays: null })
  return at === none ? null : block.values[at]
}

test('the score of a strategy on a day is the same if nothing after that day was ever filed', () => {
  let scored = 0
  // Of a strategy that takes prices, the parts that filings state.
  const stated = [...strategies.values()].flatMap(
    one => findPricedStrategy(one.name)?.parts.map(part => part.strategy) ?? [one],
  )
  for (const { name, inputs, period } of stated) {
    // A quarter is not a year of 365 days; the rule of days is the same for all.
    if (period !== 'FY') continue
    const filing = fc.record({
      input: fc.nat(inputs.length - 1),
      year: fc.integer({ min: 1, max: 4 }),
      lag: fc.constantFrom(30, 60, 90, 200, 365, 500),
      value: fc.integer({ min: 1, max: 1_000 }),
    })
    // Every input of every year is stated once, so that most days have a score; others restate some of them.
    const history = fc.record({
      first: fc.array(
        fc.record({ lag: fc.constantFrom(30, 60, 90, 200), value: fc.integer({ min: 1, max: 1_000 }) }),
        {
          minLength: 4 * inputs.length,
          maxLength: 4 * inputs.length,
        },
      ),
      later: fc.array(filing, { maxLength: 12 }),
      day: fc.integer({ min: yearDays, max: 6 * yearDays }),
    })
    fc.assert(
      fc.property(history, ({ first, later, day }) => {
        const all = [
          ...first.map((one, i) => ({
            ...one,
            input: i % inputs.length,
            year: 1 + Math.floor(i / inputs.length),
          })),
          ...later,
        ]
        const known = scoreOn(name, onFile(all, inputs.length, day), day)
        expect(scoreOn(name, onFile(all, inputs.length, Number.POSITIVE_INFINITY), day)).toEqual(known)
        if (known !== null) scored++
      }),
      { numRuns: 150 },
    )
  }
  expect(scored).toBeGreaterThan(500)
})
