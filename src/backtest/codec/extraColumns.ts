import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import type { ExtraColumn } from '../dataset/dataset.ts'
import { extraColumnName, maxExtraColumns } from '../requestColumns.ts'
import { type Bounds, columnNames } from './cells.ts'

/** The most cells in the columns of a caller's own, 400 MB of memory. */
const maxExtraCells = 50_000_000

export const extraBounds: Bounds = { min: -1e300, max: 1e300 }
export const ExtraCell = Type.Union([
  Type.Number({ minimum: extraBounds.min, maximum: extraBounds.max }),
  Type.Null(),
])
export const extraCheck = TypeCompiler.Compile(ExtraCell)

/** The names of the columns of a caller's own that a request uses. A JSON body may have its settings after its rows: then
 * only whether it may name any is known, and the columns are checked at the end. */
export type WantedColumns = readonly string[] | { readonly mayName: () => boolean }

/** The columns of a caller's own, filled row by row. A row without a value has NaN. */
export class ExtraColumns {
  readonly names: string[] = []
  /** For each name the refusal to throw if no setting of the request names the column. */
  readonly refusals: Failure[] = []
  readonly #wanted: WantedColumns
  readonly #capacity: number
  readonly #values: Float64Array[] = []
  /** The first row of each column that has no value yet. */
  readonly #next: number[] = []

  constructor(wanted: WantedColumns, capacity: number) {
    this.#wanted = wanted
    this.#capacity = capacity
  }

  /** The index of a column, which is added if it is new. -1 if it may not be a column: the caller then refuses it as
   * unknown.
   *
   * @param refusal the failure to throw later if no setting names the column */
  add(name: string, refusal: () => Failure): number {
    const known = this.names.indexOf(name)
    if (known !== -1) return known
    if (!this.mayBe(name) || this.names.length === maxExtraColumns) return -1
    this.names.push(name)
    this.refusals.push(refusal())
    this.#values.push(new Float64Array(new SharedArrayBuffer(8 * this.#capacity)))
    return this.#next.push(0) - 1
  }

  /** Whether a column of this name may have values of a caller's own. */
  mayBe(name: string): boolean {
    if (columnNames.some(known => known === name)) return false
    if (isList(this.#wanted)) return this.#wanted.includes(name)
    return extraColumnName.test(name) && this.#wanted.mayName()
  }

  /** Whether the request names this column, as far as is known. */
  isNamed(name: string): boolean {
    return isList(this.#wanted) && this.#wanted.includes(name)
  }

  put(column: number, row: number, value: number): void {
    const values = this.#values[column]
    for (let before = this.#next[column]; before < row; before++) values[before] = Number.NaN
    values[row] = value
    if (row >= this.#next[column]) {
      this.#next[column] = row + 1
      if (row * this.names.length > maxExtraCells) throw tooManyCells()
    }
  }

  /** Removes what an abandoned attempt wrote for a row. */
  clear(row: number): void {
    for (let column = 0; column < this.names.length; column++) this.put(column, row, Number.NaN)
  }

  columns(count: number): ExtraColumn[] {
    return this.names.map((name, column) => {
      const values = this.#values[column]
      for (let row = this.#next[column]; row < count; row++) values[row] = Number.NaN
      return { name, values: values.subarray(0, count) }
    })
  }
}

const isList = (wanted: WantedColumns): wanted is readonly string[] => Array.isArray(wanted)

/** Fails if the columns of a caller's own would take too much memory. */
export function checkExtraCells(rows: number, columns: number): void {
  if (rows * columns > maxExtraCells) throw tooManyCells()
}

const tooManyCells = () =>
  new Failure(
    'body_invalid',
    `panel has more than ${maxExtraCells.toLocaleString('en')} cells in columns of your own. Send fewer rows or columns.`,
    { param: 'panel' },
  )
