import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeResult } from '../../src/backtest/pipeline/encodeResult.ts'
import { operator } from '../../src/backtest/pool/caller.ts'
import { endOfMonth, isoDate } from '../../src/dates.ts'
import { runBacktest } from '../../src/features/backtests/run.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { frenchFile, noise } from '../backtest/factors/anyRegression.ts'
import { openBench } from '../features/backtests/backtestBench.ts'
import { runInProcess } from './runInProcess.ts'

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-factors-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const place = (name: string) => join(folder, name)
const random = noise(9)
const rows = Array.from({ length: 42 }, (_, t) =>
  Array.from({ length: 6 }, (_, i) =>
    [isoDate(endOfMonth(1926, 6 + t)), `N${i}`, i, 0.004 * i + 0.01 * random()].join(','),
  ).join('\n'),
)
writeFileSync(place('rows.csv'), `date,asset,score,forward_return\n${rows.join('\n')}\n`)

async function openService() {
  const bench = openBench()
  const { costs } = await loadMarkets()
  return { bench, deps: { ...bench.deps, costs: costs.plain } }
}

const backtest = (...args: string[]) =>
  runInProcess(['backtest', place('rows.csv'), '--quantile', '.5', '--return-days', '21', ...args])

test('--factors takes a file of the data library as downloaded, and shows what explains the record', async () => {
  const { code, out } = await backtest('--factors', frenchFile, '--html', place('sheet.html'))
  expect(code).toBe(0)
  expect(out).toContain('What explains it')
  expect(out).toMatch(/Mkt-RF +-?\d\.\d{3} +-?\d+\.\d\d/)
  expect(out).toContain('42 periods from 1926-06-30 to 1929-11-30')
  expect(await Bun.file(place('sheet.html')).text()).toContain('What explains it')
})

test('lags and the window of the regressions are those that a request has, and the entry lag takes daily factors', async () => {
  const read = async (name: string, ...args: string[]) => {
    const { code, error } = await backtest('--factors', frenchFile, ...args, '--json', place(name))
    expect([code, error]).toEqual([0, expect.any(String)])
    return await Bun.file(place(name)).json()
  }
  const plain = await read('plain.json')
  const given = await read('given.json', '--factor-lags', '7', '--factor-window', '12')
  expect(given.factors.rolling.window).toBe(12)
  expect(given.factors.rolling.alpha_annual.findIndex((value: number | null) => value !== null)).toBe(12 - 1)
  expect(given.request.factors).toEqual({ ...plain.request.factors, lags: 7, window: 12 })
  // Lags change standard errors, and no coefficient.
  const betas = (result: { factors: { betas: { beta: number; t: number }[] } }) =>
    result.factors.betas.map(({ beta }) => beta)
  expect(betas(given)).toEqual(betas(plain))
  expect(given.factors.alpha.t).not.toBe(plain.factors.alpha.t)
  const { bench, deps } = await openService()
  try {
    const panel = rows
      .flatMap(lines => lines.split('\n'))
      .map(line => line.split(','))
      .map(([date, asset, score, forward]) => ({
        date,
        asset,
        score: Number(score),
        forward_return: Number(forward),
      }))
    const request = { ...given.request, panel }
    const served = await runBacktest(deps, new TextEncoder().encode(JSON.stringify(request)), undefined, {
      caller: operator,
    })
    expect(given).toEqual(JSON.parse(JSON.stringify(decodeResult(served))))
  } finally {
    await bench.close()
  }
})

test('a grid is explained by its winner', async () => {
  const { code } = await backtest(
    '--factors',
    frenchFile,
    '--hold-days',
    '21,42',
    '--json',
    place('grid.json'),
  )
  expect(code).toBe(0)
  const { factors } = await Bun.file(place('grid.json')).json()
  expect(factors.residual.trials).toBe(2)
})

test('bounds on alpha, betas and what remains decide the exit code', async () => {
  const factors = ['--factors', frenchFile]
  const met = await backtest(
    ...factors,
    ...[
      '--fail-below-alpha-t',
      '2',
      '--fail-below-residual-sharpe',
      '1',
      '--fail-above-abs-beta',
      'Mkt-RF=0.5',
    ],
  )
  expect(met.code).toBe(0)
  const missed = await backtest(
    ...factors,
    ...['--fail-below-alpha-t', '200', '--fail-above-abs-beta', 'SMB=0', '--fail-above-abs-beta', 'HML=0'],
  )
  expect(missed.code).toBe(3)
  expect(missed.error).toContain('below 200 (--fail-below-alpha-t)')
  expect(missed.error).toContain('The size of the beta to SMB is')
  expect(missed.error).toContain('The size of the beta to HML is')
})

test('factors that cannot be used are refused in the words of the options', async () => {
  writeFileSync(place('odd.csv'), 'date,F\n1926-07,x\n')
  writeFileSync(place('short.csv'), 'date,F\n1926-07,0.01\n1926-08,0.02\n')
  const cases: [string[], string][] = [
    [['--factors', place('none.csv')], '--factors: '],
    [['--factors', '-'], '--factors cannot be read from standard input'],
    [['--factors', place('odd.csv')], 'odd.csv: line 2: "x" is not a number'],
    [['--factors', place('short.csv')], '--factors matches 2 of 42 periods exactly'],
    [['--factors', frenchFile, '--factor-entry-lag', '1'], '--factor-entry-lag'],
    [['--factors', frenchFile, '--factor-window', '4'], '--factor-window is 4'],
    [['--factors', frenchFile, '--factor-lags', '-1'], '--factor-lags'],
    [['--factor-window', '12'], '--factor-window is about --factors, which is missing'],
    [['--fail-below-alpha-t', '2'], '--fail-below-alpha-t is about --factors, which is missing'],
    [['--factors', frenchFile, '--fail-above-abs-beta', 'RMW=1'], 'the factors are Mkt-RF, SMB, HML'],
    [['--factors', frenchFile, '--fail-above-abs-beta', 'SMB'], 'is not a factor and a number'],
    [['--factors', place('short.csv'), '--direction', 'long_only'], 'has none'],
  ]
  for (const [args, message] of cases) {
    const { code, error } = await backtest(...args)
    expect(code).not.toBe(0)
    expect(error).toContain(message)
  }
})
