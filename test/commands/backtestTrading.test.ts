import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeResult } from '../../src/backtest/pipeline/encodeResult.ts'
import { operator } from '../../src/backtest/pool/caller.ts'
import { runBacktest } from '../../src/features/backtests/run.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { openBench } from '../features/backtests/backtestBench.ts'
import { closingRows } from '../features/backtests/closingRows.ts'
import { runInProcess } from './runInProcess.ts'

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-trading-'))
const bench = openBench()
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await bench.close()
})

const rows = closingRows().map(({ beta: _, ...row }) => row)
const names = ['date', 'asset', 'market', 'group', 'score', 'close', 'borrow_bps', 'dollar_volume'] as const
const file = join(folder, 'closes.csv')
writeFileSync(
  file,
  [names.join(','), ...rows.map(row => names.map(name => row[name] ?? '').join(','))].join('\n'),
)

const backtest = (...args: string[]) => runInProcess(['backtest', ...args])
const limits = [
  ...['--entry-dates', '2', '--delisting-return', '-0.6', '--rebalance', 'weekly:FRI'],
  ...[
    '--max-turnover',
    '0.4',
    '--max-weight',
    '0.1',
    '--target-volatility',
    '0.1',
    '--volatility-periods',
    '8',
  ],
  ...['--max-leverage', '1.5', '--impact', '0.8', '--capital', '1e6', '--impact-periods', '8'],
]

test('options for closes, calendars and limits give the answer of the service, and the report shows them', async () => {
  const { costs } = await loadMarkets()
  const request = {
    panel: rows,
    config: {
      entryDates: 2,
      delistingReturn: -0.6,
      rebalance: 'weekly:FRI',
      trading: {
        maxTurnover: 0.4,
        maxWeight: 0.1,
        targetVolatility: 0.1,
        volatilityPeriods: 8,
        maxLeverage: 1.5,
        impact: 0.8,
        capital: 1e6,
        impactPeriods: 8,
      },
    },
  }
  const sent = new TextEncoder().encode(JSON.stringify(request))
  const served = decodeResult(
    await runBacktest({ ...bench.deps, costs: costs.plain }, sent, undefined, { caller: operator }),
  )
  const { code, out } = await backtest(file, ...limits, '--json', '-')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(served)))
  const sheet = join(folder, 'sheet.html')
  const shown = await backtest(file, ...limits, '--html', sheet)
  expect(shown.out).toContain(
    'Returns are computed from closes from one rebalancing to the next (weekly:FRI).',
  )
  expect(shown.out).toMatch(/\nTurnover capped +\d+ of \d+ periods/)
  expect(shown.out).toMatch(/\nImpact paid per year +[\d.]+%/)
  const page = readFileSync(sheet, 'utf8')
  for (const text of [
    'Returns and trading',
    'Leverage: the multiple of the target in each period',
    'Impact paid in each period',
  ])
    expect(page).toContain(text)
})

test('several horizons are trials, so the first has a Deflated Sharpe ratio that may be required', async () => {
  const horizons = [file, '--horizons', '1,5', '--entry-dates', '0']
  const { out } = await backtest(...horizons, '--json', '-')
  const { verdict, horizons: records } = JSON.parse(out)
  expect([verdict.trials, records.length]).toEqual([2, 2])
  const met = await backtest(...horizons, '--fail-below-dsr', String(verdict.dsr))
  expect(met.code).toBe(0)
  expect(met.out).toMatch(/\nRETURN DAYS +SHARPE/)
  const missed = await backtest(...horizons, '--fail-below-dsr', '1')
  expect([missed.code, missed.error]).toEqual([3, expect.stringContaining('below 1 (--fail-below-dsr)')])
})

test('exit code 3: turnover, impact or leverage is above what is allowed, or there is none', async () => {
  const { out } = await backtest(file, ...limits, '--json', '-')
  const { metrics, trading } = JSON.parse(out)
  const bounds = (factor: number) => [
    ...['--fail-above-turnover', String(factor * metrics.avg_turnover)],
    ...['--fail-above-impact', String(factor * trading.impact_annual)],
    ...['--fail-above-leverage', String(factor * trading.leverage_max)],
  ]
  expect((await backtest(file, ...limits, ...bounds(1))).code).toBe(0)
  const missed = await backtest(file, ...limits, ...bounds(0.99))
  expect(missed.code).toBe(3)
  for (const text of [
    `The mean turnover is ${metrics.avg_turnover}, above`,
    `The impact paid per year is ${trading.impact_annual}, above`,
    `The highest leverage is ${trading.leverage_max}, above`,
  ])
    expect(missed.error).toContain(text)
  const none = await backtest(file, '--fail-above-impact', '1', '--fail-above-leverage', '9')
  expect([none.code, none.error]).toEqual([
    3,
    expect.stringContaining('impact paid per year cannot be computed'),
  ])
})

test('faults name the option', async () => {
  const cases: [string[], RegExp][] = [
    [['--impact', '1'], /Give --capital/],
    [['--max-weight', '0'], /--max-weight is 0/],
    [['--horizons', '1,1'], /--horizons contains 1 twice/],
    [['--horizons', '1,5', '--rebalance', 'month_end'], /--horizons and --rebalance are both given/],
    [['--rebalance', 'month_end', '--return-days', '5'], /Omit/],
  ]
  for (const [options, message] of cases) {
    const { code, error } = await backtest(file, ...options)
    expect([options, code]).toEqual([options, 2])
    expect(error).toMatch(message)
  }
})
