import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { openJson } from '../codec/body.ts'
import { describeFault, unknownParameter } from '../codec/faults.ts'
import { DayColumn, type JsonColumn, NameColumn } from '../codec/jsonColumn.ts'
import { formatPath, type JsonObject, type JsonReader } from '../codec/jsonReader.ts'
import { type ByteColumn, ByteColumns, takeJsonCell } from './carried/byteColumns.ts'
import { AsOfJoinRequest, joinRowSchemas, maxJoinRows, maxTickerLength } from './request.ts'
import { type ParsedRows, rowCapacity, tooManyRows } from './rows.ts'
import { timeColumn } from './rowTimes.ts'

export const joinFields = Object.keys(AsOfJoinRequest.properties)
const columnNames = ['date', 'ticker'] as const
type ColumnName = (typeof columnNames)[number]

const cellChecks = {
  date: TypeCompiler.Compile(joinRowSchemas.date),
  ticker: TypeCompiler.Compile(joinRowSchemas.ticker),
}

/** Reads a join as JSON: {"rows": {"date": [...], "ticker": [...]}, "metrics": [...], ...}, with its fields
 * in any order.
 *
 * @param known the fields that the body may have */
export function readJsonJoin(
  bytes: Uint8Array,
  known: readonly string[],
  maxRows: number = maxJoinRows,
): { fields: JsonObject; rows: ParsedRows } {
  const reader = openJson(bytes, 'Send {"rows": {"date": [...], "ticker": [...]}, "metrics": ["roe"]}.')
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x7b) {
    throw new Failure(
      'body_invalid',
      'The body must be a JSON object such as {"rows": {"date": [...], "ticker": [...]}, "metrics": ["roe"]}.',
    )
  }
  const fields: JsonObject = Object.create(null)
  let rows: ParsedRows | null = null
  reader.expect(0x7b)
  if (!reader.take(0x7d)) {
    do {
      const key = reader.key(name => name in fields || (name === 'rows' && rows !== null))
      if (!known.includes(key)) throw unknownParameter(key.slice(0, 60), known)
      reader.path.push(key)
      if (key === 'rows') rows = readColumns(reader, maxRows)
      else fields[key] = reader.value()
      reader.path.pop()
    } while (reader.take(0x2c))
    reader.expect(0x7d)
  }
  reader.skipSpace()
  if (reader.at < bytes.length) reader.malformed('text follows the object')
  if (rows !== null) return { fields, rows }
  throw new Failure(
    'parameter_invalid',
    'rows is missing; it must be an object with the columns date and ticker, each an array with one value per row.',
    { param: 'rows' },
  )
}

const minElementBytes = '"A",'.length

function readColumns(reader: JsonReader, maxRows: number): ParsedRows {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x7b) {
    throw new Failure(
      'parameter_invalid',
      'rows must be an object with the columns date and ticker, each an array with one value per row. Rows as objects are sent as NDJSON.',
      { param: 'rows' },
    )
  }
  const capacity = rowCapacity(reader.bytes, minElementBytes)
  const columns = {
    date: new DayColumn(reader, capacity),
    ticker: new NameColumn(reader, capacity, maxTickerLength, false),
  }
  const carried = new ByteColumns('json')
  const order: string[] = []
  const lengths = new Map<string, number>()
  reader.expect(0x7b)
  if (!reader.take(0x7d)) {
    do {
      const key = reader.key(name => lengths.has(name))
      const name = columnNames.find(column => column === key)
      reader.path.push(key)
      order.push(key)
      if (name === undefined) lengths.set(key, readCarried(reader, carried.column(key, reader.here), maxRows))
      else lengths.set(name, readColumn(reader, columns[name], name, maxRows))
      reader.path.pop()
    } while (reader.take(0x2c))
    reader.expect(0x7d)
  }
  const count = commonLength(lengths)
  carried.check(count)
  const { date, ticker } = columns
  return {
    count,
    day: lengths.has('date') ? date.days(count) : new Int32Array(new SharedArrayBuffer(4 * count)),
    name: ticker.numbers(count),
    names: ticker.names,
    layout: order.map(name => (name === 'date' || name === 'ticker' ? name : carried.finish(name, count))),
  }
}

/** Reads a column other than date and ticker. */
function readCarried(reader: JsonReader, column: ByteColumn, maxRows: number): number {
  return readArray(reader, maxRows, row => {
    reader.path.push(row)
    takeJsonCell(reader, column, row)
    reader.path.pop()
  })
}

function readColumn(reader: JsonReader, column: JsonColumn, name: ColumnName, maxRows: number): number {
  return readArray(reader, maxRows, row => {
    if (!column.take(row)) column.put(row, readChecked(reader, name, row))
  })
}

/** Reads an array and returns its length.
 *
 * @param take reads the element at the reader's position */
function readArray(reader: JsonReader, maxRows: number, take: (row: number) => void): number {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x5b) {
    throw new Failure('parameter_invalid', `${reader.here} must be an array with one value per row.`, {
      param: reader.here,
    })
  }
  reader.expect(0x5b)
  if (reader.take(0x5d)) return 0
  let row = 0
  do {
    reader.skipSpace()
    if (row === maxRows) tooManyRows(maxRows)
    take(row)
    row++
  } while (reader.take(0x2c))
  reader.expect(0x5d)
  return row
}

/** The slow path: reads an element as a JSON value, which must match the schema. */
function readChecked(reader: JsonReader, name: ColumnName, row: number): string {
  reader.path.push(row)
  const value = reader.value()
  const check = cellChecks[name]
  if (!check.Check(value)) {
    const fault = check.Errors(value).First()
    throw fault
      ? describeFault(fault, reader.path, joinRowSchemas[name])
      : new Failure('parameter_invalid', `${reader.here} does not match the schema.`, { param: reader.here })
  }
  reader.path.pop()
  return value
}

function commonLength(lengths: ReadonlyMap<string, number>): number {
  const absent = columnNames.find(name => !lengths.has(name) && !(name === 'date' && lengths.has(timeColumn)))
  if (absent !== undefined) {
    throw new Failure(
      'parameter_invalid',
      `rows.${absent} is missing; it must be an array with one value per row.`,
      { param: `rows.${absent}` },
    )
  }
  const key = lengths.has('date') ? 'date' : timeColumn
  const dates = lengths.get(key) ?? 0
  const [other, count] = [...lengths].find(([, length]) => length !== dates) ?? []
  if (other === undefined) return dates
  throw new Failure(
    'parameter_invalid',
    `rows.${key} has ${dates} values and ${formatPath(['rows', other])} ${count}. Each column needs one value per row.`,
    { param: 'rows' },
  )
}
