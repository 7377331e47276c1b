import type { SchemaElement } from 'hyparquet'
import { FileFault, FileTooLarge } from '../parquet/faults.ts'
import { arrowDamage } from './faults.ts'
import type { FlatTable } from './flatTable.ts'

/** The numbers of a fixed width as they are in a buffer. */
export type FixedType =
  | 'int8'
  | 'uint8'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'uint64'
  | 'float16'
  | 'float32'
  | 'float64'

/** What the numbers of a column mean. Parquet has no seconds, and no days counted in milliseconds. */
export type Meaning =
  | { readonly kind: 'number' }
  | { readonly kind: 'day' }
  | { readonly kind: 'dayInMs' }
  | { readonly kind: 'time'; readonly factor: number }
  | { readonly kind: 'instant'; readonly factor: number; readonly perDay: bigint }

export type Layout =
  | { readonly kind: 'none' }
  | { readonly kind: 'bits' }
  | { readonly kind: 'text'; readonly offsetBytes: 4 | 8 }
  | { readonly kind: 'view' }
  | { readonly kind: 'fixed'; readonly type: FixedType; readonly meaning: Meaning }

/** A column of a stream. */
export interface ArrowField {
  readonly name: string
  readonly layout: Layout
  /** The column in the words of Parquet: what pyarrow declares when it writes it to a file. */
  readonly element: SchemaElement
  /** Present if the rows refer to a dictionary. */
  readonly dictionary: { readonly id: bigint; readonly indexes: FixedType } | null
  /** The type by which it is refused; null: it can be read. */
  readonly refused: string | null
}

/** The number of buffers of a column in a batch; null: the batch states it. */
export function buffersOf({ layout, dictionary }: ArrowField): number | null {
  if (dictionary !== null) return 2
  return buffersOfLayout(layout)
}

export function buffersOfLayout({ kind }: Layout): number | null {
  switch (kind) {
    case 'none':
      return 0
    case 'text':
      return 3
    case 'view':
      return null
    default:
      return 2
  }
}

type Typed = Omit<ArrowField, 'name' | 'element' | 'dictionary'> & {
  readonly element: Omit<SchemaElement, 'name'>
}

const maxNameBytes = 4_096

export function readField(field: FlatTable): ArrowField {
  const nameBytes = field.textBytes(0)
  if (nameBytes > maxNameBytes)
    throw new FileTooLarge(
      `it has a column whose name has ${nameBytes.toLocaleString('en')} bytes; a name may have ${maxNameBytes.toLocaleString('en')}`,
    )
  const name = field.text(0)
  const type = field.table(3)
  if (field.count(5) > 0 || nested.has(field.byte(2)))
    throw new FileFault(`the column ${name} is nested; write plain columns only`)
  if (type === null) throw arrowDamage(`the column ${name} has no type`)
  const typed = typeOf(field.byte(2), type)
  const encoding = field.table(4)
  const element: SchemaElement = { name, ...typed.element, repetition_type: 'OPTIONAL' }
  if (encoding === null) return { ...typed, name, element, dictionary: null }
  const indexes = encoding.table(1)
  const indexType = indexes === null ? 'int32' : wholeType(indexes)
  return { ...typed, name, element, dictionary: { id: encoding.id(0), indexes: indexType } }
}

/** List, Struct, Union, FixedSizeList, Map, LargeList, ListView, LargeListView. */
const nested = new Set([12, 13, 14, 16, 17, 21, 25, 26])

const text = { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, refused: null } as const

/** @param type its number in the format, https://github.com/apache/arrow/blob/main/format/Schema.fbs */
function typeOf(type: number, table: FlatTable): Typed {
  switch (type) {
    case 1:
      return {
        layout: { kind: 'none' },
        element: { type: 'INT32', logical_type: { type: 'NULL' } },
        refused: null,
      }
    case 2:
      return fixed(wholeType(table))
    case 3:
      return floating(table)
    case 4:
    case 5:
      return { layout: { kind: 'text', offsetBytes: 4 }, ...text }
    case 6:
      return { layout: { kind: 'bits' }, element: { type: 'BOOLEAN' }, refused: null }
    case 7:
      return refused('DECIMAL')
    case 8:
      return dateType(table)
    case 9:
      return timeType(table)
    case 10:
      return timestampType(table)
    case 15:
      return refused('FIXED_LEN_BYTE_ARRAY')
    case 18:
      return fixed('int64')
    case 19:
    case 20:
      return { layout: { kind: 'text', offsetBytes: 8 }, ...text }
    case 23:
    case 24:
      return { layout: { kind: 'view' }, ...text }
    default:
      return refused(type === 11 ? 'INTERVAL' : 'of an unknown type')
  }
}

/** Such a column has two buffers, which are not read. */
const refused = (name: string): Typed => ({
  layout: { kind: 'bits' },
  element: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    ...(name === 'DECIMAL' || name === 'INTERVAL' ? { converted_type: name } : {}),
  },
  refused: name,
})

function wholeType(table: FlatTable): Exclude<FixedType, `float${number}`> {
  const bits = table.int(0)
  const isSigned = table.byte(1) === 1
  switch (bits) {
    case 8:
      return isSigned ? 'int8' : 'uint8'
    case 16:
      return isSigned ? 'int16' : 'uint16'
    case 32:
      return isSigned ? 'int32' : 'uint32'
    case 64:
      return isSigned ? 'int64' : 'uint64'
    default:
      throw arrowDamage('an integer has an unknown width')
  }
}

const wholeElements = {
  int8: { type: 'INT32', converted_type: 'INT_8' },
  uint8: { type: 'INT32', converted_type: 'UINT_8' },
  int16: { type: 'INT32', converted_type: 'INT_16' },
  uint16: { type: 'INT32', converted_type: 'UINT_16' },
  int32: { type: 'INT32' },
  uint32: { type: 'INT32', converted_type: 'UINT_32' },
  int64: { type: 'INT64' },
  uint64: { type: 'INT64', converted_type: 'UINT_64' },
  float32: { type: 'FLOAT' },
  float64: { type: 'DOUBLE' },
} as const

const fixed = (type: keyof typeof wholeElements, meaning: Meaning = { kind: 'number' }): Typed => ({
  layout: { kind: 'fixed', type, meaning },
  element: wholeElements[type],
  refused: null,
})

function floating(table: FlatTable): Typed {
  const precision = table.short(0)
  if (precision === 2) return fixed('float64')
  if (precision === 1) return fixed('float32')
  return {
    layout: { kind: 'fixed', type: 'float16', meaning: { kind: 'number' } },
    element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, logical_type: { type: 'FLOAT16' } },
    refused: null,
  }
}

const date = { element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } } } as const

/** The default of the format is milliseconds. */
const dateType = (table: FlatTable): Typed =>
  table.short(0, 1) === 0
    ? { ...fixed('int32', { kind: 'day' }), ...date }
    : { ...fixed('int64', { kind: 'dayInMs' }), ...date }

const units = ['MILLIS', 'MILLIS', 'MICROS', 'NANOS'] as const
const perDay = [86_400_000n, 86_400_000n, 86_400_000_000n, 86_400_000_000_000n]

/** Seconds become milliseconds, as in Parquet. */
const factorOf = (unit: number) => (unit === 0 ? 1_000 : 1)

function unitOf(unit: number): (typeof units)[number] {
  if (units[unit] === undefined) throw arrowDamage('a time has an unknown unit')
  return units[unit]
}

function timeType(table: FlatTable): Typed {
  const number = table.short(0, 1)
  const unit = unitOf(number)
  const isShort = unit === 'MILLIS'
  if (table.int(1, 32) !== (isShort ? 32 : 64)) throw arrowDamage('a time has an unknown width')
  return {
    ...fixed(isShort ? 'int32' : 'int64', { kind: 'time', factor: factorOf(number) }),
    element: {
      type: isShort ? 'INT32' : 'INT64',
      logical_type: { type: 'TIME', isAdjustedToUTC: false, unit },
    },
  }
}

function timestampType(table: FlatTable): Typed {
  const number = table.short(0)
  const unit = unitOf(number)
  const isUtc = table.textBytes(1) > 0
  return {
    ...fixed('int64', { kind: 'instant', factor: factorOf(number), perDay: perDay[number] }),
    element: {
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: isUtc, unit },
      ...(unit === 'NANOS' ? {} : { converted_type: `TIMESTAMP_${unit}` }),
    },
  }
}
