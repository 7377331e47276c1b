import { expect, test } from 'bun:test'
import fc from 'fast-check'
import * as simple from 'simple-statistics'
import { readBody } from '../../../src/backtest/codec/body.ts'
import { openDataset, packDataset } from '../../../src/backtest/dataset/packed.ts'
import { buildPanelDataset } from '../../../src/backtest/pipeline/panelDataset.ts'
import { runPanelBacktest } from '../../../src/backtest/pipeline/runRequest.ts'
import { selectPanelData } from '../../../src/backtest/pipeline/selectData.ts'
import { planSweep, simulateSlice } from '../../../src/backtest/pipeline/sweepPlan.ts'
import { writeSweepResult } from '../../../src/backtest/pipeline/sweepResult.ts'
import type { BacktestConfig, BacktestInclude, BacktestPanelRow } from '../../../src/backtest/request.ts'
import { dayNumber, isoDate, registerFormats } from '../../../src/dates.ts'
import { everyFormat } from '../codec/encodeRequest.ts'
import { loopReference } from '../loopReference.ts'
import { near } from '../near.ts'

registerFormats()
const cost = { roundTripBps: 10, source: 'a test', date: '2020-01-01' }
const costs = { markets: {}, standard: cost }

/** The dataset of the rows as columns of JSON. */
function datasetOf(rows: readonly BacktestPanelRow[]) {
  const [, columns] = everyFormat(rows)
  const { panel } = readBody(columns.bytes)
  if (panel === null) throw new Error('no rows')
  return buildPanelDataset(panel)
}

const capacity = ['capacity'] as const
const run = (
  rows: readonly BacktestPanelRow[],
  config: BacktestConfig = {},
  include: readonly BacktestInclude[] = capacity,
  participation?: number,
) => {
  const evidence = participation === undefined ? undefined : { participation }
  return runPanelBacktest(datasetOf(rows), { config, include, evidence }, costs)
}

/** [date, asset, score, volume] of a panel whose returns are 0. */
const cells = (...list: [string, string, number, number | null][]): BacktestPanelRow[] =>
  list.map(([date, asset, score, volume]) => ({
    date,
    asset,
    score,
    forward_return: 0,
    dollar_volume: volume,
  }))

test('a tiny panel by hand: the volume is that of the row on the date of the trade', () => {
  // Long only, the better half: A and B, then C and D, then C and D again, then A and C.
  const rows = cells(
    ...(['A', 'B', 'C', 'D'] as const).map((name, i): [string, string, number, number] => {
      return ['2024-01-02', name, 4 - i, [1_000, 3_000, 7, 7][i]]
    }),
    ...(['A', 'B', 'C', 'D'] as const).map((name, i): [string, string, number, number] => {
      return ['2024-01-03', name, i, [2_000, 5_000, 9_000, 6_000][i]]
    }),
    ...(['A', 'B', 'C', 'D'] as const).map((name, i): [string, string, number, number] => {
      return ['2024-01-04', name, i, 1]
    }),
    ['2024-01-05', 'A', 3, 800],
    ['2024-01-05', 'B', 0, 8],
    ['2024-01-05', 'C', 2, 8],
    ['2024-01-05', 'D', 1, null],
  )
  const config = { direction: 'long_only', quantile: 0.5, returnDays: 1 } as const
  // 2 January: .5 each of A (1,000) and B (3,000), which at 1% allows 20 and 60. With two trades 95% is all of them: 20.
  // 3 January: .5 of A (2,000), B (5,000), C (9,000), D (6,000): 40. 4 January: no trade.
  // 5 January: D (.5, no volume) to A (.5 of 800): 0.
  const result = run(rows, config).capacity
  expect(result).toEqual({
    participation: 0.01,
    capital_median: expect.closeTo(20, 10),
    // Of 0, 20, 40 the .05 quantile lies a tenth of the way from 0 to 20.
    capital_p5: expect.closeTo(2, 10),
    strict_median: expect.closeTo(20, 10),
    share_without_volume: expect.closeTo(0.5 / 4, 12),
    n_periods: 3,
    unit: 'that of dollar_volume',
  })
  const tenfold = run(rows, config, capacity, 0.1).capacity
  expect([tenfold?.participation, tenfold?.capital_median]).toEqual([0.1, expect.closeTo(200, 9)])
})

const monday = dayNumber('2024-01-01')
const anyRows: fc.Arbitrary<BacktestPanelRow[]> = fc
  .array(
    fc.record({
      score: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -9, max: 9 }) }, fc.constant(null)),
      forward_return: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: -200, max: 200 }).map(r => r / 1000) },
        fc.constant(null),
      ),
      dollar_volume: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 1, max: 1_000_000 }) },
        fc.constantFrom(0, null),
      ),
      there: fc.integer({ min: 0, max: 9 }).map(n => n > 0),
    }),
    { minLength: 60, maxLength: 100 },
  )
  .map(list =>
    list
      .map((cell, i) => {
        const t = Math.floor(i / 10)
        return { ...cell, date: isoDate(monday + 7 * Math.floor(t / 5) + (t % 5)), asset: `A${i % 10}` }
      })
      .filter(({ there }) => there)
      .map(({ there, ...row }) => row),
  )
  .filter(rows => new Set(rows.map(({ date }) => date)).size >= 5 && rows.some(row => row.dollar_volume))

const anyConfig = fc.record({
  direction: fc.constantFrom('long_short', 'long_only'),
  quantile: fc.constantFrom(0.1, 0.3, 0.5),
  weighting: fc.constantFrom('equal', 'rank', 'score'),
  holdDays: fc.integer({ min: 1, max: 4 }),
  gross: fc.constantFrom(1, 1.6),
})

/** Type 7, by its definition. */
function quantileOf(values: readonly number[], p: number): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const place = p * (sorted.length - 1)
  const low = sorted[Math.floor(place)]
  return low + (place % 1) * ((sorted[Math.floor(place) + 1] ?? low) - low)
}

test('capacity is that of the plain loops, with overlapping tranches, missing names and volumes', () => {
  fc.assert(
    fc.property(anyRows, anyConfig, (rows, config) => {
      const settings = {
        longShort: config.direction === 'long_short',
        quantile: config.quantile,
        neutralMarket: false,
        weighting: config.weighting,
        tranches: config.holdDays,
        gross: config.gross,
        drift: false,
      }
      const plain = rows.map(row => ({
        day: dayNumber(row.date),
        asset: row.asset,
        market: '',
        score: row.score,
        forwardReturn: row.forward_return ?? null,
      }))
      const days = [...new Set(plain.map(({ day }) => day))].sort((a, b) => a - b)
      const periods = loopReference(plain, settings, 1, {}, 0)
      const [capitals, stricts]: [number[], number[]] = [[], []]
      let traded = 0
      let without = 0
      periods.forEach(({ weights }, t) => {
        const before = periods[t - 1]?.weights ?? new Map<string, number>()
        const trades = [...new Set([...weights.keys(), ...before.keys()])]
          .map(asset => {
            const row = rows.find(other => other.asset === asset && dayNumber(other.date) === days[t])
            const size = Math.abs((weights.get(asset) ?? 0) - (before.get(asset) ?? 0))
            const volume = row?.dollar_volume ?? 0
            return { size, volume, allowed: (0.05 * volume) / size }
          })
          .filter(({ size }) => size > 1e-12)
        if (trades.length === 0) return
        const total = simple.sum(trades.map(({ size }) => size))
        const largest = trades.filter(({ allowed }) => {
          const within = trades.filter(other => other.allowed >= allowed * (1 - 1e-9))
          return simple.sum(within.map(({ size }) => size)) >= (0.95 - 1e-9) * total
        })
        capitals.push(Math.max(...largest.map(({ allowed }) => allowed)))
        stricts.push(Math.min(...trades.map(({ allowed }) => allowed)))
        traded += total
        for (const { size, volume } of trades) if (volume === 0) without += size
      })
      const own = run(rows, { ...config, returnDays: 1 }, capacity, 0.05).capacity
      near(own?.capital_median ?? null, quantileOf(capitals, 0.5), 1e-9)
      near(own?.capital_p5 ?? null, quantileOf(capitals, 0.05), 1e-9)
      near(own?.strict_median ?? null, quantileOf(stricts, 0.5), 1e-9)
      near(own?.share_without_volume ?? null, traded === 0 ? null : without / traded, 1e-9)
      expect(own?.n_periods).toBe(capitals.length)
    }),
    { numRuns: 150 },
  )
})

const withoutVolume = (rows: readonly BacktestPanelRow[]) =>
  rows.map(({ dollar_volume, ...row }): BacktestPanelRow => row)

test('volumes change nothing but capacity, and a panel without them keeps its bytes', () => {
  fc.assert(
    fc.property(anyRows, anyConfig, fc.boolean(), (rows, config, drift) => {
      const sections = ['ic', 'monthly', 'positions', 'performance', 'interval'] as const
      const all = { ...config, returnDays: 1, drift }
      const { capacity: own, request: _, ...rest } = run(rows, all, [...sections, 'capacity'])
      const { request: _bare, ...bare } = run(withoutVolume(rows), all, sections)
      expect(own).toBeDefined()
      expect(JSON.stringify(rest)).toBe(JSON.stringify(bare))
    }),
    { numRuns: 40 },
  )
  fc.assert(
    fc.property(anyRows, rows => {
      const bare = datasetOf(withoutVolume(rows))
      const unknown = datasetOf(rows.map(row => ({ ...row, dollar_volume: null })))
      expect([bare, unknown].map(data => 'dollarVolume' in data)).toEqual([false, false])
      const packed = packDataset(bare)
      expect(Buffer.compare(packDataset(unknown), packed)).toBe(0)
      // The word that says so was 0 before there were volumes.
      expect(new Int32Array(packed.slice(0, 64).buffer)[9]).toBe(0)
      expect(packDataset(datasetOf(rows)).length).toBe(packed.length + 8 * rows.length)
    }),
    { numRuns: 40 },
  )
})

test('every format of a body and a packed panel give the same capacity', () => {
  fc.assert(
    fc.property(anyRows, rows => {
      const results = everyFormat(rows).map(({ bytes, format, query }) => {
        const { panel } = readBody(bytes, format, query)
        if (panel === null) throw new Error('no rows')
        const data = buildPanelDataset(panel)
        const opened = openDataset(packDataset(data))
        if (opened === null) throw new Error('not opened')
        return [data, opened].map(one =>
          JSON.stringify(
            runPanelBacktest(one, { config: { returnDays: 1 }, include: capacity }, costs).capacity,
          ),
        )
      })
      expect(new Set(results.flat()).size).toBe(1)
      expect(results[0][0]).toContain('capital_median')
    }),
    { numRuns: 60 },
  )
})

test('a sweep answers the capacity of its winner', () => {
  const [rows] = fc.sample(anyRows, { numRuns: 1, seed: 7 })
  const sweep = { holdDays: [1, 2, 4], direction: ['long_short', 'long_only'] } as const
  const config = { returnDays: 1, quantile: 0.3 }
  const grid = { holdDays: [...sweep.holdDays], direction: [...sweep.direction] }
  const plan = planSweep(
    selectPanelData(datasetOf(rows), config),
    { config, sweep: grid, include: capacity, evidence: { participation: 0.2 } },
    costs,
  )
  const series = plan.slices.map(slice => {
    const out = new Float64Array(slice.length * (plan.view.endDate + 1))
    const configs = slice.map(place => plan.configs[place])
    simulateSlice({ ...plan, configs, series: out, stop: new Int32Array(1) })
    return out
  })
  const { best, capacity: own } = writeSweepResult(plan, series)
  if (best === undefined) throw new Error('no winner')
  const winner = { ...config, holdDays: best.config.holdDays, direction: best.config.direction }
  expect(own).toEqual(run(rows, winner, capacity, 0.2).capacity)
  expect(own?.participation).toBe(0.2)
})

test('capacity of rows without a volume is refused in words, of one configuration and of a sweep', () => {
  const rows = cells(['2024-01-02', 'A', 1, null], ['2024-01-02', 'B', 2, null])
  const message =
    'capacity needs the dollar volume of names, and no row has one. Send a panel with the column dollar_volume'
  expect(() => run(rows)).toThrow(message)
  const request = { config: {}, sweep: true, include: capacity }
  expect(() => planSweep(selectPanelData(datasetOf(rows), {}), request, costs)).toThrow(message)
})

test('a portfolio that never trades has no capacity', () => {
  const rows = cells(['2024-01-02', 'A', 1, 5], ['2024-01-03', 'A', 2, 5])
  expect(run(rows).capacity).toMatchObject({
    ...{
      capital_median: null,
      capital_p5: null,
      strict_median: null,
      share_without_volume: null,
      n_periods: 0,
    },
  })
})

test('participation is refused outside of .0001 to 1, and without a section that uses it', () => {
  const send = (participation: number, include: readonly string[]) => () =>
    readBody(new TextEncoder().encode(JSON.stringify({ include, evidence: { participation } })))
  for (const value of [0, 0.00001, 1.1])
    expect(send(value, ['capacity'])).toThrow('evidence.participation is')
  expect(send(0.1, ['ic'])).toThrow('track_record, capacity or some of these')
})
