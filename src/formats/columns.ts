import { Type } from '@sinclair/typebox'
import { Failure } from '../errors.ts'

/** The formats in which rows are served. */
const dataFormats = ['json', 'csv', 'ndjson', 'parquet'] as const
export type DataFormat = (typeof dataFormats)[number]

/** The formats that contain only rows, without a JSON object around them. */
export type RowFormat = Exclude<DataFormat, 'json'>

/** day: `YYYY-MM-DD`. whole: a 32-bit integer. number: a double. flag: true or null. */
export type CellKind = 'text' | 'day' | 'whole' | 'number' | 'flag'

export interface Column<Name extends string = string> {
  readonly name: Name
  readonly kind: CellKind
}

/** The columns of a table by name, in this order. */
export const columns = <Name extends string>(kinds: Readonly<Record<Name, CellKind>>): Column<Name>[] =>
  Object.entries<CellKind>(kinds).map(([name, kind]) => ({ name: name as Name, kind }))

/** A cell in a format without lists. */
export type FlatCell = string | number | boolean | null
/** A list is an array in JSON and NDJSON, and space-separated text in CSV and Parquet. */
export type Cell = FlatCell | readonly string[]
/** A cell that is missing from a row is null in CSV and Parquet. */
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

/** How to write rows. */
export interface OutputFormat {
  readonly format: DataFormat
  /** True if the CSV begins with comment lines. */
  readonly comments: boolean
  /** Part of a cache key: it differs wherever the bytes for the same rows differ. */
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
