import { Failure } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'
import { CsvReader } from '../codec/csvCells.ts'
import type { ParquetTable } from './parquetTable.ts'
import { checkSignalColumns, type SignalPanel, SignalRows, signalColumns } from './signalRows.ts'

/** Forecasts as CSV, with the columns in any order. */
export function readCsvSignals(bytes: Uint8Array, horizon: Horizon | undefined): SignalPanel {
  const reader = new CsvReader(bytes)
  const header = reader.row()
  checkSignalColumns(header)
  const [date, ticker, market, horizonAt, predicted, actual] = signalColumns.map(name => header.indexOf(name))
  const rows = new SignalRows(horizon)
  while (!reader.ended) {
    const { line } = reader
    const cells = reader.row()
    if (cells.length === 1 && cells[0] === '' && reader.onlySpaceFollows()) break
    if (cells.length !== header.length)
      throw new Failure(
        'body_invalid',
        `Line ${line} has ${cells.length} cells, but the header has ${header.length} columns. Send one cell per column.`,
      )
    rows.add(
      [cells[date], cells[ticker], cells[market], cells[horizonAt], cells[predicted], cells[actual]],
      line,
    )
  }
  return rows.finish('line')
}

/** Forecasts as NDJSON. */
export function readNdjsonSignals(bytes: Uint8Array, horizon: Horizon | undefined): SignalPanel {
  const rows = new SignalRows(horizon)
  let line = 0
  for (const text of decode(bytes).split('\n')) {
    line++
    if (text.trim() !== '') addRow(rows, parse(text, `Line ${line}`), line, 'Line')
  }
  return rows.finish('line')
}

/** Forecasts as JSON: an array of rows, a response of the API (`data`), or an object with an array per
 * column. */
export function readJsonSignals(bytes: Uint8Array, horizon: Horizon | undefined): SignalPanel {
  const value = parse(decode(bytes), 'It')
  const list = isObject(value) && Array.isArray(value.data) ? value.data : value
  if (isObject(list)) {
    const columns = Object.entries(list).map(([name, cells]): [string, unknown[]] => {
      if (Array.isArray(cells)) return [name, cells]
      throw new Failure('body_invalid', `${name} must be an array with one value per row.`)
    })
    return readSignalTable({ count: columns[0]?.[1].length ?? 0, columns: new Map(columns) }, horizon)
  }
  if (!Array.isArray(list)) throw new Failure('body_invalid', 'Forecasts must be an array of rows.')
  const rows = new SignalRows(horizon)
  for (const [i, row] of list.entries()) addRow(rows, row, i + 1, 'Row')
  const next = isObject(value) && typeof value.next === 'string' ? value.next : null
  return rows.finish('row', next)
}

/** Forecasts by column, as read from a Parquet file. */
export function readSignalTable({ count, columns }: ParquetTable, horizon: Horizon | undefined): SignalPanel {
  checkSignalColumns([...columns.keys()])
  const [date, ticker, market, horizons, predicted, actual] = signalColumns.map(
    name => columns.get(name) ?? [],
  )
  const rows = new SignalRows(horizon)
  for (let i = 0; i < count; i++)
    rows.add([date[i], ticker[i], market[i], horizons[i], predicted[i], actual[i]], i + 1)
  return rows.finish('row')
}

function addRow(rows: SignalRows, row: unknown, position: number, word: 'Line' | 'Row'): void {
  if (!isObject(row))
    throw new Failure(
      'body_invalid',
      `${word} ${position} is not an object with ${signalColumns.join(', ')}.`,
    )
  const absent = signalColumns.find(name => !(name in row))
  if (absent !== undefined) throw new Failure('body_invalid', `${word} ${position} has no ${absent}.`)
  rows.add([row.date, row.ticker, row.market, row.horizon, row.predicted_pct, row.actual_pct], position)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const decoder = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new Failure('body_invalid', 'It contains bytes that are not UTF-8.', { cause })
  }
}

function parse(text: string, subject: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw new Failure('body_invalid', `${subject} is not JSON: ${reason}.`, { cause })
  }
}
