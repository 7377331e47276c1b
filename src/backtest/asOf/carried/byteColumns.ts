import { Failure } from '../../../errors.ts'
import { showValue } from '../../codec/faults.ts'
import type { JsonReader } from '../../codec/jsonReader.ts'
import { type CarriedColumn, checkCarriedCells, checkCarriedName } from './carriedColumn.ts'
import { GrowingCells } from './growing.ts'
import { ValuePool } from './valuePool.ts'

const encoder = new TextEncoder()

/** A column that is read value by value from a text body. */
export class ByteColumn {
  readonly name: string
  readonly #kind: 'csv' | 'json'
  readonly #cells = new GrowingCells()
  readonly #pool = new ValuePool()

  constructor(name: string, kind: 'csv' | 'json') {
    this.name = name
    this.#kind = kind
  }

  /** Stores the bytes of a value that is present. */
  take(row: number, bytes: Uint8Array, from: number, to: number): void {
    this.#cells.upTo(row + 1)[row] = this.#pool.numberOf(bytes, from, to)
  }

  takeText(row: number, text: string): void {
    const bytes = encoder.encode(text)
    this.take(row, bytes, 0, bytes.length)
  }

  finish(rows: number): CarriedColumn {
    return {
      name: this.name,
      cells: this.#cells.finish(rows),
      values: { kind: this.#kind, table: this.#pool.finish() },
    }
  }
}

/** The columns of a body besides date and ticker, by name, in the order of their first appearance. */
export class ByteColumns {
  readonly #kind: 'csv' | 'json'
  readonly #columns = new Map<string, ByteColumn>()

  constructor(kind: 'csv' | 'json') {
    this.#kind = kind
  }

  has(name: string): boolean {
    return this.#columns.has(name)
  }

  /** @param param names the column in error messages */
  column(name: string, param: string): ByteColumn {
    const known = this.#columns.get(name)
    if (known !== undefined) return known
    checkCarriedName(name, this.#columns.size, param)
    const column = new ByteColumn(name, this.#kind)
    this.#columns.set(name, column)
    return column
  }

  check(rows: number): void {
    checkCarriedCells(rows, this.#columns.size)
  }

  finish(name: string, rows: number): CarriedColumn {
    const column = this.#columns.get(name)
    if (column === undefined) throw new Error(`The column ${name} was never opened.`)
    return column.finish(rows)
  }
}

/** Stores the scalar at the reader's position as raw bytes, so a number keeps its digits and a text its
 * escapes. */
export function takeJsonCell(reader: JsonReader, column: ByteColumn, row: number): void {
  reader.skipSpace()
  const from = reader.at
  const end = endOfPlainText(reader.bytes, from)
  if (end > from) {
    column.take(row, reader.bytes, from, end)
    reader.at = end
    return
  }
  const value = reader.value()
  if (value === null) return
  if (typeof value === 'object') {
    throw new Failure(
      'parameter_invalid',
      `${reader.here} is ${showValue(value)}; columns other than date and ticker may contain only text, numbers, true, false and null. Leave it out.`,
      { param: reader.here },
    )
  }
  column.take(row, reader.bytes, from, reader.at)
}

/** The index after a text of printable ASCII without escapes; `from` if there is none. */
function endOfPlainText(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== 0x22) return from
  let at = from + 1
  while (bytes[at] >= 0x20 && bytes[at] < 0x7f && bytes[at] !== 0x22 && bytes[at] !== 0x5c) at++
  return bytes[at] === 0x22 && at - from <= maxPlainBytes ? at + 1 : from
}

/** Longer texts are read as values, which bounds them. */
const maxPlainBytes = 64
