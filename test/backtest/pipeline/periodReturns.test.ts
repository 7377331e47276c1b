import { describe, expect, test } from 'bun:test'
import { readBody } from '../../../src/backtest/codec/body.ts'
import { rebalancingDates } from '../../../src/backtest/dataset/rebalanceCalendar.ts'
import { buildPanelDataset } from '../../../src/backtest/pipeline/panelDataset.ts'
import { runPanelBacktest } from '../../../src/backtest/pipeline/runRequest.ts'
import { selectPanelData } from '../../../src/backtest/pipeline/selectData.ts'
import type { BacktestConfig } from '../../../src/backtest/request.ts'
import { dayNumber, isoDate } from '../../../src/dates.ts'

const weekdaysFrom = (first: string, count: number): string[] => {
  const found: string[] = []
  for (let day = dayNumber(first); found.length < count; day++)
    if ((day + 3) % 7 < 5) found.push(isoDate(day))
  return found
}

const bodyOf = (rows: readonly object[], config: BacktestConfig = {}) =>
  new TextEncoder().encode(JSON.stringify({ config, panel: rows }))

function read(bytes: Uint8Array, format: 'json' | 'csv' = 'json') {
  const parsed = readBody(bytes, format)
  if (parsed.panel === null) throw new Error('no rows')
  return { data: buildPanelDataset(parsed.panel), request: parsed }
}

const days = weekdaysFrom('2024-01-01', 60)
const closeOf = (name: number, t: number) => 100 + 10 * Math.sin(name + t / 3) + (name * t) / 10
const rows = days.flatMap((date, t) =>
  [0, 1, 2, 3, 4, 5].map(name => ({
    date,
    asset: `A${name}`,
    score: (name * 7 + t) % 5,
    close: closeOf(name, t),
  })),
)

describe('returns from closes', () => {
  test('span returnDays dates from the close of the entry', () => {
    const { data } = read(bodyOf(rows))
    for (const [returnDays, entryDates] of [
      [1, 1],
      [5, 0],
      [5, 2],
    ]) {
      const { data: made, view, returns } = selectPanelData(data, { returnDays, entryDates })
      expect(view.endDate).toBe(days.length - returnDays - entryDates)
      expect(returns?.dates).toBe(returnDays)
      for (let t = 0; t < view.endDate; t++)
        for (let name = 0; name < 6; name++)
          expect(made.forwardReturn[made.offsets[t] + name]).toBe(
            closeOf(name, t + entryDates + returnDays) / closeOf(name, t + entryDates) - 1,
          )
    }
  })

  test('follow the rules for missing closes and ended names', () => {
    const holes = rows.flatMap((row, i): { close: number | null }[] => {
      const [t, name] = [Math.floor(i / 6), i % 6]
      if (name === 1 && t > 20) return []
      return name === 0 && t === 10 ? [{ ...row, close: null }] : [row]
    })
    const { data } = read(bodyOf(holes))
    const { data: made, returns } = selectPanelData(data, { returnDays: 1, entryDates: 0 })
    const at = (t: number, name: number) => made.forwardReturn[made.offsets[t] + name]
    expect(at(9, 0)).toBe(0)
    expect(at(10, 0)).toBeNaN()
    expect(at(20, 1)).toBeCloseTo(-0.3, 15)
    expect(returns).toMatchObject({
      rows_carried: 1,
      rows_without_entry: 1,
      rows_delisted: 1,
      rows_pending: 0,
    })
  })

  test('are the same from CSV, and a row with both columns is refused', () => {
    const csv = `date,asset,score,close\n${rows.map(r => `${r.date},${r.asset},${r.score},${r.close}`).join('\n')}\n`
    const one = runPanelBacktest(
      read(new TextEncoder().encode(csv), 'csv').data,
      read(bodyOf(rows)).request,
      costs,
    )
    const { data, request } = read(bodyOf(rows))
    expect(runPanelBacktest(data, request, costs)).toEqual(one)
    const both = [{ ...rows[0], forward_return: 0.1 }]
    expect(() => read(bodyOf(both))).toThrow('both close and forward_return')
  })

  test('over several horizons count each as a trial', () => {
    const { data, request } = read(bodyOf(rows, { horizons: [1, 5], entryDates: 0 }))
    const result = runPanelBacktest(data, request, costs)
    expect(result.horizons?.map(one => one.returnDays)).toEqual([1, 5])
    for (const one of result.horizons ?? []) {
      const alone = runPanelBacktest(
        data,
        { ...request, config: { returnDays: one.returnDays, entryDates: 0 } },
        costs,
      )
      expect(one.sharpe).toBe(alone.metrics.sharpe)
    }
    expect(result.request?.config).toEqual({ horizons: [1, 5], entryDates: 0 })
  })
})

const costs = { standard: { roundTripBps: 10, source: 'test', date: '2020-01-01' }, markets: {} }

describe('rebalancing dates', () => {
  const datesOf = (given: readonly string[], rule: Parameters<typeof rebalancingDates>[1]) =>
    Array.from(rebalancingDates(Int32Array.from(given, dayNumber), rule), date => given[date])

  test('are the last trading days of months, also before a holiday', () => {
    // Good Friday was the last weekday of March 2024, so exchanges closed the month on Thursday.
    const year = weekdaysFrom('2024-01-01', 120).filter(day => day !== '2024-03-29')
    expect(datesOf(year, 'month_end').slice(0, 4)).toEqual([
      '2024-01-31',
      '2024-02-29',
      '2024-03-28',
      '2024-04-30',
    ])
    expect(datesOf(year, 'quarter_end')).toEqual(['2024-03-28'])
  })

  test('wait until exchanges open after a closure that nobody announced', () => {
    const year = weekdaysFrom('2001-09-03', 30).filter(day => day < '2001-09-11' || day > '2001-09-14')
    expect(datesOf(year, 'weekly:FRI').slice(0, 3)).toEqual(['2001-09-07', '2001-09-17', '2001-09-21'])
  })

  test('before the last date of a panel do not depend on later dates', () => {
    const year = weekdaysFrom('2024-01-01', 120).filter(day => day !== '2024-03-29')
    for (const rule of ['month_end', 'weekly:WED', 'quarter_end'] as const) {
      const all = datesOf(year, rule)
      for (let length = 2; length < year.length; length++) {
        const found = datesOf(year.slice(0, length), rule)
        expect(all.slice(0, found.length)).toEqual(found)
      }
    }
  })

  test('compound returns between them, with 12 periods a year', () => {
    const daily = days.flatMap((date, t) =>
      [0, 1, 2, 3].map(name => ({
        date,
        asset: `A${name}`,
        score: name,
        forward_return: ((name * 31 + t * 17) % 13) / 1000,
      })),
    )
    const { data, request } = read(bodyOf(daily, { rebalance: 'month_end' }))
    const { data: made, returns } = selectPanelData(data, request.config)
    expect(Array.from(made.days, isoDate)).toEqual(['2024-01-31'])
    const [from, to] = [days.indexOf('2024-01-31'), days.indexOf('2024-02-29')]
    for (let name = 0; name < 4; name++) {
      let growth = 1
      for (let t = from; t < to; t++) growth *= 1 + ((name * 31 + t * 17) % 13) / 1000
      expect(made.forwardReturn[name]).toBe(growth - 1)
    }
    expect(returns).toMatchObject({ rebalance: 'month_end', returns_missing: 0 })
    expect(runPanelBacktest(data, request, costs).periods_per_year).toBe(12)
  })
})
