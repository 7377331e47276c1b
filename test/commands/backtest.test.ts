import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { columnFromArray, tableFromColumns, tableToIPC, utf8 } from '@uwdata/flechette'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { decodeResult } from '../../src/backtest/pipeline/encodeResult.ts'
import { operator } from '../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../src/backtest/pool/computePool.ts'
import type { BacktestResult } from '../../src/backtest/result.ts'
import { runBacktest } from '../../src/features/backtests/run.ts'
import { encodeRows } from '../../src/formats/rows.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { asPanel, signals } from '../features/backtests/backtestBench.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { type CommandRun, runInProcess } from './runInProcess.ts'

setDefaultTimeout(180_000)

const root = resolve(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-backtest-'))
const pool = new ComputePool({ threads: 1, queue: 8, timeLimitMs: 60_000 })
afterAll(async () => {
  await pool.close()
  rmSync(folder, { recursive: true, force: true })
})

const panel = asPanel(signals(90))
/** The panel's year is before that of the manifests' costs. */
const costNotice = /^Notice: The costs date from after the traded years, .*\n$/
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

const backtest = (...args: string[]) => runInProcess(['backtest', ...args])

/** In a process of its own, without a database that could be reached: the command must work offline. */
async function spawnBacktest(
  args: readonly string[],
  input: 'ignore' | Blob = 'ignore',
): Promise<CommandRun> {
  const child = Bun.spawn(['bun', 'src/cli.ts', 'backtest', ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: 'postgres://none@127.0.0.1:1/none', NO_COLOR: '1' },
    stdin: input,
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
  const archive = {
    recent: async () => [],
    horizons: async () => [],
    get: () => Promise.reject(new Error('no archive here')),
  }
  const body = new TextEncoder().encode(JSON.stringify({ panel, ...request }))
  return decodeResult(
    await runBacktest({ pool, archive, costs: costs.plain }, body, undefined, { caller: operator }),
  )
}

async function expectFaults(code: number, faults: readonly [string[], string][]): Promise<void> {
  for (const [args, message] of faults)
    expect([args, await backtest(...args)]).toEqual([
      args,
      { code, out: '', error: expect.stringContaining(message) },
    ])
}

const panelSheet = [
  { name: 'date', kind: 'day' },
  { name: 'asset', kind: 'text' },
  { name: 'market', kind: 'text' },
  { name: 'score', kind: 'number' },
  { name: 'forward_return', kind: 'number' },
] as const

const written = (name: string): Promise<BacktestResult> => Bun.file(place(name)).json()

describe('asfiled backtest', () => {
  test('gives the numbers of the service to the bit, from a file in any format', async () => {
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
    for (const file of ['rows.csv.gz', 'rows.ndjson']) {
      const { code, error } = await spawnBacktest([
        place(file),
        ...flags.split(' '),
        ...include,
        '--json',
        place('result.json'),
      ])
      expect({ file, code }).toEqual({ file, code: 0 })
      expect(error.split('\n')[0]).toBe(`Wrote ${place('result.json')}.`)
      expect(await written('result.json')).toEqual(truth)
    }
  })

  test('capacity is the service’s to the bit, from a file in any format', async () => {
    const rows = panel.map((row, i) => ({
      ...row,
      dollar_volume: i % 9 === 0 ? null : 1_000 * (i % 50) + 0.25,
    }))
    const truth = await served({ panel: rows, include: ['capacity'], evidence: { participation: 0.02 } })
    expect(truth.capacity?.participation).toBe(0.02)
    const columns = ['date', 'asset', 'score', 'forward_return', 'market', 'dollar_volume'] as const
    writeFileSync(
      place('volumes.csv'),
      [columns.join(','), ...rows.map(row => columns.map(name => row[name] ?? '').join(','))].join('\n'),
    )
    writeFileSync(place('volumes.ndjson'), rows.map(row => JSON.stringify(row)).join('\n'))
    writeFileSync(place('volumes.json'), JSON.stringify(rows))
    const sheet = [...panelSheet, { name: 'dollar_volume', kind: 'number' }] as const
    writeFileSync(place('volumes.parquet'), await encodeRows('parquet', sheet, {}, rows))
    const flags = ['--include', 'capacity', '--participation', '.02', '--json', place('result.json')]
    for (const file of ['volumes.csv', 'volumes.ndjson', 'volumes.json', 'volumes.parquet']) {
      const { code } = await backtest(place(file), ...flags)
      expect({ file, code }).toEqual({ file, code: 0 })
      expect(await written('result.json')).toEqual(truth)
    }
    await expectFaults(2, [
      [[place('rows.csv'), ...flags], 'capacity needs the dollar volume of names'],
      [
        [place('rows.csv'), '--include', 'capacity', '--participation', '2'],
        '--participation is 2; it must be',
      ],
    ])
  })

  test('the evidence of a sweep is the service’s to the bit, with every setting as an option', async () => {
    const evidence = { seed: 9, bootstraps: 200, meanBlock: 2.5, groups: 5, testGroups: 1 }
    const include = ['spa', 'interval', 'cpcv', 'track_record']
    const truth = await served({ sweep: true, include, evidence, benchmark: 'cash' })
    const flags =
      '--sweep --seed 9 --bootstraps 200 --mean-block 2.5 --benchmark cash --groups 5 --test-groups 1 --include'
    for (const file of ['rows.csv.gz', 'rows.ndjson']) {
      const { code } = await backtest(
        place(file),
        ...flags.split(' '),
        include.join(','),
        '--json',
        place('result.json'),
      )
      expect({ file, code }).toEqual({ file, code: 0 })
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
    const words = out.replace(/\s+/g, ' ')
    expect(words).toContain(`Verdict: ${truth.verdict.level}. `)
    for (const { message } of nonEmpty(truth.verdict.reasons)) expect(words).toContain(message)
    expect(words).toContain('Judged against the universe')
    expect(words).toContain('48 configurations were tried and the best was selected.')
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

  test('default costs are a notice, and no failure', async () => {
    const rows = panel.map(
      ({ date, asset, score, forward_return }) => `${date},${asset},${score ?? ''},${forward_return ?? ''}`,
    )
    writeFileSync(place('nameless.csv'), ['date,asset,score,forward_return', ...rows].join('\r\n'))
    const { code, out, error } = await backtest(place('nameless.csv'))
    expect(code).toBe(0)
    expect(error.split('\n')).toEqual([
      expect.stringMatching(/^Notice: The default round trip of .* Give --cost-bps to use your own\.$/),
      expect.stringMatching(
        /^Notice: The costs date from after .* Give --cost-bps with the costs of that time\.$/,
      ),
      '',
    ])
    expect(out).not.toContain('Warning')
    expect(out).toContain('METRIC')
  })

  test('- reads standard input, packed or not, and --json - writes nothing else to standard output', async () => {
    const truth = await served({ config: { quantile: 0.2 } })
    const inputs = {
      'csv.gz': gzipSync(csv),
      'a request': JSON.stringify({ panel }),
      Parquet: await encodeRows('parquet', panelSheet, {}, panel),
    }
    for (const [name, input] of Object.entries(inputs)) {
      const { code, out, error } = await spawnBacktest(
        ['-', '--quantile', '.2', '--json', '-'],
        new Blob([input]),
      )
      expect([name, code, JSON.parse(out)]).toEqual([name, 0, truth])
      expect(error).toMatch(costNotice)
    }
  })

  test('a byte order mark and CRLF change nothing', async () => {
    const plain = await backtest(place('rows.csv'), '--json', '-')
    const forecasts = panel.map(({ date, asset, market, score, forward_return }) =>
      [date, asset, market, '1d', score, forward_return, 'won', 'live'].join(),
    )
    const head = 'date,ticker,market,horizon,predicted_pct,actual_pct,status,source'
    const texts = [csv, ndjson, `${[head, ...forecasts].join('\n')}\n`]
    for (const text of texts) {
      writeFileSync(place('windows.txt'), `\uFEFF${text.replaceAll('\n', '\r\n')}`)
      const { code, out } = await backtest(place('windows.txt'), '--return-days', '1', '--json', '-')
      expect([code, JSON.parse(out).metrics]).toEqual([0, JSON.parse(plain.out).metrics])
    }
  })

  test('forecasts are read as they are, with the horizon that was chosen', async () => {
    const lines = panel.flatMap(({ date, asset, market, score, forward_return }) =>
      ['1d', '3d'].map(horizon => `${date},${asset},${market},${horizon},${score},${forward_return}`),
    )
    const forecasts = ['date,ticker,market,horizon,predicted_pct,actual_pct', ...lines].join('\n')
    writeFileSync(place('forecasts.csv'), forecasts)
    const truth = await served({ config: { returnDays: 3 } })
    const { code, out } = await backtest(place('forecasts.csv'), '--horizon', '3d', '--json', '-')
    expect([code, JSON.parse(out)]).toEqual([0, truth])
    const open = await backtest(place('forecasts.csv'))
    expect(open).toMatchObject({ code: 2, error: expect.stringContaining('several horizons: 1d, 3d') })
  })

  test('a page of /signals that is not the last is named, with how to get the rest', async () => {
    const data = panel.map(({ date, asset, market, score, forward_return }) => ({
      date,
      ticker: asset,
      market,
      horizon: '1d',
      predicted_pct: score,
      actual_pct: forward_return,
      status: 'won',
      source: 'live',
    }))
    for (const next of ['MjAxNy0w', null]) {
      const answer = { object: 'signal_list', count: data.length, next, data }
      writeFileSync(place('page.json'), JSON.stringify(answer))
      const { code, error } = await backtest(place('page.json'), '--json', place('page.result.json'))
      expect(code).toBe(0)
      expect(error.includes('Notice: The file is one page of /signals: more rows follow it.')).toBe(
        next !== null,
      )
      if (next !== null) expect(error).toContain(`cursor=${next} continues`)
    }
  })

  test('exit code 3: a result is below what was required, or cannot be computed; the result is written all the same', async () => {
    const truth = await served({ sweep: { quantile: [0.1, 0.2] } })
    const { sharpe } = truth.metrics
    const dsr = truth.deflated_sharpe?.dsr ?? null
    if (sharpe === null || dsr === null) throw new Error('these rows need results')
    const grid = [place('rows.csv'), '--quantile', '.1,.2', '--json', '-']
    const enough = await backtest(
      ...grid,
      '--fail-below-sharpe',
      String(sharpe),
      '--fail-below-dsr',
      String(dsr),
    )
    expect(enough.code).toBe(0)
    expect(enough.error).toMatch(costNotice)
    const above = await backtest(
      ...grid,
      '--fail-below-sharpe',
      String(sharpe + 0.01),
      '--fail-below-dsr',
      '1',
    )
    expect([above.code, JSON.parse(above.out)]).toEqual([3, truth])
    expect(above.error).toEndWith(
      `The Deflated Sharpe ratio is ${dsr}, below 1 (--fail-below-dsr).\nThe annualised Sharpe ratio is ${sharpe}, below ${sharpe + 0.01} (--fail-below-sharpe).\n`,
    )
    const two = csv.split('\n').slice(0, 5).join('\n')
    writeFileSync(place('two.csv'), two)
    const none = await backtest(place('two.csv'), '--fail-below-sharpe', '-99')
    expect([none.code, none.error]).toEqual([3, expect.stringContaining('cannot be computed')])
  })

  test('exit code 3: a verdict below the required level, a p-value above its bound, a poor walk-forward, a deep drawdown', async () => {
    const truth = await served({ sweep: { quantile: [0.1, 0.2] }, include: ['spa'] })
    const { oos_sharpe_mean: oos, max_drawdown: drawdown } = truth.metrics
    const p = truth.evidence?.spa?.consistent ?? null
    if (oos === null || drawdown === null || p === null || p === 0) throw new Error('these rows need results')
    const grid = [place('rows.csv'), '--quantile', '.1,.2']
    const met = [
      '--fail-above-spa',
      String(p),
      '--fail-below-oos-sharpe',
      String(oos),
      '--fail-below-max-drawdown',
      String(drawdown),
    ]
    expect((await backtest(...grid, ...met)).code).toBe(0)
    const missed = await backtest(
      ...[...grid, '--fail-above-spa', String(p / 2), '--fail-below-oos-sharpe', String(oos + 1)],
      '--fail-below-max-drawdown',
      String(drawdown / 2),
    )
    expect(missed.code).toBe(3)
    expect(missed.error).toContain(`(consistent) is ${p}, above ${p / 2} (--fail-above-spa).`)
    expect(missed.error).toContain(`Sharpe ratio is ${oos}, below ${oos + 1} (--fail-below-oos-sharpe).`)
    expect(missed.error).toContain(
      `max drawdown is ${drawdown}, below ${drawdown / 2} (--fail-below-max-drawdown).`,
    )
  })

  test('--fail-verdict passes from its level up, and a verdict that is withheld passes none', async () => {
    const { verdict } = await served({})
    expect(verdict.level).toBe('none')
    const codes = async (file: string) => {
      const found: number[] = []
      for (const level of ['none', 'weak', 'strong'])
        found.push((await backtest(place(file), '--fail-verdict', level)).code)
      return found
    }
    expect(await codes('rows.csv')).toEqual([0, 3, 3])
    // A score that follows the return, less a little noise, and returns that do not depend on each other.
    const known = panel.map((row, i) => ({ ...row, score: 50 * (row.forward_return ?? 0) + Math.sin(i * i) }))
    writeFileSync(place('skilled.ndjson'), known.map(row => JSON.stringify(row)).join('\n'))
    const skilled = await served({ panel: known })
    if (skilled.verdict.level !== 'withheld') {
      expect(skilled.verdict.level).toBe('strong')
      expect(await codes('skilled.ndjson')).toEqual([0, 0, 0])
    }
    const percent = panel.map(row => ({ ...row, forward_return: Math.abs(100 * (row.forward_return ?? 0)) }))
    writeFileSync(place('percent.ndjson'), percent.map(row => JSON.stringify(row)).join('\n'))
    const { error } = await backtest(place('percent.ndjson'), '--fail-verdict', 'none')
    expect(error).toContain(
      'The verdict is withheld, below none (--fail-verdict). The returns look like percent',
    )
    expect(await codes('percent.ndjson')).toEqual([3, 3, 3])
  })

  test('--benchmark is cash, the universe or a file of returns, as the service takes them', async () => {
    const days = [...new Set(panel.map(({ date }) => date))]
    const returns = days.map((_, i) => Math.sin(i) / 100)
    writeFileSync(
      place('index.csv'),
      ['name,return,date', ...days.map((day, i) => `x,${returns[i]},${day}`)].join('\r\n'),
    )
    const parquetOf = (columnData: Parameters<typeof parquetWriteBuffer>[0]['columnData']) =>
      new Uint8Array(parquetWriteBuffer({ columnData }))
    const midnights = days.map(day => new Date(`${day}T00:00:00Z`))
    writeFileSync(
      place('index.parquet'),
      parquetOf([
        { name: 'name', data: days.map(() => 'x'), type: 'STRING' },
        { name: 'return', data: returns, type: 'DOUBLE' },
        { name: 'date', data: midnights, type: 'TIMESTAMP' },
      ]),
    )
    const table = tableFromColumns({ date: columnFromArray(days, utf8()), return: columnFromArray(returns) })
    writeFileSync(place('index.arrows'), tableToIPC(table, { format: 'stream' }) ?? new Uint8Array(0))
    const cases = [
      ['cash', 'cash', 'cash'],
      ['universe', 'universe', 'universe'],
      [place('index.csv'), { date: days, return: returns }, 'series'],
      [place('index.parquet'), { date: days, return: returns }, 'series'],
      [place('index.arrows'), { date: days, return: returns }, 'series'],
    ] as const
    for (const [option, benchmark, used] of cases) {
      const { code } = await backtest(
        place('rows.csv'),
        '--benchmark',
        option,
        '--json',
        place('judged.json'),
      )
      expect(code).toBe(0)
      const found = await written('judged.json')
      expect(found).toEqual(await served({ benchmark }))
      expect(found.benchmark).toBe(used)
    }
    writeFileSync(place('short.csv'), `date,return\n${days[0]},0.01\n`)
    writeFileSync(place('odd.csv'), `date,return\n${days[0]},1%\n`)
    writeFileSync(place('wrong.csv'), `day,index\n${days[0]},0.01\n`)
    writeFileSync(
      place('hole.parquet'),
      parquetOf([
        { name: 'date', data: [days[0], days[1]], type: 'STRING' },
        { name: 'return', data: [0.01, Number.NaN], type: 'DOUBLE' },
      ]),
    )
    writeFileSync(place('prices.parquet'), parquetOf([{ name: 'close', data: [1], type: 'DOUBLE' }]))
    await expectFaults(2, [
      [
        [place('rows.csv'), '--benchmark', 'spx'],
        '--benchmark: spx does not exist. Give cash, universe or a CSV, Parquet or Arrow file',
      ],
      [[place('rows.csv'), '--benchmark', place('short.csv')], '--benchmark has no return for'],
    ])
    await expectFaults(1, [
      [[place('rows.csv'), '--benchmark', place('odd.csv')], 'odd.csv: line 2: "1%" is not a return'],
      [[place('rows.csv'), '--benchmark', place('wrong.csv')], 'must name the columns date and return'],
      [
        [place('rows.csv'), '--benchmark', place('hole.parquet')],
        'hole.parquet: row 2: null is not a return as a fraction',
      ],
      [
        [place('rows.csv'), '--benchmark', place('prices.parquet')],
        'prices.parquet must have the columns date and return; it has close.',
      ],
    ])
  })

  test('exit code 1: the rows cannot be computed; the message names the file and the place', async () => {
    writeFileSync(place('bad.csv'), 'date,asset,score,forward_return\n2024-01-02,A,high,0.1\n')
    writeFileSync(place('cut.csv.gz'), gzipSync(csv).subarray(0, 300))
    const faults: [string[], string][] = [
      [[place('bad.csv')], 'bad.csv: line 2.score is "high"'],
      [[place('cut.csv.gz')], 'cut.csv.gz looks packed with gzip, but cannot be unpacked. Pack it again.'],
      [[place('rows.csv'), '--format', 'parquet'], 'rows.csv: It cannot be read as Parquet'],
    ]
    const zone = join(root, 'test/commands/fixtures/refused-zone.parquet')
    faults.push([[zone], 'refused-zone.parquet: row 1.date is "2024-01-01T15:00:00.000Z"'])
    await expectFaults(1, faults)
  })

  test('exit code 1: what is no rows is named, instead of a cell in its bytes', async () => {
    const packed: Record<string, string> = {
      'a.zip': 'PK\x03\x04',
      'a.xz': '\xfd7zXZ\0',
      'a.bz2': 'BZh91AY',
      'a.zst': '\x28\xb5\x2f\xfd',
      'a.txt': '\xff\xfed\0a\0',
    }
    for (const [name, bytes] of Object.entries(packed)) writeFileSync(place(name), bytes, 'latin1')
    writeFileSync(place('empty.csv'), '')
    await expectFaults(1, [
      [[place('a.zip')], 'a.zip is a zip archive. Unpack it, or use gzip or zstd.'],
      [[place('a.xz')], 'xz'],
      [[place('a.bz2')], 'bzip2'],
      [[place('a.zst')], 'a.zst looks packed with zstd, but cannot be unpacked'],
      [[place('a.txt')], 'UTF-16. Save it as UTF-8'],
      [[place('empty.csv')], 'empty.csv is empty.'],
    ])
    const none = await spawnBacktest(['-', '--json', '-'])
    expect(none).toEqual({ code: 1, out: '', error: 'asfiled: standard input is empty.\n' })
  })

  test('exit code 2: wrong usage; the message names the option', async () => {
    writeFileSync(place('both.ndjson'), `{"config":{"quantile":0.1}}\n${ndjson}`)
    await expectFaults(2, [
      [[place('none.csv')], 'does not exist'],
      [[folder], 'is a folder'],
      [[place('rows.csv'), '--quantile', '.9'], '--quantile is 0.9'],
      [[place('rows.csv'), '--quantile', 'few'], '"few" is not a number'],
      [[place('rows.csv'), '--folds', 'x'], 'A number is required'],
      [[place('rows.csv'), '--sweep', '--hold-days', '5'], 'omit --sweep'],
      [[place('rows.csv'), '--include', 'ic,all'], '--include is "all"'],
      [[place('rows.csv'), '--include', 'spa', '--bootstraps', '5'], '--bootstraps is 5'],
      [[place('rows.csv'), '--seed', '5'], '--include'],
      [[place('rows.csv'), '--return-days', '2', '--hold-days', '5'], '--hold-days is 5'],
      [[place('rows.csv'), '--fold', '3'], "unknown option '--fold'"],
      [[place('both.ndjson'), '--hold-days', '5'], 'both.ndjson and an option both set config'],
      [[place('rows.csv'), '--json', place('x'), '--html', place('x')], 'its own file'],
      [[place('rows.csv'), '--json', place('rows.csv')], '--json would overwrite the file with the rows'],
      [[place('rows.csv'), '--html', ''], '--html is empty'],
      [[place('rows.csv'), '--json', place('no/x.json')], 'there is no folder'],
      [[place('rows.csv'), '--html', place('no/x.html')], 'there is no folder'],
      [[place('rows.csv'), '--html', folder], '--html is'],
      [[place('rows.csv'), '--json', place('rows.csv/x.json')], 'there is no folder'],
      [[place('rows.csv'), '--quantile', '.1,.2,.1'], '--quantile contains 0.1 twice'],
      [[''], 'The name of the file is empty'],
      [[place('rows.csv'), '--horizon', '1d'], 'rows.csv: --horizon'],
      [[place('rows.csv'), '--fail-below-dsr', '.5'], 'requires a sweep'],
      [[place('rows.csv'), '--fail-below-dsr', '95'], 'A number from 0 to 1'],
      [[place('rows.csv'), '--fail-verdict', 'good'], 'strong, weak, none'],
      [[place('rows.csv'), '--fail-below-max-drawdown', '20'], 'A fraction from -1 to 0'],
      [[place('rows.csv'), '--compare', 'as_known,final'], 'POST /api/v1/backtest of a server'],
      [[], "missing required argument 'file'"],
    ])
    expect(existsSync(place('no'))).toBe(false)
  })

  test('--help has examples', async () => {
    const { code, out } = await backtest('--help')
    expect(code).toBe(0)
    expect(out).toContain('./asfiled backtest forecasts.csv.gz --horizon 1d --sweep --html sheet.html')
  })
})
