import type { SchemaElement } from 'hyparquet'
import { Failure } from '../../../errors.ts'
import { showValue } from '../../codec/faults.ts'
import type { TextTable } from '../texts.ts'

/* Columns of a join's rows besides date and ticker. An answer has them as they were sent: as bytes of CSV or JSON, or
 * as the numbers that a Parquet file stores. Nothing is computed with them, so nothing of them is rounded
 * or guessed. */

/** How Parquet stores the values of a column, and what they mean. */
export type StoredType = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>

export type CarriedValues =
  /** csv: cells without their quotes. json: scalars as JSON. text: texts of a Parquet file. */
  | { readonly kind: 'csv' | 'json' | 'text'; readonly table: TextTable }
  | { readonly kind: 'stored'; readonly type: StoredType; readonly numbers: Float64Array | BigInt64Array }

export interface CarriedColumn {
  readonly name: string
  /** For each row the number of its value, from 1; `noCell`: it has none. */
  readonly cells: Int32Array
  readonly values: CarriedValues
}

/** A row without a value. Memory that no row has reached is 0, so a row that lacks a column needs no write. */
export const noCell = 0

/** The columns of rows in the order in which they were sent. */
export type RowLayout = readonly ('date' | 'ticker' | CarriedColumn)[]

interface CarriedRows {
  readonly layout: RowLayout
}

export const plainLayout: RowLayout = ['date', 'ticker']

export const carriedColumns = (layout: RowLayout): CarriedColumn[] =>
  layout.filter(column => typeof column !== 'string')

export const maxCarriedColumns = 100
export const maxCarriedNameLength = 128
/** Of all rows and columns besides date and ticker. Each takes four bytes besides its value. */
const maxCarriedCells = 50_000_000

/** Checks the name of one more column.
 *
 * @param param names it in the body */
export function checkCarriedName(name: string, before: number, param: string): void {
  if (name.length > maxCarriedNameLength || !name.isWellFormed()) {
    throw new Failure(
      'parameter_invalid',
      `The name of the column ${showValue(name)} must be well-formed text of at most ${maxCarriedNameLength} characters. Rename it, or leave it out.`,
      { param },
    )
  }
  if (before < maxCarriedColumns) return
  throw new Failure(
    'body_invalid',
    `rows has more than ${maxCarriedColumns} columns besides date and ticker. Leave some out: an answer has the rows in the order sent, so they can be put beside it.`,
    { param },
  )
}

export function checkCarriedCells(rows: number, columns: number): void {
  if (rows * columns <= maxCarriedCells) return
  throw new Failure(
    'body_invalid',
    `rows has more than ${maxCarriedCells.toLocaleString('en')} values besides date and ticker. Leave columns out, or split it by date.`,
    { param: 'rows' },
  )
}

/** Fails where the answer would have two columns of one name.
 *
 * @param answered the columns that the join adds */
export function refuseClashes({ layout }: CarriedRows, answered: readonly string[]): void {
  const clash = carriedColumns(layout).find(({ name }) => answered.includes(name))
  if (clash === undefined) return
  throw new Failure(
    'parameter_invalid',
    `rows has the column ${showValue(clash.name)}, and the answer has a column of this name for the metrics. Rename yours, or leave it out.`,
    { param: `rows.${clash.name}` },
  )
}

/** A number with the comma or the key next to it. */
const storedBytes = 20

/** About what the columns take in an answer of text. */
export function carriedBytes({ layout }: CarriedRows): number {
  let bytes = 0
  for (const { cells, values } of carriedColumns(layout)) {
    bytes += cells.length * (values.kind === 'stored' ? storedBytes : 1)
    if (values.kind === 'stored') continue
    const { starts } = values.table
    // An iterator would make an object for each row.
    for (let row = 0; row < cells.length; row++)
      if (cells[row] !== noCell) bytes += starts[cells[row]] - starts[cells[row] - 1]
  }
  return bytes
}
