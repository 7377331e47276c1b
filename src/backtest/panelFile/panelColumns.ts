import { Failure } from '../../errors.ts'
import { type ColumnName, columnNames, isRequired, optionalColumns, requiredColumns } from '../codec/cells.ts'
import { closeAndReturn } from '../codec/jsonRows.ts'
import { maxPanelRows } from '../request.ts'

/** A file of identical rows has almost no size, but takes 26 bytes per row in memory. Beyond this many rows,
 * a file must have at least one byte per row; real returns take several. */
const freeRows = 2_000_000

/** Fails unless a table has the columns of a panel and no more rows than a panel may have. Called before the
 * cells are read. */
export function checkPanelTable(
  names: readonly string[],
  count: number,
  fileBytes: number,
  wanted: readonly string[],
  mayLackReturns: boolean,
): void {
  const allowed: readonly string[] = [...columnNames, ...wanted]
  const sent = { has: (name: ColumnName) => names.includes(name) }
  if (sent.has('close') && sent.has('forward_return')) throw closeAndReturn('The file')
  const absent = requiredColumns.find(
    name =>
      name !== 'score' &&
      isRequired(name, sent) &&
      (name !== 'forward_return' || !mayLackReturns) &&
      !sent.has(name),
  )
  if (absent !== undefined) throw columnMissing(absent)
  const unknown = names.find(name => !allowed.includes(name))
  if (unknown !== undefined)
    throw new Failure(
      'body_invalid',
      `The column ${JSON.stringify(unknown)} is unknown. Allowed columns: ${columnNames.join(', ')}.`,
    )
  if (count > maxPanelRows)
    throw new Failure('body_invalid', `There are more than ${maxPanelRows.toLocaleString('en')} rows.`)
  if (count > freeRows + fileBytes)
    throw new Failure(
      'body_too_large',
      `It cannot be read: it has ${count.toLocaleString('en')} rows in ${fileBytes.toLocaleString('en')} bytes, less than a byte for each. Send it as CSV.`,
    )
}

/** The error for a table without scores if nothing says where they come from; null: it has scores. */
export const missingScoreOf = (names: readonly string[]): Failure | null =>
  names.includes('score') ? null : columnMissing('score')

const columnMissing = (name: ColumnName) =>
  new Failure(
    'body_invalid',
    `The column ${name} is missing. Required columns: ${requiredColumns.join(', ')}. Optional: ${optionalColumns.join(', ')}.`,
  )

/** Integers are valid names too, such as PERMNO 10107. */
export function textCell(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  return typeof value === 'string' ? value : String(value)
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/** A missing value is null, an empty text or NaN, as written by pandas and Arrow. */
export function numberCell(value: unknown): string | number | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string') {
    const number = decimal.test(value) ? Number(value) : Number.NaN
    return Number.isFinite(number) ? number : value
  }
  if (typeof value !== 'number') return String(value)
  if (Number.isNaN(value)) return null
  // JSON would write an infinite number as null.
  return Number.isFinite(value) ? value : String(value)
}
