import type { SchemaElement } from 'hyparquet'
import { Failure } from '../../../errors.ts'
import { showValue } from '../../codec/faults.ts'
import type { TextTable } from './texts.ts'

/* The columns of a join's rows besides date and ticker. The response repeats them as they were sent: as
 * bytes of CSV or JSON, or as the numbers that a Parquet file stores. Nothing is computed with them, so
 * nothing is rounded or guessed. */

/** How Parquet stores the values of a column, and their logical type. */
export type StoredType = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>

export type CarriedValues =
  /** csv: cells without their quotes. json: scalars as JSON. text: strings of a Parquet file. */
  | { readonly kind: 'csv' | 'json' | 'text'; readonly table: TextTable }
  | { readonly kind: 'stored'; readonly type: StoredType; readonly numbers: Float64Array | BigInt64Array }

export interface CarriedColumn {
  readonly name: string
  /** For each row, the number of its value, counted from 1; `noCell`: none. */
  readonly cells: Int32Array
  readonly values: CarriedValues
}

/** A row without a value. Fresh memory is 0, so a row that lacks a column needs no write. */
export const noCell = 0

/** The columns of the rows in the order in which they were sent. */
export type RowLayout = readonly ('date' | 'ticker' | CarriedColumn)[]

interface CarriedRows {
  readonly layout: RowLayout
}

export const plainLayout: RowLayout = ['date', 'ticker']

export const carriedColumns = (layout: RowLayout): CarriedColumn[] =>
  layout.filter(column => typeof column !== 'string')

export const maxCarriedColumns = 100
export const maxCarriedNameLength = 128
/** The limit over all rows and all columns besides date and ticker. Each cell takes four bytes in addition to
 * its value. */
const maxCarriedCells = 50_000_000

/** Validates the name of another column.
 *
 * @param param names it in error messages */
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
    `rows has more than ${maxCarriedColumns} columns besides date and ticker. Leave some out: the response keeps the order of the rows, so you can add them to it yourself.`,
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

/** Fails if the response would have two columns of the same name.
 *
 * @param answered the columns that the join adds */
export function refuseClashes({ layout }: CarriedRows, answered: readonly string[]): void {
  const clash = carriedColumns(layout).find(({ name }) => answered.includes(name))
  if (clash === undefined) return
  throw new Failure(
    'parameter_invalid',
    `rows has the column ${showValue(clash.name)}, but the response has a column of its own with this name. Rename yours, or leave it out.`,
    { param: `rows.${clash.name}` },
  )
}

/** The estimated number of bytes of a number and its separator in text. */
const storedBytes = 20

/** The approximate size of the columns in a text response. */
export function carriedBytes({ layout }: CarriedRows): number {
  let bytes = 0
  for (const { cells, values } of carriedColumns(layout)) {
    bytes += cells.length * (values.kind === 'stored' ? storedBytes : 1)
    if (values.kind === 'stored') continue
    const { starts } = values.table
    // An iterator would allocate an object per row.
    for (let row = 0; row < cells.length; row++)
      if (cells[row] !== noCell) bytes += starts[cells[row]] - starts[cells[row] - 1]
  }
  return bytes
}
