import type { SchemaElement } from 'hyparquet'
import { Failure } from '../../../errors.ts'
import type { ColumnValues } from '../../../formats/parquet/columnChunk.ts'
import { showValue } from '../../codec/faults.ts'
import { type CarriedColumn, noCell, type StoredType } from './carriedColumn.ts'
import { textAt } from './shownTexts.ts'

/** A column of the rows as a Parquet column. */
export interface ParquetColumn {
  readonly schema: SchemaElement
  /** The rows `from .. to`. */
  values(from: number, to: number): ColumnValues
}

/** The type that a column's values are converted to. */
type Typed =
  | { readonly type: StoredType; readonly textOf: (number: number) => string }
  | { readonly type: StoredType; readonly numbers: Float64Array | BigInt64Array }

const textType: StoredType = { type: 'BYTE_ARRAY', converted_type: 'UTF8' }

/** CSV cells become strings, JSON values the type that all values of the column share, and Parquet values
 * keep theirs. */
export function parquetColumn(column: CarriedColumn): ParquetColumn {
  const { name, cells, values } = column
  const typed = typedValues(name, values)
  const schema = { name, ...typed.type, repetition_type: 'OPTIONAL' } as const
  const numbered = (from: number, to: number) =>
    ({ name, values: cells.subarray(from, to), none: noCell, isOptional: true }) as const
  if ('textOf' in typed) {
    const { textOf } = typed
    return {
      schema,
      values: (from, to) => ({
        ...numbered(from, to),
        type: 'BYTE_ARRAY',
        textOf: number => textOf(number - 1),
      }),
    }
  }
  const { numbers } = typed
  if (numbers instanceof BigInt64Array) {
    const numberOf = (number: number) => numbers[number - 1]
    return { schema, values: (from, to) => ({ ...numbered(from, to), type: 'INT64', valueOf: numberOf }) }
  }
  const { type } = typed.type
  const numberOf = (number: number) => numbers[number - 1]
  if (type === 'INT32') return { schema, values: (from, to) => ({ ...numbered(from, to), type, numberOf }) }
  if (type === 'FLOAT' || type === 'BOOLEAN')
    return { schema, values: (from, to) => ({ ...numbered(from, to), type, valueOf: numberOf }) }
  return { schema, values: (from, to) => ({ ...numbered(from, to), type: 'DOUBLE', valueOf: numberOf }) }
}

function typedValues(name: string, values: CarriedColumn['values']): Typed {
  switch (values.kind) {
    case 'csv':
    case 'text':
      return { type: textType, textOf: number => textAt(values.table, number) }
    case 'stored':
      return values
    case 'json':
      return typedJson(name, values.table)
    default:
      return values satisfies never
  }
}

type JsonKind = 'texts' | 'numbers' | 'true or false'

function typedJson(name: string, table: Parameters<typeof textAt>[0]): Typed {
  const { bytes, starts } = table
  const count = starts.length - 1
  const kinds = new Set<JsonKind>()
  for (let number = 0; number < count; number++) kinds.add(kindOf(bytes[starts[number]]))
  const [kind = 'texts', other] = kinds
  if (other !== undefined) {
    throw new Failure(
      'parameter_invalid',
      `The column ${showValue(name)} of rows has ${kind} and ${other}; all values of a Parquet column have the same type. Send values of one type, or ask for format=json, ndjson or csv.`,
      { param: `rows.${name}` },
    )
  }
  if (kind === 'texts') return { type: textType, textOf: number => String(JSON.parse(textAt(table, number))) }
  const tokens = Array.from({ length: count }, (_, number) => textAt(table, number))
  if (kind === 'true or false')
    return {
      type: { type: 'BOOLEAN' },
      numbers: Float64Array.from(tokens, token => (token === 'true' ? 1 : 0)),
    }
  if (tokens.every(token => wholeNumber.test(token)))
    return { type: { type: 'INT64' }, numbers: BigInt64Array.from(tokens, token => wholeOf(name, token)) }
  return { type: { type: 'DOUBLE' }, numbers: Float64Array.from(tokens, Number) }
}

const wholeNumber = /^-?\d+$/

function wholeOf(name: string, token: string): bigint {
  const value = BigInt(token)
  if (BigInt.asIntN(64, value) === value) return value
  throw new Failure(
    'parameter_invalid',
    `The column ${showValue(name)} of rows contains ${token}, which does not fit into a 64-bit integer of Parquet. Send it as text, or ask for format=json, ndjson or csv.`,
    { param: `rows.${name}` },
  )
}

function kindOf(first: number): JsonKind {
  if (first === 0x22) return 'texts'
  return first === 0x74 || first === 0x66 ? 'true or false' : 'numbers'
}
