import { isUtf8 } from 'node:buffer'
import type { SchemaElement } from 'hyparquet'
import { Failure } from '../../../errors.ts'
import { showValue } from '../../codec/faults.ts'
import type { CarriedColumn, StoredType } from './carriedColumn.ts'
import { GrowingCells } from './growing.ts'
import { ValuePool } from './valuePool.ts'

/** The maximum number of distinct values that are remembered for reuse. */
const maxRemembered = 100_000

/** A column of a Parquet file, read as it is stored: a timestamp keeps its nanoseconds, and a number its
 * bits. */
export interface StoredColumn {
  readonly name: string
  take(values: ArrayLike<unknown>, from: number, length: number): void
  finish(rows: number): CarriedColumn
}

export function storedColumn(element: SchemaElement): StoredColumn {
  const { name, type } = element
  const meaning = element.logical_type?.type ?? element.converted_type
  switch (type) {
    case 'BYTE_ARRAY':
      if (meaning === 'DECIMAL' || meaning === 'BSON') break
      return new TextColumn(name)
    case 'INT32':
    case 'FLOAT':
    case 'DOUBLE':
    case 'BOOLEAN':
      if (meaning === 'DECIMAL') break
      return new FloatColumn(name, storedType(element))
    case 'INT64':
      if (meaning === 'DECIMAL') break
      return new WholeColumn(name, storedType(element), value => value)
    case 'INT96':
      return new WholeColumn(name, nanosecondType, sinceEpoch)
  }
  throw new Failure(
    'body_invalid',
    `The column ${showValue(name)} of rows is ${meaning ?? type}. Write it as text, DOUBLE, a whole number, a day or a timestamp, or leave it out.`,
    { param: `rows.${name}` },
  )
}

/** Declares integers of other widths with the older of the two annotations, because the writing library
 * stores the width of the newer one in a form that Arrow rejects. */
function storedType({ type, converted_type, logical_type: logical }: SchemaElement): StoredType {
  const whole = logical?.type === 'INTEGER' ? wholeTypes.find(name => name === wholeName(logical)) : undefined
  const converted = whole ?? converted_type
  return {
    ...(type === undefined ? {} : { type }),
    ...(converted === undefined ? {} : { converted_type: converted }),
    ...(logical === undefined || logical.type === 'INTEGER' ? {} : { logical_type: logical }),
  }
}

const wholeTypes = ['INT_8', 'INT_16', 'INT_32', 'INT_64', 'UINT_8', 'UINT_16', 'UINT_32', 'UINT_64'] as const
const wholeName = ({ bitWidth, isSigned }: { readonly bitWidth: number; readonly isSigned: boolean }) =>
  `${isSigned ? 'INT' : 'UINT'}_${bitWidth}`

/** The type that replaced INT96. */
const nanosecondType: StoredType = {
  type: 'INT64',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' },
}

/** INT96 holds a Julian day above the nanoseconds within that day. */
function sinceEpoch(value: bigint): bigint {
  const day = (value >> 64n) - 2_440_588n
  return day * 86_400_000_000_000n + BigInt.asUintN(64, value)
}

class TextColumn implements StoredColumn {
  readonly name: string
  readonly #cells = new GrowingCells()
  readonly #pool = new ValuePool()

  constructor(name: string) {
    this.name = name
  }

  take(values: ArrayLike<unknown>, from: number, length: number): void {
    const cells = this.#cells.upTo(from + length)
    for (let i = 0; i < length; i++) {
      const value = values[i]
      if (!(value instanceof Uint8Array)) continue
      if (!isUtf8(value)) {
        const param = `${this.name}[${from + i}]`
        throw new Failure(
          'body_invalid',
          `${param} contains bytes that are not UTF-8. Write it as text, or leave the column out.`,
          {
            param,
          },
        )
      }
      cells[from + i] = this.#pool.numberOf(value, 0, value.length)
    }
  }

  finish(rows: number): CarriedColumn {
    return {
      name: this.name,
      cells: this.#cells.finish(rows),
      values: { kind: 'text', table: this.#pool.finish() },
    }
  }
}

/** The distinct values of a column in the order of their first appearance, and the value of each row as a
 * number. */
class Numbering<Value, Numbers extends Float64Array | BigInt64Array> {
  readonly cells = new GrowingCells()
  readonly #known = new Map<Value, number>()
  readonly #numbersIn: (buffer: SharedArrayBuffer) => Numbers
  #numbers: Numbers
  count = 0

  constructor(numbersIn: (buffer: SharedArrayBuffer) => Numbers) {
    this.#numbersIn = numbersIn
    this.#numbers = numbersIn(new SharedArrayBuffer(0))
  }

  /** The number of a value, counted from 1; 0 if it has none yet. */
  find(value: Value): number {
    return this.#known.get(value) ?? 0
  }

  add(value: Value): number {
    const number = ++this.count
    if (number <= maxRemembered) this.#known.set(value, number)
    return number
  }

  /** Returns the stored values, with room for another one at index `count`. */
  makeRoom(): Numbers {
    const { buffer, length } = this.#numbers
    if (this.count < length) return this.#numbers
    const larger = new SharedArrayBuffer(8 * Math.max(1_024, 2 * length))
    new Uint8Array(larger).set(new Uint8Array(buffer))
    this.#numbers = this.#numbersIn(larger)
    return this.#numbers
  }

  finish(name: string, type: StoredType, rows: number): CarriedColumn {
    const numbers = this.#numbers.subarray(0, this.count)
    return { name, cells: this.cells.finish(rows), values: { kind: 'stored', type, numbers } }
  }
}

class FloatColumn implements StoredColumn {
  readonly name: string
  readonly #type: StoredType
  readonly #numbering = new Numbering<number, Float64Array>(buffer => new Float64Array(buffer))

  constructor(name: string, type: StoredType) {
    this.name = name
    this.#type = type
  }

  take(values: ArrayLike<unknown>, from: number, length: number): void {
    const cells = this.#numbering.cells.upTo(from + length)
    for (let i = 0; i < length; i++) {
      const sent = values[i]
      const value = typeof sent === 'boolean' ? Number(sent) : sent
      if (typeof value !== 'number') continue
      // A map treats -0 and 0 as the same key.
      const isKnown = !Object.is(value, -0)
      cells[from + i] = (isKnown && this.#numbering.find(value)) || this.#add(value)
    }
  }

  #add(value: number): number {
    this.#numbering.makeRoom()[this.#numbering.count] = value
    return Object.is(value, -0) ? ++this.#numbering.count : this.#numbering.add(value)
  }

  finish(rows: number): CarriedColumn {
    return this.#numbering.finish(this.name, this.#type, rows)
  }
}

class WholeColumn implements StoredColumn {
  readonly name: string
  readonly #type: StoredType
  readonly #meaningOf: (value: bigint) => bigint
  readonly #numbering = new Numbering<bigint, BigInt64Array>(buffer => new BigInt64Array(buffer))

  constructor(name: string, type: StoredType, meaningOf: (value: bigint) => bigint) {
    this.name = name
    this.#type = type
    this.#meaningOf = meaningOf
  }

  take(values: ArrayLike<unknown>, from: number, length: number): void {
    const cells = this.#numbering.cells.upTo(from + length)
    for (let i = 0; i < length; i++) {
      const value = values[i]
      if (typeof value === 'bigint') cells[from + i] = this.#numbering.find(value) || this.#add(value)
    }
  }

  #add(value: bigint): number {
    this.#numbering.makeRoom()[this.#numbering.count] = this.#meaningOf(value)
    return this.#numbering.add(value)
  }

  finish(rows: number): CarriedColumn {
    return this.#numbering.finish(this.name, this.#type, rows)
  }
}
