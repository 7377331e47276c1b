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

export type Cell = string | number | boolean | null

/** A cell that a row does not have is null in the formats of columns. */
export type Row<Name extends string = string> = Readonly<Partial<Record<Name, Cell>>>

export const FormatSchema = Type.Optional(
  Type.Union([Type.Literal('json'), Type.Literal('csv'), Type.Literal('ndjson'), Type.Literal('parquet')], {
    default: 'json',
    description:
      'json; csv (RFC 4180, columns in the order of the JSON row); ndjson (one row per line); parquet (days as DATE, values as DOUBLE).',
    examples: ['json'],
  }),
)

export const CommentsSchema = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'With format=csv: licence, attribution and note as lines that start with #, before the header. Other formats have them as fields or as the headers Link, X-Attribution and X-Note.',
    examples: [true],
  }),
)

/** How rows are to be written. */
export interface Form {
  readonly format: DataFormat
  /** CSV begins with lines of comment. */
  readonly comments: boolean
  /** Part of a cache key: other bytes for the same rows. */
  readonly key: string
}

export function readForm({ format = 'json', comments = false }: FormQuery): Form {
  if (comments && format !== 'csv') {
    throw new Failure(
      'parameter_invalid',
      `comments=true is for format=csv, and format is ${format}. Omit comments, or send format=csv.`,
      { param: 'comments' },
    )
  }
  return { format, comments, key: comments ? 'csv with comments' : format }
}

interface FormQuery {
  readonly format?: DataFormat
  readonly comments?: boolean
}

/** White space and invisible characters first: programs that trim a cell find the formula after them. Then = + - @, also in the
 * wide and small forms of East Asian fonts, which spreadsheets accept in their place. */
const startsFormula = /^'*(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u
const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
const needsQuotes = /[",\r\n]/

/** One cell by RFC 4180; null is empty. A spreadsheet would run text that starts with = + - @, a tab or a line end as a
 * formula. Unless it is a number, such text gets a leading apostrophe. All CSV output must pass through here. */
export function csvCell(value: Cell): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = startsFormula.test(value) && !isNumber.test(value) ? `'${value}` : value
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The text from which `csvCell` made this cell, without its apostrophe. */
export function withoutFormulaGuard(cell: string): string {
  return cell.startsWith("'") && startsFormula.test(cell) ? cell.slice(1) : cell
}

/** One record with its line end. */
export function csvLine(values: readonly Cell[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}
