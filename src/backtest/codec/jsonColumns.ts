import { Failure } from '../../errors.ts'
import {
  type Bounds,
  borrowBounds,
  type ColumnName,
  cellChecks,
  cellSchemas,
  checkGroups,
  checkPanelSize,
  closeBounds,
  columnNames,
  isRequired,
  maxAssetLength,
  maxGroupLength,
  maxMarketLength,
  requiredColumns,
  returnBounds,
  rowCapacity,
  scoreBounds,
  volumeBounds,
} from './cells.ts'
import { checkExtraCells, ExtraColumns, extraBounds, type WantedColumns } from './extraColumns.ts'
import { describeFault, unknownParameter } from './faults.ts'
import { DayColumn, type JsonColumn, NameColumn, NumberColumn } from './jsonColumn.ts'
import { formatPath, type JsonReader } from './jsonReader.ts'
import { extraCell, mayNamePrices } from './jsonRows.ts'
import type { ParsedPanel } from './panelBuilder.ts'

const minElementBytes = '1,'.length
const optionalBounds: Partial<Record<ColumnName, Bounds>> = {
  dollar_volume: volumeBounds,
  close: closeBounds,
  borrow_bps: borrowBounds,
}

/** Reads a panel by column, {"date": [...], "asset": [...], ...}, starting at its `{`. Elements of the common
 * form go straight from bytes to columns. Any other element is read again as a JSON value and validated by
 * the schema. */
export function readJsonColumns(reader: JsonReader, wanted: WantedColumns): ParsedPanel {
  const capacity = rowCapacity(reader.totalBytes, minElementBytes)
  const columns = {
    date: new DayColumn(reader, capacity),
    asset: new NameColumn(reader, capacity, maxAssetLength, false),
    market: new NameColumn(reader, capacity, maxMarketLength, true),
    score: new NumberColumn(reader, capacity, scoreBounds),
    forward_return: new NumberColumn(reader, capacity, returnBounds),
  }
  // Created only on demand: panels without volumes, closes, borrow costs or groups use no memory for them.
  const optional = new Map<ColumnName, NumberColumn>()
  let group: NameColumn | undefined
  const extras = new ExtraColumns(wanted, 0)
  const extraColumns: NumberColumn[] = []
  const lengths = new Map<string, number>()
  reader.expect(0x7b)
  if (!reader.take(0x7d)) {
    do {
      const name = readColumnName(reader, lengths, extras)
      if (typeof name === 'number') {
        const column = new NumberColumn(reader, capacity, extraBounds)
        extraColumns.push(column)
        reader.path.push(extras.names[name])
        lengths.set(extras.names[name], readColumn(reader, null, column))
        checkExtraCells(lengths.get(extras.names[name]) ?? 0, extraColumns.length)
      } else {
        reader.path.push(name)
        const bounds = optionalBounds[name]
        if (bounds !== undefined) optional.set(name, new NumberColumn(reader, capacity, bounds))
        if (name === 'group') group = new NameColumn(reader, capacity, maxGroupLength, true)
        const column =
          name === 'group' ? group : (optional.get(name) ?? columns[name as keyof typeof columns])
        if (column) lengths.set(name, readColumn(reader, name, column))
      }
      reader.path.pop()
    } while (reader.take(0x2c))
    reader.expect(0x7d)
  }
  const hasReturns = lengths.has('forward_return')
  const count = commonLength(lengths, hasReturns || !mayNamePrices(reader)())
  const { date, asset, market, score, forward_return } = columns
  checkPanelSize(count, market.names.length)
  checkGroups(group?.names.length ?? 0)
  return {
    columns: {
      count,
      day: date.days(count),
      asset: asset.numbers(count),
      market: toUint16(lengths.has('market') ? market.numbers(count) : new Int32Array(count)),
      score: lengths.has('score') ? score.values(count) : noNumbers(count),
      forwardReturn: hasReturns ? forward_return.values(count) : noNumbers(count),
      dollarVolume: optional.get('dollar_volume')?.values(count),
      close: optional.get('close')?.values(count),
      borrowBps: optional.get('borrow_bps')?.values(count),
      assetNames: asset.names,
      marketNames: market.names,
      ...(group === undefined ? {} : { group: toUint16(group.numbers(count)), groupNames: group.names }),
      ...(extraColumns.length === 0
        ? {}
        : {
            extras: extraColumns.map((column, i) => ({
              name: extras.names[i],
              values: column.values(count),
            })),
          }),
    },
    placeOf: row => `panel.asset[${row}]`,
    missingScore: lengths.has('score') ? null : columnMissing('score'),
    missingReturn: hasReturns || lengths.has('close') ? null : columnMissing('forward_return'),
    refusals: extras.refusals,
  }
}

/** The name of a column, or the index of one of the caller's own. */
function readColumnName(
  reader: JsonReader,
  lengths: ReadonlyMap<string, number>,
  extras: ExtraColumns,
): ColumnName | number {
  const key = reader.key(name => lengths.has(name))
  const name = columnNames.find(known => known === key)
  if (name !== undefined) return name
  const refusal = () => unknownParameter(formatPath([...reader.path, key]), columnNames)
  const own = extras.add(key, refusal)
  if (own === -1) throw refusal()
  return own
}

/** Reads a column's array and returns its length.
 *
 * @param name null: a column of the caller's own */
function readColumn(reader: JsonReader, name: ColumnName | null, column: JsonColumn): number {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x5b) {
    throw new Failure('parameter_invalid', `${reader.here} must be an array with one value per row.`, {
      param: reader.here,
    })
  }
  reader.expect(0x5b)
  if (reader.take(0x5d)) return 0
  let index = 0
  do {
    reader.ready()
    reader.skipSpace()
    if (!column.take(index)) putChecked(reader, name, column, index)
    index++
    checkPanelSize(index, 0)
  } while (reader.take(0x2c))
  reader.expect(0x5d)
  return index
}

/** The slow path: reads an element as a JSON value, which must match the schema. */
function putChecked(reader: JsonReader, name: ColumnName | null, column: JsonColumn, index: number): void {
  reader.path.push(index)
  const value = reader.value()
  if (name === null) extraCell(value, reader.path)
  else if (!cellChecks[name].Check(value)) {
    const fault = cellChecks[name].Errors(value).First()
    if (fault) throw describeFault(fault, reader.path, cellSchemas[name])
  }
  column.put(index, value)
  reader.path.pop()
}

function commonLength(lengths: ReadonlyMap<string, number>, needsReturns: boolean): number {
  const absent = requiredColumns.find(
    name =>
      name !== 'score' &&
      isRequired(name, lengths) &&
      (needsReturns || name !== 'forward_return') &&
      !lengths.has(name),
  )
  if (absent !== undefined) throw columnMissing(absent)
  const [[first, count], ...others] = lengths
  for (const [name, length] of others) {
    if (length === count) continue
    throw new Failure(
      'parameter_invalid',
      `panel.${name} has ${length} values and panel.${first} ${count}. Every column needs one value per row.`,
      { param: `panel.${name}` },
    )
  }
  return count
}

const columnMissing = (name: ColumnName) =>
  new Failure('parameter_invalid', `panel.${name} is missing; it must be an array with one value per row.`, {
    param: `panel.${name}`,
  })

const noNumbers = (count: number) => new Float64Array(new SharedArrayBuffer(8 * count)).fill(Number.NaN)

/** `checkPanelSize` has ensured that the numbers fit. */
function toUint16(numbers: Int32Array): Uint16Array {
  const narrow = new Uint16Array(new SharedArrayBuffer(2 * numbers.length))
  narrow.set(numbers)
  return narrow
}
