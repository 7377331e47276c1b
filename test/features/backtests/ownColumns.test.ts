import { afterAll, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { openDataset, packDataset } from '../../../src/backtest/dataset/packed.ts'
import { decodeResult } from '../../../src/backtest/pipeline/encodeResult.ts'
import { packPanel } from '../../../src/backtest/pipeline/panelDataset.ts'
import { runPanelBacktest } from '../../../src/backtest/pipeline/runRequest.ts'
import { operator } from '../../../src/backtest/pool/caller.ts'
import type { BodyFormat, BodyQuery } from '../../../src/backtest/request.ts'
import { BacktestResult } from '../../../src/backtest/result.ts'
import { registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { runBacktest } from '../../../src/features/backtests/run.ts'
import { randomPanel } from '../../backtest/scoring/randomPanel.ts'
import { asPanel, costs, openBench, signals } from './backtestBench.ts'

registerFormats()
const resultCheck = TypeCompiler.Compile(BacktestResult)
const bench = openBench()
afterAll(bench.close, 60_000)

const rows = randomPanel(11, 40).map(({ twin: _, ...row }) => row)
const names = ['date', 'asset', 'market', 'group', 'score', 'forward_return', 'beta', 'size'] as const
const neutralise = { demean: ['group' as const], columns: ['beta', 'size'] }
const settings = { config: { quantile: 0.2, neutralise }, include: ['ic' as const, 'by_group' as const] }
const query: BodyQuery = { config: JSON.stringify(settings.config), include: 'ic,by_group' }

const encode = (text: string) => new TextEncoder().encode(text)
const text = (value: string | number | null) => (value === null ? '' : String(value))

function csv(columns: readonly (typeof names)[number][] = names): Uint8Array<ArrayBuffer> {
  return encode(
    [columns.join(','), ...rows.map(row => columns.map(name => text(row[name])).join(','))].join('\n'),
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

const bodies: Record<string, [BodyFormat, Uint8Array<ArrayBuffer>, BodyQuery]> = {
  rows: ['json', encode(JSON.stringify({ panel: rows, ...settings })), {}],
  'settings first': ['json', encode(JSON.stringify({ ...settings, panel: rows })), {}],
  shuffled: ['json', encode(JSON.stringify({ ...settings, panel: shuffled.map(({ row }) => row) })), {}],
  // Rows with an omitted value, and keys in an order of their own, are read on the slow path or with another guess.
  sparse: [
    'json',
    encode(
      JSON.stringify({
        panel: rows.map((row, i) =>
          Object.fromEntries(
            Object.entries(row)
              .filter(([name, value]) => value !== null || name === 'score' || name === 'forward_return')
              .sort(([a], [b]) => (i % 2 === 0 ? (a < b ? -1 : 1) : a < b ? 1 : -1)),
          ),
        ),
        ...settings,
      }),
    ),
    {},
  ],
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

test('columns of a caller’s own give one result, to the bit, in every form of a body and from a stored panel', async () => {
  const truth = await ask(bodies.rows)
  expect(resultCheck.Errors(truth).First()?.path).toBeUndefined()
  expect(truth.by_group?.map(({ group }) => group)).toEqual(['G0', 'G1', 'G2', 'G3'])
  expect(truth.neutralised?.definition).toBe(
    'Scores are the residuals of a regression, date by date, on beta, size and a constant for each group.',
  )
  expect(truth.dropped.rows_without_score).toBe(
    rows.filter(({ score }) => score === null).length +
      (truth.neutralised?.rows_without_exposure ?? 0) +
      (truth.neutralised?.rows_without_residual ?? 0),
  )
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
    const packed = await packPanel({ body: own, format, columns: ['beta', 'size'] })
    const opened = openDataset(packDataset(packed.data))
    if (opened === null) throw new Error('the packed panel is damaged')
    const result = runPanelBacktest(opened, settings, costs)
    expect([name, JSON.stringify(result)]).toEqual([name, JSON.stringify(truth)])
  }
})

test('a column that nothing names is refused as before, in every form', async () => {
  const bare = { config: {}, include: [] }
  const plain = rows.map(({ size: _, ...row }) => row)
  const sent: (typeof bodies)[string][] = [
    ['json', encode(JSON.stringify({ panel: plain, ...bare })), {}],
    ['json', encode(JSON.stringify({ panel: { ...columns, size: undefined }, ...bare })), {}],
    ['csv', csv(['date', 'asset', 'score', 'forward_return', 'beta']), {}],
    ['ndjson', encode(plain.map(line => JSON.stringify(line)).join('\n')), {}],
    ['parquet', parquet(), {}],
  ]
  for (const body of sent) {
    const error = await ask(body).catch((reason: unknown) => reason)
    expect(error instanceof Failure && error.message).toContain('beta')
    expect(error instanceof Failure && error.message).toContain('unknown')
  }
  const misspelt = { panel: rows, config: { neutralise: { columns: ['beta'] } } }
  const error = await ask(['json', encode(JSON.stringify(misspelt)), {}]).catch((reason: unknown) => reason)
  expect(error instanceof Failure && error.message).toBe(
    'panel[0].size is unknown. Allowed here: date, asset, market, score, forward_return, dollar_volume, group, close, borrow_bps. A column of your own must be named in config.neutralise.columns, config.rankBy or scores.',
  )
})

test('a text in a column of numbers is refused with its place', async () => {
  const broken = rows.map((row, i) => (i === 3 ? { ...row, beta: 'high' } : row))
  const cases: (typeof bodies)[string][] = [
    [
      'json',
      encode(JSON.stringify({ panel: { ...columns, beta: broken.map(({ beta }) => beta) }, ...settings })),
      {},
    ],
    ['ndjson', encode([settings, ...broken].map(line => JSON.stringify(line)).join('\n')), {}],
    ['csv', encode(`date,asset,score,forward_return,group,beta,size\n2024-01-02,A,1,0,G,high,1`), query],
  ]
  const found = []
  for (const body of cases) {
    const error = await ask(body).catch((reason: unknown) => reason)
    found.push(error instanceof Failure ? error.message : String(error))
  }
  expect(found).toEqual([
    'panel.beta[3] is "high"; it must be a number from -1e+300 to 1e+300 or null.',
    'line 5.beta is "high"; it must be a number from -1e+300 to 1e+300 or null.',
    'line 2.beta is "high"; it must be a number from -1e+300 to 1e+300 or an empty cell.',
  ])
})

test('the archive is demeaned by market and explained by factors like its rows as a panel, and what it lacks is said', async () => {
  const panel = asPanel(signals(80))
  const date = [...new Set(panel.map(row => row.date))]
  const factors = { date, returns: { up: date.map((_, t) => Math.sin(t * 12.9898) / 50) } }
  const request = { config: { neutralise: { demean: ['market'] } }, factors, include: ['positions'] }
  const ofArchive = await bench.run({ source: {}, ...request })
  const ofPanel = await bench.run({ panel, ...request })
  for (const name of ['metrics', 'equity_curve', 'neutralised', 'factors', 'positions', 'dropped'] as const) {
    expect(ofArchive[name]).toBeDefined()
    expect(ofArchive[name]).toEqual(ofPanel[name])
  }
  const refused: [object, string][] = [
    [{ config: { neutralise: { demean: ['group'] } } }, 'Send a panel with the column group'],
    [{ config: { rankBy: { columns: ['value'] } } }, 'names the column value, but only rows of your own'],
    [{ scores: ['value', 'quality'] }, 'names the column value, but only rows of your own'],
  ]
  for (const [body, message] of refused) {
    const error = await bench.run({ source: {}, ...body }).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error instanceof Failure ? error.message : null).toContain(message)
  }
})
