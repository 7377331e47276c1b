import { CsvReader } from '../backtest/codec/csvCells.ts'
import type { BacktestBenchmark } from '../backtest/requestBenchmark.ts'
import { isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { loadRows, openInput, readInput } from './inputFile.ts'

/** The value of `--benchmark`: a name, or a CSV file of the benchmark's own returns. */
export async function readBenchmark(option: string): Promise<BacktestBenchmark> {
  if (option === 'cash' || option === 'universe') return option
  if (option === '-')
    throw new Failure(
      'parameter_invalid',
      '--benchmark cannot be read from standard input. Give cash, universe or a CSV file of date and return.',
    )
  const file = await openInput(option).catch(error => {
    throw error instanceof Failure
      ? new Failure(
          error.code,
          `--benchmark: ${error.message} Give cash, universe or a CSV file of date and return.`,
          { cause: error },
        )
      : error
  })
  const rows = await readInput(file, () => {})
  try {
    return readReturns(await loadRows(rows.body, file.name), file.name)
  } finally {
    await rows.discard()
  }
}

function readReturns(bytes: Uint8Array, name: string): BacktestBenchmark {
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
    if (!isIsoDate(day)) throw fault(name, line, `${JSON.stringify(day)} is not a date as YYYY-MM-DD`)
    if (text === '' || !Number.isFinite(value))
      throw fault(name, line, `${JSON.stringify(text)} is not a return as a fraction, such as 0.025`)
    date.push(day)
    returns.push(value)
  }
  if (date.length === 0) throw new Failure('body_invalid', `${name} has no row below its header.`)
  return { date, return: returns }
}

const fault = (name: string, line: number, what: string) =>
  new Failure('body_invalid', `${name}: line ${line}: ${what}.`)
