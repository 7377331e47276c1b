import { Failure } from '../../src/errors.ts'
import {
  type ColumnName,
  cellChecks,
  cellSchemas,
  checkSize,
  columnNames,
  longestAsset,
  longestMarket,
  requiredColumns,
  returnBounds,
  roomFor,
  scoreBounds,
} from './cells.ts'
import { describeFault, unknownParameter } from './describeFault.ts'
import { formatPath, type JsonReader } from './JsonReader.ts'
import { DayColumn, type JsonColumn, NameColumn, NumberColumn } from './jsonColumns.ts'
import type { PanelRows } from './PanelRows.ts'

/** The shortest element. */
const leastRow = '1,'.length

/** A panel by column, {"date": [...], "asset": [...], ...}, from the reader's place at `{`. Elements of the usual shape
 * go straight from bytes to columns; any other is read as a value and the schema decides. */
export function readPanelColumns(reader: JsonReader): PanelRows {
  const room = roomFor(reader.bytes, leastRow)
  const columns = {
    date: new DayColumn(reader, room),
    asset: new NameColumn(reader, room, longestAsset, false),
    market: new NameColumn(reader, room, longestMarket, true),
    score: new NumberColumn(reader, room, scoreBounds),
    forward_return: new NumberColumn(reader, room, returnBounds),
  }
  const lengths = new Map<ColumnName, number>()
  reader.expect(0x7b)
  if (!reader.take(0x7d)) {
    do {
      const name = readColumnName(reader, lengths)
      reader.path.push(name)
      lengths.set(name, readColumn(reader, name, columns[name]))
      reader.path.pop()
    } while (reader.take(0x2c))
    reader.expect(0x7d)
  }
  const count = commonLength(lengths)
  const { date, asset, market, score, forward_return } = columns
  checkSize(count, market.names.length)
  return {
    columns: {
      count,
      day: date.days(count),
      asset: asset.numbers(count),
      market: narrowed(lengths.has('market') ? market.numbers(count) : new Int32Array(count)),
      score: score.values(count),
      forwardReturn: forward_return.values(count),
      assetNames: asset.names,
      marketNames: market.names,
    },
    placeOf: row => `panel.asset[${row}]`,
  }
}

function readColumnName(reader: JsonReader, lengths: ReadonlyMap<string, number>): ColumnName {
  const key = reader.key(name => lengths.has(name))
  const name = columnNames.find(known => known === key)
  if (name !== undefined) return name
  throw unknownParameter(formatPath([...reader.path, key]), columnNames)
}

/** Its length. */
function readColumn(reader: JsonReader, name: ColumnName, column: JsonColumn): number {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x5b) {
    throw new Failure('parameter_invalid', `${reader.here} must be an array with one value a row.`, {
      param: reader.here,
    })
  }
  reader.expect(0x5b)
  if (reader.take(0x5d)) return 0
  let place = 0
  do {
    reader.skipSpace()
    if (!column.take(place)) putUnusual(reader, name, column, place)
    place++
    checkSize(place, 0)
  } while (reader.take(0x2c))
  reader.expect(0x5d)
  return place
}

function putUnusual(reader: JsonReader, name: ColumnName, column: JsonColumn, place: number): void {
  reader.path.push(place)
  const value = reader.value()
  if (!cellChecks[name].Check(value)) {
    const fault = cellChecks[name].Errors(value).First()
    if (fault) throw describeFault(fault, reader.path, cellSchemas[name])
  }
  column.put(place, value)
  reader.path.pop()
}

function commonLength(lengths: ReadonlyMap<ColumnName, number>): number {
  const absent = requiredColumns.find(name => !lengths.has(name))
  if (absent !== undefined) {
    throw new Failure(
      'parameter_invalid',
      `panel.${absent} is missing; it must be an array with one value a row.`,
      { param: `panel.${absent}` },
    )
  }
  const [[first, count], ...others] = lengths
  for (const [name, length] of others) {
    if (length === count) continue
    throw new Failure(
      'parameter_invalid',
      `panel.${name} has ${length} values and panel.${first} ${count}. Every column needs one value a row.`,
      { param: `panel.${name}` },
    )
  }
  return count
}

/** `checkSize` has seen that the numbers fit. */
function narrowed(numbers: Int32Array): Uint16Array {
  const narrow = new Uint16Array(new SharedArrayBuffer(2 * numbers.length))
  narrow.set(numbers)
  return narrow
}
