import { afterAll, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { openDataset, packDataset } from '../../../src/backtest/dataset/packed.ts'
import { openBatch, runBatchItems } from '../../../src/backtest/pipeline/batch.ts'
import { decodeResult } from '../../../src/backtest/pipeline/encodeResult.ts'
import { packPanel } from '../../../src/backtest/pipeline/panelDataset.ts'
import { runPanelBacktest } from '../../../src/backtest/pipeline/runRequest.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { ComputePool } from '../../../src/backtest/pool/computePool.ts'
import type { BacktestConfig, BodyFormat, BodyQuery } from '../../../src/backtest/request.ts'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { costs, openBench } from './backtestBench.ts'
import { closingRows } from './closingRows.ts'

registerFormats()
const resultCheck = TypeCompiler.Compile(BacktestResult)
const bench = openBench()
afterAll(bench.close, 60_000)

const rows = closingRows()
const names = [
  'date',
  'asset',
  'market',
  'group',
  'score',
  'close',
  'borrow_bps',
  'dollar_volume',
  'beta',
] as const
const trading = {
  maxTurnover: 0.5,
  maxWeight: 0.2,
  targetVolatility: 0.12,
  volatilityPeriods: 10,
  impact: 0.6,
  capital: 1e6,
  impactPeriods: 10,
}
const config: BacktestConfig = {
  quantile: 0.2,
  entryDates: 1,
  delistingReturn: -0.5,
  neutralise: { columns: ['beta'], demean: ['group'] },
  trading,
}
const settings = { config, include: ['ic' as const, 'by_group' as const, 'capacity' as const] }
const query: BodyQuery = { config: JSON.stringify(config), include: 'ic,by_group,capacity' }

const encode = (text: string) => new TextEncoder().encode(text)
const cell = (value: string | number | null) => (value === null ? '' : String(value))

function csv(columns: readonly (typeof names)[number][] = names): Uint8Array<ArrayBuffer> {
  return encode(
    [columns.join(','), ...rows.map(row => columns.map(name => cell(row[name])).join(','))].join('\n'),
  )
}

function parquet(): Uint8Array<ArrayBuffer> {
  const texts = ['date', 'asset', 'market', 'group']
  const columnData = names.map(name => ({
    name,
    data: rows.map(row => row[name]),
    type: texts.includes(name) ? ('STRING' as const) : ('DOUBLE' as const),
  }))
  return new Uint8Array(parquetWriteBuffer({ columnData }))
}

const columns = Object.fromEntries(names.map(name => [name, rows.map(row => row[name])]))
const shuffled = rows.map((row, i) => ({ row, key: Math.sin(12.9898 * i) })).sort((a, b) => a.key - b.key)
/** Rows with omitted values and in another order of keys, which are read on the slow path. */
const sparse = rows.map((row, i) =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name, value]) => value !== null || name === 'score' || name === 'close')
      .sort(([a], [b]) => (i % 2 === 0 ? (a < b ? -1 : 1) : a < b ? 1 : -1)),
  ),
)

const bodies: Record<string, [BodyFormat, Uint8Array<ArrayBuffer>, BodyQuery]> = {
  rows: ['json', encode(JSON.stringify({ panel: rows, ...settings })), {}],
  'settings first': ['json', encode(JSON.stringify({ ...settings, panel: rows })), {}],
  shuffled: ['json', encode(JSON.stringify({ ...settings, panel: shuffled.map(({ row }) => row) })), {}],
  sparse: ['json', encode(JSON.stringify({ panel: sparse, ...settings })), {}],
  columns: ['json', encode(JSON.stringify({ panel: columns, ...settings })), {}],
  csv: ['csv', csv(), query],
  'csv in another order': ['csv', csv([...names].reverse()), query],
  ndjson: ['ndjson', encode([settings, ...rows].map(line => JSON.stringify(line)).join('\n')), {}],
  parquet: ['parquet', parquet(), query],
}

const ask = ([format, bytes, sent]: (typeof bodies)[string]) =>
  runBacktest(bench.deps, new Uint8Array(bytes), undefined, { caller: operator, format, query: sent }).then(
    decodeResult,
  )

async function run(body: unknown): Promise<BacktestResult> {
  const result = await bench.run(body)
  expect(resultCheck.Errors(result).First()?.path).toBeUndefined()
  return result
}

test('closes, borrow costs, groups and own columns give one result, to the bit, in every form of a body and from a stored panel', async () => {
  const truth = await ask(bodies.rows)
  expect(resultCheck.Errors(truth).First()?.path).toBeUndefined()
  expect(truth.returns).toMatchObject({ from: 'close', entryDates: 1, delistingReturn: -0.5, dates: 1 })
  expect(truth.returns?.rows_carried).toBeGreaterThan(0)
  expect(truth.returns?.rows_delisted).toBeGreaterThan(0)
  expect(truth.trading).toMatchObject({ maxWeight: 0.2, borrow_by_name: true })
  expect(truth.trading?.periods_turnover_capped).toBeGreaterThan(0)
  expect(truth.trading?.impact_annual).toBeGreaterThan(0)
  expect(truth.capacity).toBeDefined()
  for (const [name, body] of Object.entries(bodies)) {
    const result = await ask(body)
    expect([name, JSON.stringify(result)]).toEqual([name, JSON.stringify(truth)])
  }
  for (const name of ['rows', 'columns', 'csv', 'ndjson', 'parquet']) {
    const [format, bytes] = bodies[name]
    const own =
      format === 'json'
        ? encode(JSON.stringify({ panel: name === 'rows' ? rows : columns }))
        : format === 'ndjson'
          ? encode(rows.map(line => JSON.stringify(line)).join('\n'))
          : new Uint8Array(bytes)
    const packed = await packPanel({ body: own, format, columns: ['beta'] })
    const opened = openDataset(packDataset(packed.data))
    if (opened === null) throw new Error('the packed panel is damaged')
    const result = runPanelBacktest(opened, settings, costs)
    expect([name, JSON.stringify(result)]).toEqual([name, JSON.stringify(truth)])
  }
})

test('a sweep on closes and under limits is the same to the bit with one thread and with three, as page and as JSON', async () => {
  const body = {
    panel: rows,
    config,
    sweep: { quantile: [0.1, 0.2, 0.3], weighting: ['equal', 'rank', 'score'], holdDays: [1, 3] },
    include: ['spa', 'cpcv', 'ic'],
  }
  const results: string[] = []
  for (const threads of [1, 3]) {
    const pool = new ComputePool({ threads, queue: 50, timeLimitMs: 60_000 })
    try {
      const { deps } = openBench({ pool })
      for (const resultFormat of ['json', 'html'] as const) {
        const sent = encode(JSON.stringify(body))
        const { bytes } = await runBacktest(deps, sent, undefined, { caller: operator, resultFormat })
        results.push(new TextDecoder().decode(bytes))
      }
    } finally {
      await pool.close()
    }
  }
  expect(results[2]).toBe(results[0])
  expect(results[3]).toBe(results[1])
  const result: BacktestResult = JSON.parse(results[0])
  expect(resultCheck.Errors(result).First()?.path).toBeUndefined()
  expect(result.trials?.length).toBe(18)
  for (const shown of [
    'Returns are computed from closes',
    'Turnover capped',
    'Leverage',
    'Impact paid per year',
  ])
    expect(results[1]).toContain(shown)
  // Each trial is the record of its configuration alone.
  const best = result.best?.config
  const alone = await run({
    panel: rows,
    config: {
      ...config,
      quantile: best?.quantile,
      weighting: best?.weighting,
      holdDays: best?.holdDays,
    },
  })
  expect(alone.metrics.sharpe).toBe(result.best?.metrics.sharpe ?? null)
})

test('a batch has a calendar, limits and entries of its own for each backtest', async () => {
  const configs: BacktestConfig[] = [
    { rebalance: 'month_end', trading: { targetVolatility: 0.1, volatilityPeriods: 5 } },
    { rebalance: 'weekly:FRI', entryDates: 0 },
    { rebalance: 'weekly:FRI', entryDates: 3, trading: { maxWeight: 0.1 } },
    { returnDays: 5, delistingReturn: -1 },
    { returnDays: 5, trading: { maxTurnover: 0.2 } },
    { returnDays: 5, trading: { impact: 1, capital: 1e5 } },
  ]
  const opened = openBatch(encode(JSON.stringify({ panel: rows.map(({ beta: _, ...row }) => row), configs })))
  const { panel: data } = opened
  if (data === null) throw new Error('the batch has rows')
  const { lines, failures } = runBatchItems({
    data,
    dataVersion: null,
    entries: opened.items.map(({ config: own, include }, index) => ({
      index,
      config: own,
      include,
      source: null,
    })),
    size: configs.length,
    costs,
    stop: new Int32Array(new SharedArrayBuffer(4)),
  })
  expect(failures).toEqual([])
  const found = new TextDecoder()
    .decode(lines)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(found.length).toBe(configs.length)
  for (const { index, result } of found) {
    const {
      verdict: _,
      request: __,
      ...alone
    } = await run({
      panel: rows.map(({ beta: ___, ...row }) => row),
      config: configs[index],
    })
    const { verdict: ____, request: _____, ...own } = result
    expect(own).toEqual(JSON.parse(JSON.stringify(alone)))
  }
})

const plain = rows.map(({ beta: _, ...row }) => row)

test('a batch on the archive refuses what a single backtest refuses, whichever came before', () => {
  const sent = plain.map(({ close: _, ...row }) => ({ ...row, forward_return: 0.01 }))
  const { panel: data } = openBatch(encode(JSON.stringify({ panel: sent, configs: [{}] })))
  if (data === null) throw new Error('the batch has rows')
  const configs: BacktestConfig[] = [{}, { entryDates: 1 }, { delistingReturn: -1 }]
  const { failures } = runBatchItems({
    data,
    dataVersion: 1,
    entries: configs.map((own, index) => ({ index, config: own, include: [], source: { horizon: '1d' } })),
    size: configs.length,
    costs,
    stop: new Int32Array(new SharedArrayBuffer(4)),
  })
  expect(failures.map(({ index }) => index)).toEqual([1, 2])
})

test('horizons count the trials that were tried before, and factors explain the first', async () => {
  const config = { horizons: [1, 5], entryDates: 0 }
  const bare = await run({ panel: plain, config })
  const tried = await run({ panel: plain, config, trials_already_tried: 50 })
  expect([bare.verdict.trials, tried.verdict.trials]).toEqual([2, 52])
  bare.horizons?.forEach(({ dsr }, i) => {
    expect(tried.horizons?.[i].dsr ?? 1).toBeLessThan(dsr ?? 0)
  })
  const dates = [...new Set(rows.map(({ date }) => date))]
  const factors = { date: dates, returns: { MKT: dates.map((_, t) => Math.sin(t) / 100) } }
  const explained = await run({ panel: plain, config, factors })
  const alone = await run({ panel: plain, config: { returnDays: 1, entryDates: 0 }, factors })
  expect(explained.factors?.betas).toEqual(alone.factors?.betas)
  expect(explained.factors?.unmatched).toEqual([])
})

test('the borrow costs of names are annual, with limits and without', async () => {
  const own = plain.map(row => ({ ...row, borrow_bps: 400 }))
  const bare = plain.map(({ borrow_bps: _, ...row }) => row)
  for (const shared of [{ returnDays: 5 }, { rebalance: 'month_end' }, { trading: { maxTurnover: 0.5 } }]) {
    const named = await run({ panel: own, config: { ...shared, borrowBps: 7 } })
    const flat = await run({ panel: bare, config: { ...shared, borrowBps: 400 } })
    named.equity_curve.forEach((value, t) => {
      expect(value).toBeCloseTo(flat.equity_curve[t] ?? 0, 12)
    })
    expect(named.metrics.cost_drag_annual).toBeCloseTo(flat.metrics.cost_drag_annual ?? 0, 12)
  }
})

test('the trading costs of markets, impact included, sum to those of the record', async () => {
  for (const limits of [{ impact: 0.6, capital: 1e6, impactPeriods: 10 }, { maxTurnover: 0.3 }]) {
    const {
      performance,
      metrics,
      periods_per_year,
      trading: used,
    } = await run({
      panel: plain,
      config: { quantile: 0.2, borrowBps: 0, trading: limits },
      include: ['performance'],
    })
    const sum = performance?.markets.reduce((total, one) => total + (one.trading_cost_annual ?? 0), 0)
    expect(used?.impact_annual === 0).toBe(limits.impact === undefined)
    expect(periods_per_year).toBe(252)
    const free = plain.map(({ borrow_bps: _, ...row }) => row)
    const whole = await run({ panel: free, config: { quantile: 0.2, borrowBps: 0, trading: limits } })
    expect(sum).toBeCloseTo(whole.metrics.cost_drag_annual ?? 0, 12)
    expect(metrics.cost_drag_annual).toBeGreaterThan(sum ?? 0)
  }
})

test('what contradicts closes, horizons or limits is refused by name', async () => {
  const sent = plain.map(({ close, ...row }) => ({ ...row, forward_return: close === null ? null : 0 }))
  const withoutVolume = plain.map(({ dollar_volume: _, ...row }) => row)
  const cases: [object, string][] = [
    [{ panel: plain.map(row => ({ ...row, forward_return: 0 })) }, 'both close and forward_return'],
    [{ panel: [{ ...plain[0], close: 0 }] }, 'panel[0].close is 0'],
    [{ panel: [{ ...plain[0], close: -5 }] }, 'panel[0].close is -5'],
    [{ panel: [{ ...plain[0], borrow_bps: -1 }] }, 'panel[0].borrow_bps is -1'],
    [
      { panel: sent, config: { entryDates: 1 } },
      'config.entryDates sets how returns are computed from closes',
    ],
    [
      { panel: sent, config: { horizons: [1, 5] } },
      'config.horizons sets how returns are computed from closes',
    ],
    [{ panel: plain, config: { horizons: [1, 5] }, sweep: true }, 'config.horizons and sweep are both given'],
    [
      {
        panel: rows.map(({ score: _, ...row }) => ({ ...row, value: row.beta })),
        config: { horizons: [1, 5] },
        scores: ['beta', 'value'],
      },
      'config.horizons and scores are both given',
    ],
    [
      { panel: plain, config: { horizons: [1, 5], rebalance: 'month_end' } },
      'config.horizons and config.rebalance are both given',
    ],
    [{ panel: plain, config: { rebalance: 'month_end', returnDays: 5 } }, 'Omit returnDays'],
    [{ panel: plain.slice(0, 40), config: { rebalance: 'month_end' } }, 'finds no period'],
    [{ panel: plain.slice(0, 20), config: {} }, 'A return takes 2 dates'],
    [{ panel: withoutVolume, config: { trading: { impact: 1, capital: 1e6 } } }, 'no row has one'],
    [{ panel: plain, config: { trading: { impact: 1 } } }, 'Send config.trading.capital'],
    [{ panel: plain, config: { trading: { maxWeight: 0 } } }, 'config.trading.maxWeight is 0'],
    [{ config: { rebalance: 'month_end' }, source: { horizon: '3d' } }, 'Send the horizon 1d'],
  ]
  for (const [body, message] of cases) {
    const error = await bench.run(body).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Failure)
    expect(error instanceof Failure ? error.message : String(error)).toContain(message)
  }
})
