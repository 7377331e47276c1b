import type { ColumnValues } from '../../formats/parquet/columnChunk.ts'
import { none, rowsPerGroup } from './rowBuffer.ts'
import type { BulkColumn } from './schema.ts'

export type TableCell = string | number | boolean | null

const firstRows = 64

/** The rows of a table that wait for a full row group. Texts are stored once a group. */
export class TableBuffer {
  readonly #columns: readonly BufferedColumn[]
  count = 0

  constructor(columns: readonly BulkColumn[]) {
    this.#columns = columns.map(column => new BufferedColumn(column))
  }

  get isFull(): boolean {
    return this.count === rowsPerGroup
  }

  /** @param cells in the order of the columns */
  add(cells: readonly TableCell[]): void {
    const row = this.count++
    for (let at = 0; at < this.#columns.length; at++) this.#columns[at].set(row, cells[at])
  }

  columns(): readonly ColumnValues[] {
    return this.#columns.map(column => column.values())
  }

  clear(): void {
    this.count = 0
    for (const column of this.#columns) column.clear()
  }
}

class BufferedColumn {
  readonly #column: BulkColumn
  #codes = new Int32Array(firstRows)
  /** The value of each code, and the code of each value. Whole numbers and days are their own codes. */
  #values: (string | number)[] = []
  readonly #numbers = new Map<string | number, number>()
  #last: string | number | undefined
  #lastCode = 0

  constructor(column: BulkColumn) {
    this.#column = column
  }

  set(row: number, cell: TableCell): void {
    if (row === this.#codes.length) this.#grow()
    this.#codes[row] = cell === null ? none : this.#codeOf(cell)
  }

  #codeOf(cell: string | number | boolean): number {
    if (typeof cell === 'boolean') return cell ? 1 : 0
    const { type } = this.#column
    if (typeof cell === 'number' && type !== 'number') return cell
    // Rows of a filing and of a tag follow one another.
    if (cell === this.#last) return this.#lastCode
    let code = this.#numbers.get(cell)
    if (code === undefined) {
      code = this.#values.length
      this.#values.push(cell)
      this.#numbers.set(cell, code)
    }
    this.#last = cell
    this.#lastCode = code
    return code
  }

  values(): ColumnValues {
    const { name, type, nullable: isOptional } = this.#column
    const shared = { name, values: this.#codes, none, isOptional }
    const values = this.#values
    switch (type) {
      case 'text':
        return { ...shared, type: 'BYTE_ARRAY', textOf: code => String(values[code]) }
      case 'number':
        return { ...shared, type: 'DOUBLE', valueOf: code => Number(values[code]) }
      case 'flag':
        return { ...shared, type: 'BOOLEAN', valueOf: code => code }
      case 'integer':
      case 'day':
        return { ...shared, type: 'INT32' }
      default:
        return type satisfies never
    }
  }

  clear(): void {
    this.#values = []
    this.#numbers.clear()
    this.#last = undefined
  }

  #grow(): void {
    const codes = new Int32Array(Math.min(rowsPerGroup, this.#codes.length * 4))
    codes.set(this.#codes)
    this.#codes = codes
  }
}
