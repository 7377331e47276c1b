import { csvLine } from '../../model/csv.ts'
import type { Column, Row } from '../../model/sheet.ts'

/** Rows as records of RFC 4180. */
export function csvRows<Name extends string>(
  columns: readonly Column<Name>[],
  rows: readonly Row<Name>[],
): string {
  let text = ''
  for (const row of rows) text += csvLine(columns.map(column => row[column.name]))
  return text
}
