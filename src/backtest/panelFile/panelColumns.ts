import { Failure } from '../../errors.ts'
import { columnNames, optionalColumns, requiredColumns } from '../codec/cells.ts'
import { maxPanelRows } from '../request.ts'
import type { ParquetTable } from './parquetTable.ts'

/** Rows of a panel by column, as JSON has them. What is no valid cell stays as text, so that the schema names it. */
export interface PanelColumns {
  readonly date: readonly (string | null)[]
  readonly asset: readonly (string | null)[]
  readonly market?: readonly (string | null)[]
  readonly score: readonly (string | number | null)[]
  readonly forward_return: readonly (string | number | null)[]
  readonly dollar_volume?: readonly (string | number | null)[]
}

/** Fails unless a table has the columns of a panel, and no more rows than one. Called before the cells are read. */
export function checkPanelTable(names: readonly string[], count: number): void {
  const allowed: readonly string[] = columnNames
  const absent = requiredColumns.find(name => !names.includes(name))
  if (absent !== undefined)
    throw new Failure(
      'body_invalid',
      `The column ${absent} is missing. Required columns: ${requiredColumns.join(', ')}. Optional: ${optionalColumns.join(', ')}.`,
    )
  const unknown = names.find(name => !allowed.includes(name))
  if (unknown !== undefined)
    throw new Failure(
      'body_invalid',
      `The column ${JSON.stringify(unknown)} is unknown. Allowed columns: ${columnNames.join(', ')}.`,
    )
  if (count > maxPanelRows)
    throw new Failure(
      'body_invalid',
      `There are more than ${maxPanelRows.toLocaleString('en')} rows. Split the file by date.`,
    )
}

/** The columns of a Parquet file as those of a panel. */
export function panelColumns({ columns }: ParquetTable): PanelColumns {
  const cells = (name: string) => columns.get(name) ?? []
  return {
    date: cells('date').map(textCell),
    asset: cells('asset').map(textCell),
    ...(columns.has('market') ? { market: cells('market').map(textCell) } : {}),
    score: cells('score').map(numberCell),
    forward_return: cells('forward_return').map(numberCell),
    ...(columns.has('dollar_volume') ? { dollar_volume: cells('dollar_volume').map(numberCell) } : {}),
  }
}

/** Whole numbers are names, too: PERMNO 10107. */
export function textCell(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  return typeof value === 'string' ? value : String(value)
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/** A missing value is null, an empty text or NaN, as pandas and Arrow write it. */
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
