import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { runPanelBacktest } from '../../src/backtest/pipeline/runRequest.ts'
import type { BacktestConfig } from '../../src/backtest/request.ts'
import type { BacktestResult } from '../../src/backtest/result.ts'
import { dayNumber, isoDate } from '../../src/dates.ts'
import type { MarketCosts } from '../../src/markets/costs.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import type { Row } from '../backtest/loopReference.ts'
import { datasetOf } from '../backtest/rows.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { findPython, runPython } from '../python.ts'
import { blocksOf } from './blocks.ts'

/** The guide defines portfolio formation in words and in a program. The program is taken out of the guide and compared with the engine. */

setDefaultTimeout(240_000)

const root = resolve(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-program-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const python = findPython('pandas')
const found = (await blocksOf('docs/backtests.md')).filter(({ language }) => language === 'python')
const program = found.map(({ text }) => text).find(text => text.includes('def backtest(')) ?? ''

interface Case {
  readonly rows: readonly Row[]
  readonly config: BacktestConfig
}

type Figures = Record<
  'sharpe' | 'cagr' | 'equity_end' | 'avg_turnover' | 'cost_drag_annual' | 'max_drawdown',
  number
>

/** Reads each case, and calls the program with the names of Python for the settings. */
const harness = `
import io, json
exec(open("program.py").read().split("\\nrows = ")[0])
for case in json.load(open("cases.json")):
    rows = pd.read_csv(io.StringIO(case["csv"]), parse_dates=["date"], dtype={"asset": str})
    bps = pd.Series(case["bps"])
    print(json.dumps({name: float(x) for name, x in backtest(rows, bps, **case["settings"]).items()}))
`

function rebuilt(cases: readonly Case[]): Figures[] {
  if (python === null) throw new Error('no Python')
  writeFileSync(join(folder, 'program.py'), program)
  writeFileSync(join(folder, 'harness.py'), harness)
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(cases.map(writeCase)))
  const lines = runPython(python, folder, ['harness.py']).trim().split('\n')
  return lines.map((line): Figures => JSON.parse(line))
}

function writeCase({ rows, config }: Case) {
  const lines = rows.map(
    ({ day, asset, score, forwardReturn }) =>
      `${isoDate(day)},${asset},${score ?? ''},${forwardReturn ?? ''}`,
  )
  const { quantile, weighting, holdDays, returnDays, direction, gross, borrowBps, drift } = config
  return {
    csv: ['date,asset,score,forward_return', ...lines].join('\n'),
    bps: Object.fromEntries(rows.map(({ asset, market }) => [asset, roundTrips[market] ?? 20])),
    settings: {
      quantile,
      weighting,
      hold_days: holdDays,
      return_days: returnDays,
      long_only: direction === undefined ? undefined : direction === 'long_only',
      gross,
      borrow_bps: borrowBps,
      drift,
    },
  }
}

const roundTrips: Readonly<Record<string, number>> = { US: 5.206, TW: 40 }
const cost = (roundTripBps: number) => ({ roundTripBps, source: 'a test', date: '2020-01-01' })
const costs: MarketCosts = { markets: { US: cost(5.206), TW: cost(40) }, standard: cost(20) }

const served = ({ rows, config }: Case): BacktestResult =>
  runPanelBacktest(datasetOf(rows), { config, include: [] }, costs)

function figuresOf({ metrics, equity_curve: curve }: BacktestResult): Record<keyof Figures, number | null> {
  const { sharpe, cagr, avg_turnover, cost_drag_annual, max_drawdown } = metrics
  const equity_end = curve.at(-1) ?? null
  return { sharpe, cagr, equity_end, avg_turnover, cost_drag_annual, max_drawdown }
}

/** Equal to 1e-12, absolutely for what is less than 1. */
function expectEqual(
  ours: Record<string, number | null>,
  theirs: Record<string, number>,
  what: string,
): void {
  for (const [name, value] of nonEmpty(Object.entries(ours))) {
    const other = theirs[name] ?? Number.NaN
    const off = Math.abs((value ?? Number.NaN) - other) / Math.max(1, Math.abs(other))
    expect({ what, name, value, other, isNear: off <= 1e-12 }).toMatchObject({ isNear: true })
  }
}

/** A stream of numbers in [0, 1) by Park and Miller. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const monday = dayNumber('2021-01-04')

/** Names of two markets with tied, missing and moving scores, missing returns and missing rows. */
function anyRows(seed: number, days: readonly number[], names = 24): Row[] {
  const random = randomFrom(seed)
  const rows: Row[] = []
  for (const day of days) {
    for (let name = 0; name < names; name++) {
      const [there, scored, known, raw] = [random(), random(), random(), random()]
      const score = seed % 2 === 0 ? Math.round(raw * 8) - 4 : raw - 0.5
      const forwardReturn = (random() - 0.5) / 10
      if (there < 0.1) continue
      rows.push({
        day,
        asset: `N${name}`,
        market: name % 3 === 0 ? 'TW' : 'US',
        score: scored < 0.1 ? null : score,
        forwardReturn: known < 0.05 ? null : forwardReturn,
      })
    }
  }
  return rows
}

const weekdays = (count: number) =>
  Array.from({ length: count }, (_, i) => monday + 7 * Math.floor(i / 5) + (i % 5))

const settings: readonly BacktestConfig[] = [
  {},
  { quantile: 0.3, holdDays: 5 },
  { quantile: 0.3, weighting: 'rank', holdDays: 3 },
  { quantile: 0.2, weighting: 'score', holdDays: 5, drift: true },
  { quantile: 0.5, weighting: 'score', gross: 1.6, borrowBps: 200 },
  { direction: 'long_only', quantile: 0.01, holdDays: 2 },
  { direction: 'long_only', quantile: 0.4, weighting: 'rank', drift: true },
  { returnDays: 5, holdDays: 20, quantile: 0.25, drift: true },
]

describe.skipIf(python === null)('the program of the guide', () => {
  test('has at most 40 lines, none longer than the guide', () => {
    const lines = program.trimEnd().split('\n')
    expect(lines.filter(line => line.trim() !== '').length).toBeLessThanOrEqual(40)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120)
  })

  test('gives the figure of the README, and those of other holding times', async () => {
    const packed = await Bun.file(join(root, 'sample/signals.csv.gz')).bytes()
    const lines = new TextDecoder()
      .decode(gunzipSync(new Uint8Array(packed)))
      .trim()
      .split('\n')
    const rows = lines.flatMap((line): Row[] => {
      const [date = '', asset = '', market = '', horizon, score, forwardReturn] = line.split(',')
      if (horizon !== '1d' || date < '2013-01-02') return []
      return [
        { day: dayNumber(date), asset, market, score: Number(score), forwardReturn: Number(forwardReturn) },
      ]
    })
    const cases = [1, 5, 21].map((holdDays): Case => ({ rows, config: { quantile: 0.1, holdDays } }))
    const figures = rebuilt(cases)
    nonEmpty(cases).forEach((one, i) => {
      expectEqual(figuresOf(served(one)), figures[i] ?? {}, `holdDays ${one.config.holdDays}`)
    })
    const market = (await loadMarkets()).get('US')
    expect(market?.costs.round_trip_bps).toBe(roundTrips.US)
    const readme = (await blocksOf('README.md')).find(({ shown }) => shown?.text.includes('backtest_result'))
    const { oos_sharpe_mean: _, ...shown } = JSON.parse(readme?.shown?.text ?? '{}').metrics
    expect(Object.keys(shown)).toEqual(['cagr', 'sharpe', 'max_drawdown', 'avg_turnover', 'cost_drag_annual'])
    expectEqual(shown, figures[1] ?? {}, 'the README')
  })

  test('gives the figures of any panel: ties, missing scores, returns and rows, weights, markets, drift', () => {
    const cases = settings.flatMap((config, place) =>
      [1, 2, 3].map((n): Case => ({ rows: anyRows(10 * place + n, weekdays(90)), config })),
    )
    const figures = rebuilt(cases)
    nonEmpty(cases).forEach((one, i) => {
      expectEqual(figuresOf(served(one)), figures[i] ?? {}, JSON.stringify(one.config))
    })
  })

  test('gives the figures of panels with few names, and of one that loses everything', () => {
    const few = [1, 2, 3].flatMap(names => [
      { rows: anyRows(names, weekdays(60), names + 1), config: { quantile: 0.5 } },
      { rows: anyRows(names, weekdays(60), names), config: { direction: 'long_only' as const } },
    ])
    const lost = anyRows(7, weekdays(60)).map((row, i) => (i > 500 ? { ...row, forwardReturn: -1 } : row))
    const ruin = { rows: lost, config: { direction: 'long_only' as const, quantile: 0.5, drift: true } }
    const cases: Case[] = [...few.filter(one => served(one).metrics.sharpe !== null), ruin]
    expect(cases.length).toBeGreaterThan(4)
    expect(served(ruin).metrics.cagr).toBe(-1)
    const figures = rebuilt(cases)
    cases.forEach((one, i) => {
      expectEqual(figuresOf(served(one)), figures[i] ?? {}, `case ${i}`)
    })
  })

  // Passes once a year of a calendar that is not daily is measured in calendar days: then remove ``.
  test('gives the figures of weeks, month ends, quarters and years, with their periods per year', () => {
    const monthEnds = (every: number, count: number) =>
      Array.from({ length: count }, (_, i) => Date.UTC(2004, every * (i + 1), 0) / 86_400_000)
    const calendars: readonly (readonly [readonly number[], number])[] = [
      [Array.from({ length: 80 }, (_, i) => monday + 7 * i), 52],
      [Array.from({ length: 60 }, (_, i) => monday + 14 * i), 26],
      [monthEnds(1, 60), 12],
      [monthEnds(3, 40), 4],
      [monthEnds(12, 20), 1],
    ]
    const cases = calendars.map(
      ([days], i): Case => ({ rows: anyRows(i + 1, days), config: { quantile: 0.2 } }),
    )
    const figures = rebuilt(cases)
    nonEmpty(cases).forEach((one, i) => {
      const result = served(one)
      expect(result.periods_per_year).toBe(calendars[i]?.[1] ?? 0)
      expectEqual(figuresOf(result), figures[i] ?? {}, `calendar ${i}`)
    })
  })
})
