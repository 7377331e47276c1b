import { Type } from '@sinclair/typebox'
import { Failure } from '../errors.ts'

/** The formats in which rows are served. */
const dataFormats = ['json', 'csv', 'ndjson', 'parquet'] as const
export type DataFormat = (typeof dataFormats)[number]

/** The formats that have only rows, without a JSON object around them. */
export type RowFormat = Exclude<DataFormat, 'json'>

/** day: `YYYY-MM-DD`. whole: an integer of 32 bits. number: a double. flag: true or nothing. */
export type CellKind = 'text' | 'day' | 'whole' | 'number' | 'flag'

export interface Column<Name extends string = string> {
  readonly name: Name
  readonly kind: CellKind
}

/** A cell where a format has no lists. */
export type FlatCell = string | number | boolean | null
/** A list is an array in JSON and NDJSON, and one text with blanks between its entries in CSV and Parquet. */
export type Cell = FlatCell | readonly string[]
/** A cell that a row does not have is null in the formats of columns. */
export type Row<Name extends string = string> = Readonly<Partial<Record<Name, Cell>>>

export const flatCell = (cell: Cell | undefined): FlatCell =>
  typeof cell === 'object' && cell !== null ? cell.join(' ') : (cell ?? null)

export const FormatSchema = Type.Optional(
  Type.Union([Type.Literal('json'), Type.Literal('csv'), Type.Literal('ndjson'), Type.Literal('parquet')], {
    default: 'json',
    description:
      'json; csv (RFC 4180, columns in the order of the JSON row); ndjson (one row per line); parquet (days as DATE, values as DOUBLE). Without it the header Accept decides: text/csv, application/x-ndjson or application/vnd.apache.parquet, by any of their usual names; anything else is json.',
    examples: ['json'],
  }),
)

export const CommentsSchema = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'With format=csv: licence, attribution and note as lines that start with #, before the header. Other formats have them as fields or as the headers Link, X-Attribution and X-Note.',
    examples: [false],
  }),
)

/** How rows are to be written. */
export interface OutputFormat {
  readonly format: DataFormat
  /** CSV begins with lines of comment. */
  readonly comments: boolean
  /** Part of a cache key: other bytes for the same rows. */
  readonly key: string
}

export function readOutputFormat({ format = 'json', comments = false }: OutputFormatQuery): OutputFormat {
  if (comments && format !== 'csv') {
    throw new Failure(
      'parameter_invalid',
      `comments=true is for format=csv, and format is ${format}. Omit comments, or send format=csv.`,
      { param: 'comments' },
    )
  }
  return { format, comments, key: comments ? 'csv with comments' : format }
}

interface OutputFormatQuery {
  readonly format?: DataFormat
  readonly comments?: boolean
}

/** White space and invisible characters first: programs that trim a cell find the formula after them. Then = + - @, also in the
 * wide and small forms of East Asian fonts, which spreadsheets accept in their place. */
const startsFormula =
  /^'*(?:[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u
/** The same after a character at which a spreadsheet with such a separator begins the next cell. */
const startsFormulaInside =
  /([;\t\r\n])(?=['\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/gu
const guardInside =
  /([;\t\r\n])'(?=['\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/gu
const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
const hasSeparator = /[;\t\r\n]/
const needsQuotes = /[",\r\n]/

/** One cell by RFC 4180; null is empty. A spreadsheet would run text that starts with = + - @, a tab or a line end as a
 * formula. Unless it is a number, such text gets a leading apostrophe, and so does such a part after a ; a tab or a line end.
 * All CSV output must pass through here. */
export function csvCell(value: FlatCell): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const led = startsFormula.test(value) && !isNumber.test(value) ? `'${value}` : value
  const safe = hasSeparator.test(led) ? led.replace(startsFormulaInside, "$1'") : led
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The text from which `csvCell` made this cell, without its apostrophes. */
export function withoutFormulaGuard(cell: string): string {
  const led = hasSeparator.test(cell) ? cell.replace(guardInside, '$1') : cell
  return led.startsWith("'") && startsFormula.test(led) ? led.slice(1) : led
}

/** One record with its line end. */
export function csvLine(values: readonly FlatCell[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}
