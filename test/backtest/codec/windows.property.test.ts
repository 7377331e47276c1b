import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { readPanelBody } from '../../../src/backtest/codec/body.ts'
import type { BodySource } from '../../../src/backtest/codec/bodyBytes.ts'
import { buildDataset } from '../../../src/backtest/dataset/build.ts'
import { packDataset } from '../../../src/backtest/dataset/packed.ts'
import type { BacktestPanelRow, TextFormat } from '../../../src/backtest/request.ts'
import { registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { rounds } from '../../rounds.ts'
import { everyFormat } from './encodeRequest.ts'

registerFormats()

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'asfiled-windows-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The longest rows of these tests are shorter. */
const maxRowBytes = 700

/** Reads a body from a file through windows so small that their ends fall into every part of a row. */
function inWindows<T>(bytes: Uint8Array, windowBytes: number, read: (source: BodySource) => T): T {
  const path = join(folder, 'body')
  writeFileSync(path, bytes)
  const descriptor = openSync(path, 'r')
  try {
    return read({ descriptor, bytes: bytes.length, window: { bytes: windowBytes, maxRowBytes } })
  } finally {
    closeSync(descriptor)
  }
}

const names = fc.constantFrom('A', 'B', 'é', '台積電', 'a,b', 'say "x"', 'two\nlines', 'cr\r\nlf', '😀')
const numbers = fc.oneof(fc.double({ min: -1, max: 1e6, noNaN: true }), fc.constantFrom(null, 0, 1e-7, 0.1))
const row: fc.Arbitrary<BacktestPanelRow> = fc.record(
  {
    date: fc.constantFrom('2024-02-29', '2024-02-28', '0001-01-01', '9999-12-31'),
    asset: names,
    market: fc.constantFrom('US', 'é', null),
    score: numbers.filter(value => !Object.is(value, -0)),
    forward_return: numbers.filter(value => !Object.is(value, -0)),
    dollar_volume: fc.constantFrom(null, 5, 1e9),
  },
  { requiredKeys: ['date', 'asset', 'score', 'forward_return'] },
)
const rowLists = fc.array(row, { minLength: 1, maxLength: 60 })
const windows = fc.integer({ min: maxRowBytes + 1, max: 2_000 })

/** Everything that a reader finds, with the offsets of some rows and what is built from them. */
function whatIsRead(source: BodySource, format: TextFormat) {
  const { columns, placeOf } = readPanelBody(source, format)
  const { dataset, duplicate } = buildDataset(columns)
  const rows = Array.from({ length: columns.count }, (_, i) => [
    columns.day[i],
    columns.assetNames[columns.asset[i]],
    columns.marketNames[columns.market[i]],
    columns.score[i],
    columns.forwardReturn[i],
    columns.dollarVolume?.[i] ?? null,
  ])
  return {
    rows,
    places: [0, columns.count >> 1, columns.count - 1].map(placeOf),
    duplicate,
    packed: dataset && Buffer.from(packDataset(dataset)).toString('base64'),
  }
}

test('a body in a file gives what it gives in memory, wherever its windows end', () => {
  fc.assert(
    fc.property(rowLists, windows, fc.boolean(), (rows, windowBytes, hasMark) => {
      for (const { bytes: plain, format } of everyFormat(rows)) {
        const bytes = hasMark ? new Uint8Array([0xef, 0xbb, 0xbf, ...plain]) : plain
        expect(inWindows(bytes, windowBytes, source => whatIsRead(source, format))).toEqual(
          whatIsRead(bytes, format),
        )
      }
    }),
    { numRuns: rounds(80, 250) },
  )
}, 300_000)

function faultOf(read: () => unknown): unknown {
  try {
    read()
    return null
  } catch (error) {
    if (error instanceof Failure) return [error.code, error.message, error.details.param]
    throw error
  }
}

test('a fault in a file is named as it is in memory: by its line, its byte and its column', () => {
  fc.assert(
    fc.property(
      rowLists,
      windows,
      fc.double({ min: 0, max: 0.9999, noNaN: true }),
      fc.constantFrom(...Buffer.from('"x,\n{}[]-.9'), 0xff, 0x00),
      (rows, windowBytes, share, byte) => {
        for (const { bytes: plain, format } of everyFormat(rows)) {
          const bytes = plain.slice()
          bytes[Math.floor(share * bytes.length)] = byte
          const inMemory = faultOf(() => whatIsRead(bytes, format))
          const inFile = inWindows(bytes, windowBytes, source => faultOf(() => whatIsRead(source, format)))
          expect(inFile).toEqual(inMemory)
        }
      },
    ),
    { numRuns: rounds(170, 500) },
  )
}, 300_000)

test('a row that no window has room for is refused, and never cut', () => {
  const line = `2024-01-02,A,1,0.${'1'.repeat(5_000)}\n`
  const csv = new TextEncoder().encode(`date,asset,score,forward_return\n${line.repeat(3)}`)
  expect(inWindows(csv, 1_000, source => faultOf(() => readPanelBody(source, 'csv')))).not.toBeNull()
  const spaces = ' '.repeat(5_000)
  const json = new TextEncoder().encode(`{"panel":{"date":["2024-01-02",${spaces}"2024-01-03"]}}`)
  expect(inWindows(json, 1_000, source => faultOf(() => readPanelBody(source, 'json')))).toMatchObject([
    'malformed_json',
    expect.stringContaining('a value is longer than'),
    'panel.date[1]',
  ])
})
