import { expect, test } from 'bun:test'
import type { Events } from '../../../src/backtest/asOf/figureEvents.ts'
import { premiumOfColumn } from '../../../src/backtest/audit/premiumOfColumn.ts'
import { stateCode } from '../../../src/backtest/audit/states.ts'

/** Company 0 splits four for one on day 900, which two restated periods show; the other three never do. */
const filed: readonly (readonly [day: number, end: number, value: number])[][] = [
  [
    [100, 50, 8],
    [200, 150, 12],
    [900, 50, 2],
    [900, 150, 3],
  ],
  [[200, 150, 4]],
  [[200, 150, 5]],
  [[200, 150, 2]],
]

function eventsOf(companies: typeof filed): Events {
  const all = companies.flatMap(one => [...one].sort(([, , a], [, , b]) => a - b))
  let total = 0
  return {
    starts: Int32Array.from([0, ...companies.map(one => (total += one.length))]),
    days: Int32Array.from(all, ([day]) => day),
    ends: Int32Array.from(all, ([, end]) => end),
    values: Float64Array.from(all, ([, , value]) => value),
    filed: Int32Array.from(all, ([day]) => day),
    units: new Int16Array(all.length),
    text: new Uint8Array(0),
    textStarts: new Int32Array(all.length + 1),
  }
}

/** The premium of cells that all had to be replaced by the known figure of day 200. */
function premium(splits: 'as_filed' | 'adjusted', ofCompany0: number) {
  const dates = 60
  const count = 4 * dates
  const row = (of: (company: number, date: number) => number) =>
    Array.from({ length: count }, (_, i) => of(i % 4, Math.floor(i / 4)))
  const company = Int32Array.from(row(one => one))
  const ownDay = Int32Array.from(row((_, date) => 300 + date))
  const sent = [ofCompany0, 4, 5, 2]
  const column = (name: string, numbers: readonly number[]) => ({
    name,
    cells: Int32Array.from({ length: count }, (_, i) => i + 1),
    numbers: Float64Array.from(numbers),
  })
  const events = eventsOf(filed.map(one => one.filter(([day]) => day === 200)))
  const { result } = premiumOfColumn(
    { count, day: ownDay, name: company, names: ['A', 'B', 'C', 'D'], layout: [] },
    {
      count,
      company,
      ownDay,
      knownDay: ownDay,
      endedDay: ownDay,
      interimOfRow: null,
      instant: null,
    },
    {
      cells: column(
        'eps',
        row(one => sent[one]),
      ),
      reading: { scale: 1, sign: 1, rounding: { unit: 0, digits: 0, isSingle: false }, splits },
      events,
      positions: company,
      vintages: eventsOf(filed),
      adjusted: null,
      otherPeriods: [],
      shareKinds: new Map([[0, 'per_share']]),
      units: null,
    },
    {
      state: new Uint8Array(count).fill(stateCode.stale),
      reason: new Uint8Array(count),
      vintage: new Int32Array(count).fill(-1),
      source: new Uint8Array(count),
    },
    {
      returns: column(
        'forward_return',
        row((one, date) => 0.01 * Math.sin(7 * one + 1.3 * date) + 0.002 * one),
      ),
      config: { quantile: 0.25, costBps: 0 },
      costs: { markets: {}, standard: { roundTripBps: 0, source: 'a test', date: '1969-01-01' } },
      markets: ['US', 'US', 'US', 'US'],
    },
  )
  return result?.premium?.sharpe
}

test('in a column adjusted for splits, known figures are ranked per today’s share, as the cells are', () => {
  // 12 filed on day 200 is 3 per share after the split, which is what the cell says: nothing is gained.
  expect(premium('adjusted', 3)).toBe(0)
  // Read as filed, the cell of 3 ranks below the known 12, so the two portfolios differ.
  expect(premium('as_filed', 3)).not.toBe(0)
  expect(premium('as_filed', 12)).toBe(0)
})
