import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Compressors, parquetReadObjects } from 'hyparquet'
import { ColumnChunkWriter, type ColumnValues } from '../../src/formats/parquet/columnChunk.ts'
import { ColumnFile } from '../../src/formats/parquet/columnFile.ts'
import { findPython, runPython } from '../python.ts'

const compressors: Compressors = {
  ZSTD: bytes => new Uint8Array(Bun.zstdDecompressSync(new Uint8Array(bytes))),
}

const none = -0x8000_0000
const maxRows = 131_072
const rows = maxRows + 17
/** As many values as a group has rows, so places take the 17 bits that they take at most. */
const numbers = Int32Array.from({ length: rows }, (_, row) => (row % 5 === 3 ? none : row))
const texts = Int32Array.from({ length: rows }, (_, row) => (row % 7 === 0 ? -1 : row % 1_000))
const plain = Float64Array.from({ length: rows }, (_, row) => (row % 2 === 0 ? -0 : row / 3))

const textOf = (number: number) => `公司 ${number}`
const wanted = (row: number) => ({
  whole: numbers[row] === none ? null : numbers[row],
  figure: numbers[row] === none ? null : numbers[row] / 7,
  name: texts[row] === -1 ? null : textOf(texts[row]),
  plain: plain[row],
  nothing: null,
})

function columnsOf(from: number, to: number): ColumnValues[] {
  const isOptional = true
  const values = numbers.subarray(from, to)
  return [
    { name: 'whole', type: 'INT32', values, none, isOptional },
    { name: 'figure', type: 'DOUBLE', values, none, isOptional, valueOf: number => number / 7 },
    { name: 'name', type: 'BYTE_ARRAY', values: texts.subarray(from, to), none: -1, isOptional, textOf },
    { name: 'plain', type: 'DOUBLE', values: plain.subarray(from, to) },
    { name: 'nothing', type: 'INT32', values: new Int32Array(to - from).fill(none), none, isOptional },
  ]
}

function fileOf(codec: 'ZSTD' | 'UNCOMPRESSED'): Uint8Array<ArrayBuffer> {
  const file = new ColumnFile(
    new ColumnChunkWriter({ maxRows, codec }),
    [
      { name: 'whole', type: 'INT32', repetition_type: 'OPTIONAL' },
      { name: 'figure', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
      { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
      { name: 'plain', type: 'DOUBLE', repetition_type: 'REQUIRED' },
      { name: 'nothing', type: 'INT32', repetition_type: 'OPTIONAL' },
    ],
    { note: 'x' },
  )
  const parts: Uint8Array[] = []
  for (let from = 0; from < rows; from += maxRows) {
    const to = Math.min(rows, from + maxRows)
    file.writeGroup(columnsOf(from, to), to - from)
    parts.push(file.take().slice())
  }
  file.finish()
  parts.push(file.take().slice())
  return new Uint8Array(Buffer.concat(parts))
}

test.each(['ZSTD', 'UNCOMPRESSED'] as const)(
  'a file of columns is read as it was written: %s',
  async codec => {
    const file = fileOf(codec).buffer
    const read = await parquetReadObjects({ file, compressors })
    expect(read.length).toBe(rows)
    // Compared one by one: Object.is tells 0 from -0.
    const wrong = read.findIndex((row, index) =>
      Object.entries(wanted(index)).some(([name, value]) => !Object.is(row[name], value)),
    )
    expect(wrong).toBe(-1)
  },
)

test('a null in a column that has none is refused', () => {
  const chunks = new ColumnChunkWriter({ maxRows: 2, codec: 'ZSTD' })
  const file = new ColumnFile(chunks, [{ name: 'a', type: 'INT32', repetition_type: 'REQUIRED' }], {})
  const column: ColumnValues = { name: 'a', type: 'INT32', values: Int32Array.of(1, none), none }
  expect(() => file.writeGroup([column], 2)).toThrow('a row without a value')
})

const python = findPython('polars', 'pyarrow', 'duckdb')
test.skipIf(python === null)('polars, pyarrow and DuckDB read the same rows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-columns-'))
  const script = `
import sys, duckdb, polars as pl, pyarrow.parquet as pq
for path in sys.argv[1:]:
    frames = [pl.read_parquet(path), pl.from_arrow(pq.read_table(path)), duckdb.sql(f"from '{path}'").pl()]
    for frame in frames:
        row = frame.row(131_084, named=True)
        print(len(frame), frame["whole"].cast(pl.Int64).sum(), frame["figure"].null_count(), frame["name"].n_unique(), frame["plain"].sum(), frame["nothing"].null_count(), row["name"])
`
  try {
    const paths = (['ZSTD', 'UNCOMPRESSED'] as const).map(codec => {
      const path = join(folder, `${codec}.parquet`)
      writeFileSync(path, fileOf(codec))
      return path
    })
    const lines = runPython(python ?? '', folder, ['-c', script, ...paths])
      .trim()
      .split('\n')
    expect(lines).toHaveLength(6)
    expect(new Set(lines).size).toBe(1)
    const sum = numbers.reduce((total, value) => (value === none ? total : total + value), 0)
    const nulls = numbers.filter(value => value === none).length
    expect(lines[0]).toStartWith(`${rows} ${sum} ${nulls} 1001 `)
    expect(lines[0]).toEndWith(` ${rows} ${textOf(84)}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
