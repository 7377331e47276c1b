import { Type } from '@sinclair/typebox'

/** The formats in which rows are served. */
const dataFormats = ['json', 'csv', 'ndjson', 'parquet'] as const
export type DataFormat = (typeof dataFormats)[number]

/** The formats that have only rows, without a JSON object around them. */
export type RowFormat = Exclude<DataFormat, 'json'>

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
      'json; csv (RFC 4180, columns in the order of the JSON row); ndjson (one row per line); parquet (days as DATE, values as DOUBLE).',
    examples: ['json'],
  }),
)

type CsvValue = string | number | boolean | null

const startsFormula = /^[=+\-@\t\r]/
const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
const needsQuotes = /[",\r\n]/

/** One cell by RFC 4180; null is empty. A spreadsheet would run text that starts with = + - @, a tab or a carriage return as
 * a formula. Unless it is a number, such text gets a leading apostrophe. All CSV output must pass through here. */
export function csvCell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = startsFormula.test(value) && !isNumber.test(value) ? `'${value}` : value
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One record with its line end. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}
