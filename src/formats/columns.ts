import { Type } from '@sinclair/typebox'

/** The forms in which rows are served. */
export const dataFormats = ['json', 'csv', 'ndjson', 'parquet'] as const
export type DataFormat = (typeof dataFormats)[number]

/** The forms that hold rows and nothing else. */
export type SheetFormat = Exclude<DataFormat, 'json'>

/** day: `YYYY-MM-DD`. whole: an integer of 32 bits. number: a double. */
export type CellKind = 'text' | 'day' | 'whole' | 'number'

export interface Column<Name extends string = string> {
  readonly name: Name
  readonly kind: CellKind
}

export type Row<Name extends string = string> = Readonly<Record<Name, string | number | null>>

export const FormatSchema = Type.Optional(
  Type.Union([Type.Literal('json'), Type.Literal('csv'), Type.Literal('ndjson'), Type.Literal('parquet')], {
    default: 'json',
    description:
      'json; csv (RFC 4180, columns in the order of the JSON row); ndjson (a row a line); parquet (days as DATE, values as DOUBLE).',
    examples: ['json'],
  }),
)

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
