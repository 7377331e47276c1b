import type { SchemaElement } from 'hyparquet'
import type { ColumnValues } from '../../formats/parquet/columnChunk.ts'
import { knownByRules } from '../../instants.ts'
import { type ParquetColumn, parquetColumn } from './carried/parquetColumns.ts'
import { none } from './positions.ts'
import type { Joined } from './textAnswer.ts'

/* The columns of a join for formats that store columns: Parquet and Arrow. Values are numbered, because a join shows a
 * few thousand figures, each on many rows. */

/** Represents a missing day. No real day has this value: years 1 to 9999 are far above it. */
const noDay = -0x8000_0000

export const rowColumns = ({ rows }: Joined): RowColumns =>
  rows.layout.map(column => (typeof column === 'string' ? column : parquetColumn(column)))

const day = { type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' } as const
const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const
const keyTypes = { date: day, ticker: text }
const figure = { type: 'DOUBLE', repetition_type: 'OPTIONAL' } as const

/** The columns of an answer in their order: those of the rows, then those of the figures. */
export const schemaOf = ({ columns, extras }: Joined, lead: RowColumns): SchemaElement[] => [
  ...lead.map(column => (typeof column === 'string' ? { name: column, ...keyTypes[column] } : column.schema)),
  ...columns.flatMap(({ name }): SchemaElement[] => [
    { name, ...figure },
    ...extras.map(extra => ({ name: `${name}_${extra}`, ...(extra === 'known_by' ? text : day) })),
  ]),
]

/** The columns of the rows in the order in which they were sent. */
export type RowColumns = readonly ('date' | 'ticker' | ParquetColumn)[]

/** Yields the columns of a range of rows one by one; the columns of `with` share their memory. */
export function* columnsOf(
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
