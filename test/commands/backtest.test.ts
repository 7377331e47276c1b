import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { decodeResult } from '../../src/backtest/pipeline/encodeResult.ts'
import { ComputePool } from '../../src/backtest/pool/computePool.ts'
import type { BacktestResult } from '../../src/backtest/result.ts'
import { runBacktest } from '../../src/features/backtests/run.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { asPanel, signals } from '../features/backtests/backtestBench.ts'

setDefaultTimeout(60_000)

const root = resolve(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-backtest-'))
const pool = new ComputePool({ threads: 1, queue: 8, timeLimitMs: 60_000 })
afterAll(async () => {
  await pool.close()
  rmSync(folder, { recursive: true, force: true })
})

const panel = asPanel(signals(90))
const place = (name: string) => join(folder, name)
const csv = [
  'asset,date,score,market,forward_return',
  ...panel.map(row =>
    [row.asset, row.date, row.score ?? '', row.market ?? '', row.forward_return ?? ''].join(','),
  ),
].join('\n')
const ndjson = panel.map(row => JSON.stringify(row)).join('\n')
writeFileSync(place('rows.csv'), csv)
writeFileSync(place('rows.csv.gz'), gzipSync(csv))
writeFileSync(place('rows.ndjson'), ndjson)
writeFileSync(place('rows.jsonl.gz'), gzipSync(ndjson))

interface Run {
  code: number
  out: string
  error: string
}

/** Without a database that could be reached: the command must work offline. */
async function backtest(...args: string[]): Promise<Run> {
  const child = Bun.spawn(['bun', 'src/cli.ts', 'backtest', ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: 'postgres://none@127.0.0.1:1/none', NO_COLOR: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, error }
}

/** The service's answer to the same request. */
async function served(request: object): Promise<BacktestResult> {
  const { costs } = await loadMarkets()
  const archive = { recent: async () => [], get: () => Promise.reject(new Error('no archive here')) }
  const body = new TextEncoder().encode(JSON.stringify({ panel, ...request }))
  return decodeResult(await runBacktest({ pool, archive, costs: costs.plain }, body))
}

const written = (name: string): Promise<BacktestResult> => Bun.file(place(name)).json()

describe('asfiled backtest', () => {
  test('gives the numbers of the service to the bit, from CSV and NDJSON, plain and compressed', async () => {
    const truth = await served({
      config: {
        quantile: 0.2,
        weighting: 'rank',
        holdDays: 5,
        neutral: 'market',
        drift: true,
        folds: 3,
        borrowBps: 80,
      },
      include: ['ic', 'quantiles', 'monthly', 'positions'],
    })
    const flags =
      '--quantile .2 --weighting rank --hold-days 5 --neutral market --drift --folds 3 --borrow-bps 80'
    const include = ['--include', 'ic,quantiles,monthly,positions']
    for (const file of ['rows.csv', 'rows.csv.gz', 'rows.ndjson', 'rows.jsonl.gz']) {
      const { code, error } = await backtest(
        place(file),
        ...flags.split(' '),
        ...include,
        '--json',
        place('result.json'),
      )
      expect({ file, code, error }).toEqual({ file, code: 0, error: `Wrote ${place('result.json')}.\n` })
      expect(await written('result.json')).toEqual(truth)
    }
  })

  test('--sweep is the service’s sweep, in words, with the winner and a verdict on the selection', async () => {
    const truth = await served({ sweep: true, config: { direction: 'long_only' } })
    const { code, out } = await backtest(
      place('rows.csv'),
      '--sweep',
      '--direction',
      'long_only',
      '--json',
      place('sweep.json'),
    )
    expect(code).toBe(0)
    expect(await written('sweep.json')).toEqual(truth)
    expect(out).toContain(`The best of 48 configurations: ${truth.best?.label}`)
    expect(out).toMatch(truth.deflated_sharpe?.survives ? /^Passed: / : /^Not proven: |^Inconclusive: /m)
    expect(out.replace(/\s+/g, ' ')).toContain('You tried 48 configurations and selected the best.')
  })

  test('several values of an option are a grid', async () => {
    const truth = await served({
      config: { weighting: 'score' },
      sweep: { quantile: [0.1, 0.2], holdDays: [1, 5] },
    })
    const flags = '--quantile .1,.2 --hold-days 1,5 --weighting score'.split(' ')
    const { code } = await backtest(place('rows.csv'), ...flags, '--json', place('grid.json'))
    expect(code).toBe(0)
    expect(await written('grid.json')).toEqual(truth)
  })

  test('--html writes a tear sheet with everything in it', async () => {
    const { code } = await backtest(place('rows.csv'), '--html', place('sheet.html'), '--title', 'Mine <1>')
    expect(code).toBe(0)
    const page = await Bun.file(place('sheet.html')).text()
    expect(page).toContain('<h1>Mine &lt;1&gt;</h1>')
    expect(page).not.toContain('Not requested')
  })

  test('the summary names each metric, the folds and the costs, in plain characters', async () => {
    const { out } = await backtest(place('rows.csv'), '--cost-bps', '12.5', '--hold-days', '5')
    const truth = await served({ config: { costBps: 12.5, holdDays: 5 } })
    const sharpe = (truth.metrics.sharpe ?? Number.NaN).toFixed(2)
    expect(out).toMatch(new RegExp(`^Sharpe ratio +${sharpe.replace('.', '\\.')}$`, 'm'))
    expect(out).toContain(`${truth.folds[0].test_start} to ${truth.folds[0].test_end}`)
    expect(out).toContain('Costs: 12.5 bps per round trip; borrowing 50 bps per year.')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing but printable ASCII and line ends
    expect(out).toMatch(/^[\x0a\x20-\x7e]*$/)
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  })

  test('exit code 1: computed, with warnings that are shown', async () => {
    const rows = panel.map(
      ({ date, asset, score, forward_return }) => `${date},${asset},${score ?? ''},${forward_return ?? ''}`,
    )
    writeFileSync(place('nameless.csv'), ['date,asset,score,forward_return', ...rows].join('\r\n'))
    const { code, out } = await backtest(place('nameless.csv'))
    expect(code).toBe(1)
    expect(out).toContain('Warning: The default round trip')
    expect(out).toContain('METRIC')
  })

  test('exit code 2: nothing was computed, and the message states how to fix it', async () => {
    writeFileSync(place('bad.csv'), 'date,asset,score,forward_return\n2024-01-02,A,high,0.1\n')
    writeFileSync(place('cut.csv.gz'), gzipSync(csv).subarray(0, 300))
    writeFileSync(place('rows.txt'), csv)
    writeFileSync(place('both.ndjson'), `{"config":{"quantile":0.1}}\n${ndjson}`)
    const faults: [string[], string][] = [
      [[place('none.csv')], 'there is no such file'],
      [[place('rows.txt')], 'must end in .csv'],
      [[place('bad.csv')], 'line 2'],
      [[place('cut.csv.gz')], 'could not be read'],
      [[place('rows.csv'), '--quantile', '.9'], 'config.quantile is 0.9'],
      [[place('rows.csv'), '--quantile', 'few'], '"few" is no number'],
      [[place('rows.csv'), '--folds', 'x'], 'A number is required'],
      [[place('rows.csv'), '--sweep', '--hold-days', '5'], 'leave --sweep out'],
      [[place('rows.csv'), '--include', 'ic,all'], 'include[1]'],
      [[place('rows.csv'), '--fold', '3'], "unknown option '--fold'"],
      [[place('both.ndjson'), '--hold-days', '5'], 'config is given twice'],
      [[place('rows.csv'), '--json', place('x'), '--html', place('x')], 'a file of its own'],
      [[], "missing required argument 'file'"],
    ]
    const runs = await Promise.all(faults.map(([args]) => backtest(...args)))
    runs.forEach(({ code, out, error }, i) => {
      expect({ args: faults[i][0], code, out }).toEqual({ args: faults[i][0], code: 2, out: '' })
      expect(error).toContain(faults[i][1])
    })
  })

  test('--help has examples', async () => {
    const { code, out } = await backtest('--help')
    expect(code).toBe(0)
    expect(out).toContain('asfiled backtest scores.csv --sweep --html sheet.html')
  })
})
