import type { FlatCell } from './columns.ts'
import { withFormulaGuard } from './formulaGuard.ts'

const needsQuotes = /[",\r\n]/

/** One cell according to RFC 4180; null is empty. All CSV output must pass through this function, which guards it
 * against formulas (`formulaGuard.ts`). */
export function csvCell(value: FlatCell): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = withFormulaGuard(value)
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One record with its line ending. */
export function csvLine(values: readonly FlatCell[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}
