import { Failure } from '../../errors.ts'
import { type CarriedColumn, noCell } from '../asOf/carried/carriedColumn.ts'
import { textAt } from '../asOf/carried/shownTexts.ts'
import { showValue } from '../codec/faults.ts'

/** The cells of a column as numbers. */
export interface NumberCells {
  readonly name: string
  /** For each row, the number of its value, counted from 1; 0: none. */
  readonly cells: Int32Array
  /** By value, counted from 0. NaN: the value says that it is missing. */
  readonly numbers: Float64Array
}

/** How files write a number that is missing: pandas, NumPy, R, SQL and spreadsheets. */
const missing = new Set(['', 'nan', 'na', 'n/a', '#n/a', 'null', 'none', '-', '.'])

/**
 * Reads a column as numbers.
 *
 * @returns null if some value is neither a number nor missing, or if all are missing
 */
export function numberCells(column: CarriedColumn): NumberCells | null {
  const { name, cells, values } = column
  if (values.kind === 'stored') {
    const { type, converted_type: converted, logical_type: logical } = values.type
    const isNumber =
      (type === 'DOUBLE' || type === 'FLOAT' || type === 'INT32' || type === 'INT64') &&
      (logical === undefined || logical.type === 'INTEGER' || logical.type === 'FLOAT16') &&
      (converted === undefined || /^U?INT_/.test(converted))
    if (!isNumber) return null
    const numbers = Float64Array.from({ length: values.numbers.length }, (_, value) =>
      finite(Number(values.numbers[value])),
    )
    return numbers.every(Number.isNaN) ? null : { name, cells, numbers }
  }
  const { bytes, starts } = values.table
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const numbers = new Float64Array(starts.length - 1)
  let found = 0
  for (let value = 0; value < numbers.length; value++) {
    const sent = text.toString('utf8', starts[value], starts[value + 1])
    const number = readText(values.kind === 'json' ? unquoted(sent) : sent)
    if (number === null) return null
    numbers[value] = finite(number)
    if (!Number.isNaN(numbers[value])) found++
  }
  return found === 0 ? null : { name, cells, numbers }
}

/** Like `numberCells`, but fails with the first value that is no number. */
export function requireNumberCells(column: CarriedColumn): NumberCells {
  const found = numberCells(column)
  if (found !== null) return found
  const { cells, values, name } = column
  const row = cells.findIndex(cell => {
    if (cell === noCell || values.kind === 'stored') return false
    const text = textAt(values.table, cell - 1)
    return readText(values.kind === 'json' ? unquoted(text) : text) === null
  })
  const shown = row === -1 || values.kind === 'stored' ? null : textAt(values.table, cells[row] - 1)
  throw new Failure(
    'parameter_invalid',
    shown === null
      ? `The column ${showValue(name)} has no numbers. Leave it out of columns.`
      : `The column ${showValue(name)} has ${showValue(shown)} in row ${row + 1}, which is not a number. Send numbers without thousands separators or units, and nothing where a value is missing.`,
    { param: `rows.${name}` },
  )
}

const finite = (number: number) => (Number.isFinite(number) ? number : Number.NaN)

const unquoted = (token: string) => (token.startsWith('"') ? String(JSON.parse(token)) : token)

/** NaN: missing; null: no number. */
function readText(text: string): number | null {
  const trimmed = text.trim()
  if (missing.has(trimmed.toLowerCase())) return Number.NaN
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return null
  return Number(trimmed)
}
