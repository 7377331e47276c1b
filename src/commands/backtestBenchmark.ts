import { CsvReader } from '../backtest/codec/csvCells.ts'
import { numberCell, textCell } from '../backtest/panelFile/panelColumns.ts'
import { recogniseFormat } from '../backtest/panelFile/panelFormat.ts'
import { readTable } from '../backtest/panelFile/tableFile.ts'
import type { TableFormat } from '../backtest/request.ts'
import type { BacktestBenchmark } from '../backtest/requestBenchmark.ts'
import { isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { loadRows, openInput, readInput } from './inputFile.ts'

/** The value of `--benchmark`: a name, or a CSV, Parquet or Arrow file of the benchmark's own returns. */
export async function readBenchmark(option: string): Promise<BacktestBenchmark> {
  if (option === 'cash' || option === 'universe') return option
  if (option === '-')
    throw new Failure(
      'parameter_invalid',
      '--benchmark cannot be read from standard input. Give cash, universe or a CSV, Parquet or Arrow file of date and return.',
    )
  const file = await openInput(option).catch(error => {
    throw error instanceof Failure
      ? new Failure(
          error.code,
          `--benchmark: ${error.message} Give cash, universe or a CSV, Parquet or Arrow file of date and return.`,
          { cause: error },
        )
      : error
  })
  const rows = await readInput(file, () => {})
  try {
    const bytes = await loadRows(rows.body, file.name)
    const format = recogniseFormat(bytes)
    return format === 'parquet' || format === 'arrow'
      ? await readTableReturns(bytes, format, file.name)
      : readCsvReturns(bytes, file.name)
  } finally {
    await rows.discard()
  }
}

/** An index file may have other columns, and more days than the rows. */
const tableLimits = { maxRows: 1_000_000, cells: 10_000_000, textLength: 1_000 }

async function readTableReturns(
  bytes: Uint8Array,
  format: TableFormat,
  name: string,
): Promise<BacktestBenchmark> {
  const { count, columns } = await readTable(bytes, format, { ...tableLimits, numbers: ['return'] }).catch(
    cause => {
      throw cause instanceof Failure ? new Failure(cause.code, `${name}: ${cause.message}`, { cause }) : cause
    },
  )
  const [days, values] = [columns.get('date'), columns.get('return')]
  if (days === undefined || values === undefined)
    throw new Failure(
      'body_invalid',
      `${name} must have the columns date and return; it has ${[...columns.keys()].join(', ') || 'none'}.`,
    )
  if (count === 0) throw new Failure('body_invalid', `${name} has no rows.`)
  const date: string[] = []
  const returns: number[] = []
  for (let row = 0; row < count; row++) {
    const [day, value] = [textCell(days[row]), numberCell(values[row])]
    if (day === null || !isIsoDate(day)) throw notADay(name, `row ${row + 1}`, day)
    if (typeof value !== 'number') throw notAReturn(name, `row ${row + 1}`, value)
    date.push(day)
    returns.push(value)
  }
  return { date, return: returns }
}

function readCsvReturns(bytes: Uint8Array, name: string): BacktestBenchmark {
  const reader = new CsvReader(bytes)
  const header = reader.ended ? [] : reader.row().map(cell => cell.trim().toLowerCase())
  const [dateAt, returnAt] = [header.indexOf('date'), header.indexOf('return')]
  if (dateAt < 0 || returnAt < 0) {
    throw new Failure(
      'body_invalid',
      `${name}: the first line must name the columns date and return; it has ${header.join(', ') || 'nothing'}.`,
    )
  }
  const date: string[] = []
  const returns: number[] = []
  while (!reader.ended && !reader.onlySpaceFollows()) {
    const { line } = reader
    const cells = reader.row()
    const [day, text] = [cells[dateAt]?.trim() ?? '', cells[returnAt]?.trim() ?? '']
    const value = Number(text)
    if (!isIsoDate(day)) throw notADay(name, `line ${line}`, day)
    if (text === '' || !Number.isFinite(value)) throw notAReturn(name, `line ${line}`, text)
    date.push(day)
    returns.push(value)
  }
  if (date.length === 0) throw new Failure('body_invalid', `${name} has no rows below its header.`)
  return { date, return: returns }
}

const notADay = (name: string, location: string, cell: string | null) =>
  new Failure('body_invalid', `${name}: ${location}: ${JSON.stringify(cell)} is not a date as YYYY-MM-DD.`)

const notAReturn = (name: string, location: string, cell: string | null) =>
  new Failure(
    'body_invalid',
    `${name}: ${location}: ${JSON.stringify(cell)} is not a return as a fraction, such as 0.025.`,
  )
