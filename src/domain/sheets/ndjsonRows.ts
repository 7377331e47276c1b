import type { Row } from '../../model/sheet.ts'

/** Rows as JSON, a line each. */
export function ndjsonRows(rows: readonly Row[]): string {
  let text = ''
  for (const row of rows) text += `${JSON.stringify(row)}\n`
  return text
}
