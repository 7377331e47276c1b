import { describe, expect, test } from 'bun:test'
import { readParquetRows } from '../../../src/backtest/asOf/parquetRows.ts'
import { maxJoinRows } from '../../../src/backtest/asOf/request.ts'
import { PageBytes } from '../../../src/backtest/panelFile/parquet/pageBytes.ts'
import { RunReader } from '../../../src/backtest/panelFile/parquet/runLength.ts'
import { readPanelFile } from '../../../src/backtest/pipeline/readPanelFile.ts'
import { Failure } from '../../../src/errors.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { damagedFiles, parquetBombs } from './parquetBombs.ts'
import { evenSteps, join, parquetFile, plainTexts, snappyOf } from './parquetBytes.ts'

async function refusal(read: Promise<unknown>): Promise<Failure> {
  const error = await read.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw new Error(`It was not refused: ${error}`)
}

describe('a body of a join that would become far more than any join needs is refused with 413', () => {
  for (const { name, bytes, reason } of nonEmpty(parquetBombs(40))) {
    test(`${name}: ${bytes.length} bytes`, async () => {
      const { code, message } = await refusal(readParquetRows(bytes, maxJoinRows))
      expect({ code, message }).toEqual({ code: 'body_too_large', message: expect.stringMatching(reason) })
    }, 30_000)
  }
})

describe('a Parquet file that contradicts itself is refused as damaged, and at once', () => {
  for (const { name, bytes } of nonEmpty(damagedFiles())) {
    test(name, async () => {
      const { code, message } = await refusal(readParquetRows(bytes, maxJoinRows))
      expect({ code, message }).toEqual({
        code: 'body_invalid',
        message: expect.stringMatching(/^It cannot be read as Parquet: it is damaged/),
      })
    }, 30_000)
  }
})

test('a ticker that is only a little too long is named by its row, as before', async () => {
  const plain = plainTexts(new Uint8Array(3).fill(65), new Uint8Array(65).fill(65))
  const date = evenSteps(18_262, 1, 2)
  const bytes = parquetFile(2, [
    {
      name: 'date',
      type: 'INT32',
      pages: [{ values: 2, encoding: 'DELTA_BINARY_PACKED', packed: date, unpackedBytes: date.length }],
    },
    {
      name: 'ticker',
      type: 'BYTE_ARRAY',
      pages: [{ values: 2, packed: plain, unpackedBytes: plain.length }],
    },
  ])
  expect(await refusal(readParquetRows(bytes, maxJoinRows))).toMatchObject({
    code: 'parameter_invalid',
    details: { param: 'ticker[1]' },
  })
})

test('a file of more tickers than a join takes is refused at the first one too many', async () => {
  const rows = 200_000
  const names = Array.from({ length: rows }, (_, i) => new TextEncoder().encode(String(i)))
  const plain = plainTexts(...names)
  const date = evenSteps(18_262, 0, rows)
  const bytes = parquetFile(rows, [
    {
      name: 'date',
      type: 'INT32',
      pages: [{ values: rows, encoding: 'DELTA_BINARY_PACKED', packed: date, unpackedBytes: date.length }],
    },
    {
      name: 'ticker',
      type: 'BYTE_ARRAY',
      pages: [{ values: rows, packed: plain, unpackedBytes: plain.length }],
    },
  ])
  expect((await refusal(readParquetRows(bytes, maxJoinRows))).message).toBe(
    'rows names more than 100,000 different tickers. Split it by ticker.',
  )
})

test('five million rows in pages of one piece are read, whatever their encoding', async () => {
  const rows = 5_000_000
  const date = evenSteps(18_262, 0, rows)
  // Each ticker is AAAA: 4 bytes for its length, as letters would be 1,094,795,585.
  const lengthThenText = join(Uint8Array.of(4, 0, 0, 0), new Uint8Array(4).fill(65))
  const plain = new Uint8Array(8 * rows)
  for (let i = 0; i < rows; i++) plain.set(lengthThenText, 8 * i)
  const packed = Bun.zstdCompressSync(plain)
  expect(packed.length).toBeLessThan(10_000)
  const read = await readParquetRows(
    parquetFile(rows, [
      {
        name: 'date',
        type: 'INT32',
        pages: [{ values: rows, encoding: 'DELTA_BINARY_PACKED', packed: date, unpackedBytes: date.length }],
      },
      {
        name: 'ticker',
        type: 'BYTE_ARRAY',
        codec: 'ZSTD',
        pages: [{ values: rows, packed: new Uint8Array(packed), unpackedBytes: plain.length }],
      },
    ]),
    maxJoinRows,
  )
  expect([read.count, read.names, read.day[rows - 1], read.name[rows - 1]]).toEqual([
    rows,
    ['AAAA'],
    18_262,
    0,
  ])
}, 180_000)

test('the last run of a long page is read where it begins in one piece and ends in the next', async () => {
  // Eight packed numbers, and 64 times a 9: the length of that run takes two bytes.
  const pieces = [Uint8Array.of(3, 0, 1, 2, 3, 4, 5, 6, 7, 0x80), Uint8Array.of(1, 9)]
  const page = new PageBytes(new Uint8Array(0), { chunks: pieces.values(), close: () => {} }, 12)
  const indexes = new Int32Array(72)
  await new RunReader(page, 8).read(indexes, 72)
  expect([...indexes]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, ...new Array<number>(64).fill(9)])
})

test('a column of a panel that is a bomb is refused, and unknown columns before any is read', async () => {
  const length = 30_000_000
  const cell = snappyOf(65, length, new Uint8Array(Uint32Array.of(length - 4).buffer))
  const column = (name: string) => ({
    name,
    type: 'BYTE_ARRAY' as const,
    codec: 'SNAPPY' as const,
    pages: [{ values: 1, packed: cell, unpackedBytes: length }],
  })
  const send = (...names: string[]) =>
    refusal(readPanelFile({ bytes: parquetFile(1, names.map(column)), horizon: undefined, settings: {} }))
  expect(await send('date', 'asset', 'score', 'forward_return')).toMatchObject({ code: 'body_too_large' })
  expect((await send('date', 'asset', 'score', 'forward_return', 'colour')).message).toContain(
    'The column "colour" is unknown.',
  )
}, 30_000)
