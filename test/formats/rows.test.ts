import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet'
import { isoDate } from '../../src/dates.ts'
import type { Column, Row } from '../../src/formats/columns.ts'
import { rowsPerGroup } from '../../src/formats/parquet.ts'
import { encodeRows } from '../../src/formats/rows.ts'

const columns = [
  { name: 'who', kind: 'text' },
  { name: 'day', kind: 'day' },
  { name: 'n', kind: 'whole' },
  { name: 'v', kind: 'number' },
] as const satisfies readonly Column[]
type Name = (typeof columns)[number]['name']

const row = fc.record({
  who: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }).map(text => text.toWellFormed()),
    fc.constantFrom('', '三星電子', '=1+1', 'a,"b"\r\n', '\u0000', '😀'),
    fc.constant(null),
  ),
  day: fc.oneof(fc.integer({ min: -700_000, max: 1_000_000 }).map(isoDate), fc.constant(null)),
  n: fc.oneof(fc.integer(), fc.constantFrom(-2_147_483_648, 2_147_483_647, null)),
  v: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, -0, 5e-324, -1.7976931348623157e308, 0.1, 2 ** 53, null),
  ),
})

/** Reads with hyparquet. It returns days as instants at midnight UTC. */
async function readBack(bytes: Uint8Array<ArrayBuffer>): Promise<Record<string, unknown>[]> {
  const rows = await parquetReadObjects({ file: bytes.buffer })
  return rows.map(({ day, ...rest }) => ({
    ...rest,
    day: day instanceof Date ? day.toISOString().slice(0, 10) : day,
  }))
}

describe('a Parquet file', () => {
  test('contains the given rows bit by bit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 60 }), async rows => {
        const bytes = await encodeRows<Name>('parquet', columns, {}, rows)
        expect(await readBack(bytes)).toEqual(rows)
      }),
      { numRuns: 200 },
    )
  })

  test('with more rows than a row group has several groups and correct offsets', async () => {
    const rows: Row<Name>[] = Array.from({ length: rowsPerGroup * 2 + 17 }, (_, i) => ({
      who: `E${i % 700}`,
      day: isoDate(10_000 + (i % 3_000)),
      n: i,
      v: i % 5 === 0 ? -0 : Math.sin(i),
    }))
    const bytes = await encodeRows<Name>('parquet', columns, {}, rows)
    expect(parquetMetadata(bytes.buffer).row_groups.map(group => Number(group.num_rows))).toEqual([
      rowsPerGroup,
      rowsPerGroup,
      17,
    ])
    expect(await readBack(bytes)).toEqual([...rows])
  })

  test('has type DATE for days, DOUBLE for values, and its metadata', async () => {
    const bytes = await encodeRows<Name>('parquet', columns, { as_of: '2010-02-01' }, [])
    const metadata = parquetMetadata(bytes.buffer)
    const types = parquetSchema(metadata).children.map(({ element }) => [
      element.name,
      element.type,
      element.converted_type,
    ])
    expect(types).toEqual([
      ['who', 'BYTE_ARRAY', 'UTF8'],
      ['day', 'INT32', 'DATE'],
      ['n', 'INT32', undefined],
      ['v', 'DOUBLE', undefined],
    ])
    expect(metadata.key_value_metadata).toEqual([{ key: 'as_of', value: '2010-02-01' }])
    expect(Number(metadata.num_rows)).toBe(0)
  })
})

test('all formats have the same rows', async () => {
  const rows: Row<Name>[] = [
    { who: 'Müller, "A"', day: '2010-01-25', n: 2009, v: 5_704 / 36_537 },
    { who: '=1+1', day: null, n: -1, v: null },
  ]
  const text = async (format: 'csv' | 'ndjson') =>
    Buffer.from(await encodeRows<Name>(format, columns, {}, rows)).toString()
  expect(await text('csv')).toBe(
    `who,day,n,v\r\n"Müller, ""A""",2010-01-25,2009,${5_704 / 36_537}\r\n'=1+1,,-1,\r\n`,
  )
  expect(
    (await text('ndjson'))
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual(rows)
})

test('encoding many rows lets other work run in between', async () => {
  const rows: Row<Name>[] = Array.from({ length: rowsPerGroup * 8 }, (_, i) => ({
    who: `E${i}`,
    day: isoDate(i),
    n: i,
    v: Math.sqrt(i),
  }))
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  await encodeRows<Name>('parquet', columns, {}, rows)
  clearInterval(timer)
  expect(turns).toBeGreaterThanOrEqual(4)
})
