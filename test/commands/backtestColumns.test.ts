import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeResult } from '../../src/backtest/pipeline/encodeResult.ts'
import { operator } from '../../src/backtest/pool/caller.ts'
import { runBacktest } from '../../src/features/backtests/run.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { randomPanel } from '../backtest/scoring/randomPanel.ts'
import { openBench } from '../features/backtests/backtestBench.ts'
import { runInProcess } from './runInProcess.ts'

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-columns-'))
const bench = openBench()
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await bench.close()
})

const rows = randomPanel(5, 60, 30).map(({ twin: _, size: __, score, ...row }) => ({
  ...row,
  value: score,
  quality: row.beta === null ? null : Math.round(1e6 * Math.sin(99 * row.beta)) / 1e6,
}))
const names = ['date', 'asset', 'market', 'group', 'forward_return', 'value', 'quality', 'beta'] as const
const file = join(folder, 'rows.csv')
writeFileSync(
  file,
  [names.join(','), ...rows.map(row => names.map(name => row[name] ?? '').join(','))].join('\n'),
)
const ndjson = join(folder, 'rows.ndjson')
writeFileSync(ndjson, rows.map(row => JSON.stringify(row)).join('\n'))

const backtest = (...args: string[]) => runInProcess(['backtest', ...args])

test('options for columns and trials give the answer of the service, and the report shows them', async () => {
  const { costs } = await loadMarkets()
  const request = {
    panel: rows,
    scores: ['value', 'quality'],
    config: { neutralise: { demean: ['market', 'group'], columns: ['beta'] } },
    include: ['ic', 'by_group'],
    trials_already_tried: 12,
  }
  const sent = new TextEncoder().encode(JSON.stringify(request))
  const served = decodeResult(
    await runBacktest({ ...bench.deps, costs: costs.plain }, sent, undefined, { caller: operator }),
  )
  const options = ['--scores', 'value,quality', '--demean', 'market,group', '--regress', 'beta']
  const more = ['--include', 'ic,by_group', '--trials-already-tried', '12']
  for (const path of [file, ndjson]) {
    const { code, out } = await backtest(path, ...options, ...more, '--json', '-')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(served)))
  }
  const sheet = join(folder, 'sheet.html')
  const shown = await backtest(file, ...options, ...more, '--html', sheet)
  expect(shown.out).toContain('for 16 trials (4 of this request, 12 tried before)')
  expect(shown.out).toContain(
    'Scores are the residuals of a regression, date by date, on beta and a constant',
  )
  expect(shown.out).toMatch(/\nvalue +/)
  expect(readFileSync(sheet, 'utf8')).toContain('Each score alone and combined')
})

test('a threshold of the Deflated Sharpe ratio judges one configuration if others were tried before, and one of the IC its mean', async () => {
  const one = ['--rank-by', 'value,quality', '--combine', 'rank_average', '--regress', 'beta']
  const without = await backtest(file, ...one, '--fail-below-dsr', '0.95')
  expect([without.code, without.error]).toEqual([2, expect.stringContaining('--trials-already-tried')])
  const failed = await backtest(
    file,
    ...one,
    '--fail-below-dsr',
    '0.9999999',
    '--trials-already-tried',
    '500',
  )
  expect([failed.code, failed.error]).toEqual([
    3,
    expect.stringContaining('below 0.9999999 (--fail-below-dsr)'),
  ])
  const ic = await backtest(file, ...one, '--fail-below-ic', '0.9')
  expect([ic.code, ic.error]).toEqual([3, expect.stringContaining('The mean rank IC is')])
  expect((await backtest(file, ...one, '--fail-below-ic', '-1')).code).toBe(0)
})

test('faults name the option', async () => {
  const cases: [string[], RegExp][] = [
    [
      ['--rank-by', 'value,quality', '--regress', 'beta'],
      /--rank-by names 2 columns, but not how to combine them/,
    ],
    [
      ['--scores', 'value,quality', '--regress', 'forward_return'],
      /--regress names forward_return, which is not known/,
    ],
    [
      ['--scores', 'value,quality', '--regress', 'beta', '--trials-already-tried', '1.5'],
      /--trials-already-tried is 1.5/,
    ],
    [['--scores', 'value', '--regress', 'beta'], /scores is an array of 1; it must be an array of 2 to 10/],
    [['--scores', 'value,quality', '--regress', 'size'], /unknown column "beta"/],
  ]
  for (const [options, message] of cases) {
    const { code, error } = await backtest(file, ...options)
    expect([code === 1 || code === 2, error]).toEqual([true, expect.stringMatching(message)])
  }
})
