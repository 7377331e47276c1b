export type CsvValue = string | number | boolean | null

const opensFormula = /^[=+\-@\t\r]/
const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
const needsQuotes = /[",\r\n]/

/** One cell after RFC 4180; null is empty. Text that a spreadsheet would run as a formula (it begins with
 * = + - @ and is no number) gets a leading apostrophe. The only place where this rule is written. */
export function csvCell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = opensFormula.test(value) && !isNumber.test(value) ? `'${value}` : value
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One record with its line end. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}
