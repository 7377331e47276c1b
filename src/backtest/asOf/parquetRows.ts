import { dayNumber, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { showValue } from '../codec/faults.ts'
import { type ParquetTable, readParquet } from '../panelFile/parquetTable.ts'
import { maxJoinRows, maxTickerLength } from './request.ts'
import { type ParsedRows, RowsBuilder, tooManyRows } from './rows.ts'

/** Rows as a Parquet file with the columns date and ticker. */
export async function readParquetRows(bytes: Uint8Array<ArrayBuffer>): Promise<ParsedRows> {
  const table = await readParquet(bytes, [], 2 * maxJoinRows)
  const dates = columnOf(table, 'date')
  const tickers = columnOf(table, 'ticker')
  const other = [...table.columns.keys()].find(name => name !== 'date' && name !== 'ticker')
  if (other !== undefined) {
    throw new Failure(
      'parameter_unknown',
      `The file has the column ${showValue(other)}. Send the columns date and ticker only; metrics and all else are query parameters.`,
      { param: 'rows' },
    )
  }
  if (table.count > maxJoinRows) tooManyRows()
  const rows = new RowsBuilder(table.count + 2)
  const days = new Map<unknown, number>()
  const names = new Map<unknown, number>()
  for (let row = 0; row < table.count; row++) {
    const date = dates[row]
    let day = days.get(date)
    if (day === undefined) {
      day = readDate(date, row)
      days.set(date, day)
    }
    const ticker = tickers[row]
    let name = names.get(ticker)
    if (name === undefined) {
      name = rows.names.numberOf(readTicker(ticker, row))
      names.set(ticker, name)
    }
    rows.push(day, name)
  }
  return rows.finish()
}

function columnOf({ columns }: ParquetTable, name: string): readonly unknown[] {
  const column = columns.get(name)
  if (column !== undefined) return column
  throw new Failure(
    'parameter_invalid',
    `The file does not have the column ${name}. Send the columns date and ticker.`,
    { param: 'rows' },
  )
}

function readDate(value: unknown, row: number): number {
  if (typeof value === 'string' && isIsoDate(value)) return dayNumber(value)
  throw new Failure(
    'parameter_invalid',
    `date[${row}] is ${describe(value)}; it must be a day: DATE, a timestamp at midnight, or text as YYYY-MM-DD.`,
    { param: `date[${row}]` },
  )
}

function readTicker(value: unknown, row: number): string {
  if (typeof value === 'string' && value !== '' && value.length <= maxTickerLength && value.isWellFormed())
    return value
  throw new Failure(
    'parameter_invalid',
    `ticker[${row}] is ${describe(value)}; it must be text of 1 to ${maxTickerLength} characters. IDs that look like numbers are text, too: 005930.KS.`,
    { param: `ticker[${row}]` },
  )
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return typeof value === 'bigint' ? String(value) : showValue(value)
}
