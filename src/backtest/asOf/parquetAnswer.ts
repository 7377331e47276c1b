import type { SchemaElement } from 'hyparquet'
import { ColumnChunkWriter, type ColumnValues } from '../../formats/parquet/columnChunk.ts'
import { ColumnFile } from '../../formats/parquet/columnFile.ts'
import { knownByRules } from '../../instants.ts'
import { withinLimit } from './answerLimit.ts'
import { type ParquetColumn, parquetColumn } from './carried/parquetColumns.ts'
import { none } from './positions.ts'
import type { Joined } from './textAnswer.ts'

/* A join as Parquet. Every column is dictionary-encoded, which suits a join: a few thousand figures, each
 * shown on many rows. */

/** Large enough that a row group shows most of its figures more than once. */
const rowsPerGroup = 131_072

/** Represents a missing day. No real day has this value: years 1 to 9999 are far above it. */
const noDay = -0x8000_0000

/** @param metadata key-value metadata of the file */
export function parquetFile(
  joined: Joined,
  metadata: Readonly<Record<string, string>>,
  limit: number,
): Uint8Array {
  const { count, layout } = joined.rows
  const lead = layout.map(column => (typeof column === 'string' ? column : parquetColumn(column)))
  // Uncompressed, because compression would take longer than the join.
  const chunks = new ColumnChunkWriter({ maxRows: Math.min(rowsPerGroup, count), codec: 'UNCOMPRESSED' })
  const file = new ColumnFile(chunks, schemaOf(joined, lead), metadata)
  const parts: Uint8Array[] = []
  let size = 0
  const take = () => {
    const bytes = file.take().slice()
    size = withinLimit(size + bytes.length, limit)
    parts.push(bytes)
  }
  for (let from = 0; from < count; from += rowsPerGroup) {
    const to = Math.min(count, from + rowsPerGroup)
    file.writeGroup(columnsOf(joined, lead, from, to), to - from)
    take()
  }
  file.finish()
  take()
  const whole = new Uint8Array(new SharedArrayBuffer(size))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const day = { type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' } as const
const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const
const keyTypes = { date: day, ticker: text }
const figure = { type: 'DOUBLE', repetition_type: 'OPTIONAL' } as const

const schemaOf = ({ columns, extras }: Joined, lead: RowColumns): SchemaElement[] => [
  ...lead.map(column => (typeof column === 'string' ? { name: column, ...keyTypes[column] } : column.schema)),
  ...columns.flatMap(({ name }): SchemaElement[] => [
    { name, ...figure },
    ...extras.map(extra => ({ name: `${name}_${extra}`, ...(extra === 'known_by' ? text : day) })),
  ]),
]

/** The columns of the rows in the order in which they were sent. */
type RowColumns = readonly ('date' | 'ticker' | ParquetColumn)[]

/** Yields the columns of a range of rows one by one; the columns of `with` share their memory. */
function* columnsOf(
  { rows, columns, extras }: Joined,
  lead: RowColumns,
  from: number,
  to: number,
): Generator<ColumnValues, void, undefined> {
  const isOptional = true
  for (const column of lead) {
    if (column === 'date') {
      yield { name: column, type: 'INT32', values: rows.day.subarray(from, to), none: noDay, isOptional }
    } else if (column === 'ticker') {
      yield {
        name: column,
        type: 'BYTE_ARRAY',
        values: rows.name.subarray(from, to),
        none,
        isOptional,
        textOf: number => rows.names[number],
      }
    } else yield column.values(from, to)
  }
  const days = new Int32Array(extras.length === 0 ? 0 : to - from)
  for (const { name, events, positions, byTime = null } of columns) {
    const shown = positions.subarray(from, to)
    yield {
      name,
      type: 'DOUBLE',
      values: shown,
      none,
      isOptional,
      valueOf: position => events.values[position],
    }
    for (const extra of extras) {
      if (extra === 'known_by') {
        for (const [row, position] of shown.entries())
          days[row] = position === none ? none : (byTime?.[position] ?? 0)
        yield {
          name: `${name}_${extra}`,
          type: 'BYTE_ARRAY',
          values: days,
          none,
          isOptional,
          textOf: rule => knownByRules[rule],
        }
        continue
      }
      fillDays(days, shown, extra === 'end' ? events.ends : events.filed)
      yield { name: `${name}_${extra}`, type: 'INT32', values: days, none: noDay, isOptional }
    }
  }
}

function fillDays(days: Int32Array, positions: Int32Array, dayOf: Int32Array): void {
  for (let row = 0; row < positions.length; row++) {
    const position = positions[row]
    days[row] = position === none ? noDay : dayOf[position]
  }
}
