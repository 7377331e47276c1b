import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { parse } from 'csv-parse/sync'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { makePanelBody } from '../../src/backtest/panelFile/panelBody.ts'
import type { PanelFormat } from '../../src/backtest/panelFile/panelFormat.ts'
import { recogniseFormat } from '../../src/backtest/panelFile/panelFormat.ts'
import { readParquetPanel } from '../../src/backtest/panelFile/parquetPanel.ts'
import { readParquet } from '../../src/backtest/panelFile/parquetTable.ts'
import { readPanelFile } from '../../src/backtest/pipeline/readPanelFile.ts'
import { isoDate } from '../../src/dates.ts'
import { Failure } from '../../src/errors.ts'
import { signalSheet } from '../../src/features/signals/schema.ts'
import { encodeRows } from '../../src/formats/rows.ts'
import type { Horizon } from '../../src/horizons.ts'

setDefaultTimeout(180_000)

const fixture = (name: string) => Bun.file(resolve(import.meta.dir, 'fixtures', name)).bytes()
const utf8 = (text: string) => new TextEncoder().encode(text)

interface Options {
  format?: PanelFormat
  horizon?: Horizon
}

const make = (bytes: Uint8Array<ArrayBuffer>, { format, horizon }: Options = {}, settings = {}) =>
  makePanelBody({ bytes, format, horizon }, settings)

async function sent(bytes: Uint8Array<ArrayBuffer>, options?: Options) {
  const made = await make(bytes, options)
  if (made.format !== 'parquet') return JSON.parse(new TextDecoder().decode(made.bytes))
  const { columns } = await readParquetPanel(made.bytes)
  const rows = Array.from({ length: columns.count }, (_, row) => row)
  const numbers = (values: Float64Array) => rows.map(row => (Number.isNaN(values[row]) ? null : values[row]))
  return {
    panel: {
      date: rows.map(row => isoDate(columns.day[row])),
      asset: rows.map(row => columns.assetNames[columns.asset[row]]),
      market: rows.map(row => columns.marketNames[columns.market[row]] || null),
      score: numbers(columns.score),
      forward_return: numbers(columns.forwardReturn),
    },
  }
}

async function refusal(bytes: Uint8Array<ArrayBuffer>, options?: Options): Promise<Failure> {
  const error = await sent(bytes, options).catch((error: unknown) => error)
  if (error instanceof Failure) return error
  throw new Error('not refused', { cause: error })
}

/** The rows that fixtures/make.py wrote, as csv-parse reads them. */
async function panelColumns() {
  const text = new TextDecoder().decode(await fixture('panel.csv'))
  const rows: Record<string, string>[] = parse(text, { columns: true })
  const texts = (name: string) => rows.map(row => row[name] || null)
  const numbers = (name: string) => rows.map(row => (row[name] === '' ? null : Number(row[name])))
  return {
    date: texts('date'),
    asset: texts('asset'),
    market: texts('market'),
    score: numbers('score'),
    forward_return: numbers('forward_return'),
  }
}

describe('the format of rows is recognised by their bytes', () => {
  const row = '{"date":"2024-01-02","asset":"A","score":1,"forward_return":0.1}'
  const cases: [PanelFormat, string][] = [
    ['csv', 'date,asset,score,forward_return\n2024-01-02,A,1,0.1\n'],
    ['csv', '\uFEFF"date",asset,score,forward_return\n'],
    ['csv', ''],
    ['ndjson', `${row}\n${row}\n`],
    ['ndjson', `\uFEFF${row}`],
    ['ndjson', `{"config":{"quantile":0.1}}\n${row}`],
    ['ndjson', `${row.replace('"A"', '"}{\\""')}\n${row}`],
    ['json', `[${row}]`],
    ['json', ` {"panel":[${row}]}`],
    ['json', `{"config":{},\n"panel":[${row}]}`],
    ['json', '{"date":["2024-01-02"],"asset":["A"],"score":[1],"forward_return":[0.1]}'],
    ['json', `{"date":[${'"2024-01-02",'.repeat(10_000)}"2024-01-03"]}`],
    ['parquet', 'PAR1...'],
  ]
  for (const [format, text] of cases)
    test(`${format}: ${JSON.stringify(text.slice(0, 50))}`, () =>
      expect(recogniseFormat(utf8(text))).toBe(format))
})

describe('a Parquet file gives the rows that were written', () => {
  for (const name of [
    'pandas-snappy',
    'pandas-gzip-int96',
    'pandas-zstd-v2',
    'pandas-brotli-text',
    'polars-zstd',
    'arrow-groups',
  ])
    test(name, async () =>
      expect((await sent(await fixture(`${name}.parquet`))).panel).toEqual(await panelColumns()),
    )

  test('whole numbers of 64 bits, numbers of 32 bits and an index without a name', async () => {
    const { panel } = await sent(await fixture('numbers.parquet'))
    // 0.1 as a number of 32 bits, from IEEE 754: 13421773 / 2^27.
    expect(panel).toEqual({
      date: ['2024-01-02'],
      asset: ['10107'],
      market: [null],
      score: [3],
      forward_return: [13_421_773 / 2 ** 27],
    })
  })

  test('an answer of the API, as Parquet, CSV, NDJSON and JSON', async () => {
    const rows = [
      {
        date: '2024-01-02',
        ticker: 'A',
        market: 'US',
        horizon: '1d',
        predicted_pct: 0.01,
        actual_pct: -0.02,
        status: 'lost',
        source: 'live',
      },
      {
        date: '2024-01-02',
        ticker: 'B',
        market: 'US',
        horizon: '1d',
        predicted_pct: 1e-7,
        actual_pct: 0.1,
        status: 'won',
        source: 'live',
      },
    ]
    const wanted = {
      config: { returnDays: 1 },
      panel: {
        date: ['2024-01-02', '2024-01-02'],
        asset: ['A', 'B'],
        market: ['US', 'US'],
        score: [0.01, 1e-7],
        forward_return: [-0.02, 0.1],
      },
    }
    for (const format of ['parquet', 'csv', 'ndjson'] as const)
      expect(await sent(await encodeRows(format, signalSheet, {}, rows))).toEqual(wanted)
    expect(await sent(utf8(JSON.stringify({ object: 'signal_list', count: 2, data: rows })))).toEqual(wanted)
    expect(await sent(utf8(JSON.stringify(rows)))).toEqual(wanted)
  })
})

test('a Parquet file that could be misread is refused with what to do', async () => {
  const reasons = {
    'refused-lz4': 'compressed with LZ4; write it with snappy, gzip, zstd, brotli or none',
    'refused-decimal': 'score is DECIMAL; write it as DOUBLE',
    'refused-nested': 'score is nested',
    'refused-column':
      'The column "colour" is unknown. Allowed columns: date, asset, market, score, forward_return, dollar_volume, group, close, borrow_bps.',
  }
  for (const [name, reason] of Object.entries(reasons))
    expect([name, (await refusal(await fixture(`${name}.parquet`))).message]).toEqual([
      name,
      expect.stringContaining(reason),
    ])
  // Midnight in Tokyo is a day earlier in UTC: which day is meant is not known.
  expect((await refusal(await fixture('refused-zone.parquet'))).message).toStartWith(
    'row 1.date is "2024-01-01T15:00:00.000Z"; it must be a valid date',
  )
  expect((await refusal(await fixture('refused-infinite.parquet'))).message).toStartWith(
    'row 1.score is "Infinity"; it must be a number',
  )
})

const anyTable = { numbers: [], cells: 1_000, textLength: 64 }

test('a damaged Parquet file is read or refused in our own words, and never endless', async () => {
  for (const name of ['pandas-zstd-v2', 'polars-zstd']) {
    const whole = await fixture(`${name}.parquet`)
    for (let at = 4; at < whole.length; at += 3) {
      const damaged = whole.slice()
      damaged[at] ^= 1 << (at % 8)
      const error = await readParquet(damaged, anyTable).catch((error: unknown) => error)
      if (!(error instanceof Error)) continue
      expect(error).toBeInstanceOf(Failure)
      // The text of an exception of the library says nothing to a client.
      expect(error.message).toMatch(
        /^It cannot be read as Parquet: (it is|it has|its columns|the column|a row group) /,
      )
    }
    expect((await refusal(whole.slice(0, -100))).message).toContain('cannot be read as Parquet')
  }
})

test('a Parquet file with a column twice is refused: either could be meant', async () => {
  const column = { name: 'date', data: ['2024-01-02'] }
  const file = parquetWriteBuffer({ columnData: [column, { ...column, data: ['2024-01-03'] }] })
  const error = await readParquet(new Uint8Array(file), anyTable).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(Failure)
  expect(String(error)).toContain('it has the column date twice')
})

describe('rows of a panel', () => {
  const rows = [
    { date: '2024-01-02', asset: 'A', score: 1, forward_return: 0.1 },
    { date: '2024-01-02', asset: 'B', score: null, forward_return: 0.2 },
  ]
  const columns = { date: ['2024-01-02'], asset: ['A'], score: [1], forward_return: [0.1] }
  const settings = { config: { quantile: 0.2 }, sweep: true, include: ['ic'] } as const

  test('CSV and NDJSON stay as they are; the settings go into the query', async () => {
    const csv = utf8('date,asset,score,forward_return\n2024-01-02,A,1,0.1\n')
    const body = await make(csv, {}, settings)
    expect(body.bytes).toBe(csv)
    expect(body).toMatchObject({
      format: 'csv',
      query: { config: '{"quantile":0.2}', sweep: 'true', include: 'ic' },
    })
    expect(await make(utf8(rows.map(row => JSON.stringify(row)).join('\n')))).toMatchObject({
      format: 'ndjson',
      query: {},
    })
  })

  test('JSON may be rows, columns or a whole request; the settings go into it', async () => {
    for (const panel of [rows, columns])
      for (const text of [
        JSON.stringify(panel),
        JSON.stringify({ panel }),
        ` ${JSON.stringify({ panel }, null, 2)}\n`,
      ]) {
        const { bytes, format } = await make(utf8(text), {}, settings)
        expect([format, JSON.parse(new TextDecoder().decode(bytes))]).toEqual([
          'json',
          { ...settings, panel },
        ])
        expect(await sent(utf8(text))).toEqual({ panel })
      }
    expect(JSON.parse(new TextDecoder().decode((await make(utf8('{ }'), {}, settings)).bytes))).toEqual(
      settings,
    )
  })

  test('--format overrules what the bytes look like', async () => {
    expect(await make(utf8(JSON.stringify(rows[0])), { format: 'json' })).toMatchObject({ format: 'json' })
  })

  test('--horizon is refused: a panel has none', async () => {
    expect((await refusal(utf8(JSON.stringify(rows)), { horizon: '1d' })).code).toBe('parameter_invalid')
  })
})

test('a small Parquet file that would become gigabytes in memory is refused before its columns are read', async () => {
  const rows = 250_000
  const data = new Float64Array(rows)
  const columnData = Array.from({ length: 100 }, (_, i) => ({ name: `c${i}`, data, type: 'DOUBLE' as const }))
  const bytes = new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: rows }))
  expect(bytes.length).toBeLessThan(100_000)
  const error = await readPanelFile({ bytes, horizon: undefined, settings: {} }).catch(
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({
    code: 'body_invalid',
    message:
      'The column date is missing. Required columns: date, asset, score, forward_return. Optional: market, dollar_volume, group, close, borrow_bps.',
  })
}, 180_000)
