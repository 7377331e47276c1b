import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readBody } from '../../../src/backtest/codec/body.ts'
import type { Columns } from '../../../src/backtest/dataset/dataset.ts'
import type { BacktestPanelRow } from '../../../src/backtest/request.ts'
import { registerFormats } from '../../../src/dates.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { everyFormat } from './encodeRequest.ts'

registerFormats()

const name = (maxLength: number) =>
  fc
    .oneof(
      fc.constantFrom(
        'A',
        'B',
        'é',
        '台積電',
        'a,b',
        'say "x"',
        '"',
        'two\nlines',
        'cr\r\nlf',
        ' ',
        '=1+1',
        '😀',
      ),
      fc.string({ minLength: 1, maxLength: 9, unit: 'grapheme' }),
    )
    .filter(text => text.length <= maxLength && text.isWellFormed())
const number = (limit: number, lowest = -limit) =>
  fc.oneof(
    fc.double({ min: lowest, max: limit, noNaN: true }).filter(value => !Object.is(value, -0)),
    fc.constantFrom(null, 0, 1, 1e-7, 5e-324, 123456.125),
  )
const row: fc.Arbitrary<BacktestPanelRow> = fc.record(
  {
    date: fc.constantFrom('2024-02-29', '2024-02-28', '0001-01-01', '9999-12-31'),
    asset: name(64),
    market: fc.oneof(name(8), fc.constant(null)),
    score: number(1e300),
    forward_return: number(1e6, -1),
    dollar_volume: number(Number.MAX_SAFE_INTEGER, 0),
  },
  { requiredKeys: ['date', 'asset', 'score', 'forward_return'] },
)

function spelledOut(columns: Columns) {
  return Array.from({ length: columns.count }, (_, i) => ({
    day: columns.day[i],
    asset: columns.assetNames[columns.asset[i]],
    market: columns.marketNames[columns.market[i]],
    score: columns.score[i],
    forwardReturn: columns.forwardReturn[i],
    dollarVolume: columns.dollarVolume?.[i] ?? Number.NaN,
  }))
}

test('rows, columns, CSV and NDJSON of the same rows are the same request, to the bit', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), rows => {
      const settings = { config: { quantile: 0.2, holdDays: 3 }, include: ['ic', 'monthly'], sweep: true }
      const read = everyFormat(rows, settings).map(({ bytes, format, query }) => {
        const { panel, ...rest } = readBody(bytes, format, query)
        const names = [...(panel?.columns.assetNames ?? [])].sort()
        return { rest, rows: panel && spelledOut(panel.columns), names }
      })
      expect(read[0].rest).toMatchObject(settings)
      expect(read[0].names).toEqual([...new Set(rows.map(({ asset }) => asset))].sort())
      for (const other of nonEmpty(read.slice(1))) expect(other).toEqual(read[0])
    }),
    { numRuns: 1_500 },
  )
})

test('every printed double is read from CSV to the bit', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e300, max: 1e300, noNaN: true }), value => {
      const text = Object.is(value, -0) ? '-0' : String(value)
      const bytes = new TextEncoder().encode(`date,asset,score,forward_return\n2024-01-02,A,${text},`)
      expect(Object.is(readBody(bytes, 'csv').panel?.columns.score[0], value)).toBe(true)
    }),
    { numRuns: 5_000 },
  )
})

test('a row is found again by its line, whatever comes before it', () => {
  const rows = Array.from({ length: 5 }, (_, i) => ({
    date: `2024-01-0${i + 1}`,
    asset: i === 1 ? 'two\nlines' : 'A',
    score: 1,
    forward_return: 0,
  }))
  const [json, columns, csv, ndjson] = everyFormat(rows, { config: {} }).map(
    ({ bytes, format, query }) => readBody(bytes, format, query).panel?.placeOf,
  )
  expect([0, 1, 4].map(i => json?.(i))).toEqual(['panel[0]', 'panel[1]', 'panel[4]'])
  expect(columns?.(4)).toBe('panel.asset[4]')
  expect([0, 1, 2, 4].map(i => csv?.(i))).toEqual(['line 2', 'line 3', 'line 5', 'line 7'])
  expect([0, 1, 4].map(i => ndjson?.(i))).toEqual(['line 2', 'line 3', 'line 6'])
})

test('a first line with a missing score is a row; one whose score names a metric is the settings', () => {
  const rows = '{"score":null,"date":"2024-01-01","asset":"A","forward_return":0.1}\n'
  const read = (text: string) => readBody(new TextEncoder().encode(text), 'ndjson')
  expect(read(rows).panel?.columns.count).toBe(1)
  const scored = read(`{"score":{"asOf":"roe"}}\n${rows}`)
  expect(scored).toMatchObject({ panel: { columns: { count: 1 } }, score: { asOf: 'roe' } })
})
