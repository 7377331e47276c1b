import { setImmediate } from 'node:timers/promises'
import {
  type Column,
  type DataFormat,
  flatCell,
  type OutputFormat,
  type Row,
  type RowFormat,
} from './columns.ts'
import { csvLine } from './csv.ts'
import { type Notices, noticeHeaders, noticeLines } from './notices.ts'
import { ParquetEncoder } from './parquet.ts'

type RowPages<Name extends string> = AsyncIterable<readonly Row<Name>[]> | Iterable<readonly Row<Name>[]>

/** Encodes rows as they arrive, so that memory does not grow with their number. All formats have the same
 * cells. */
export async function* streamRows<Name extends string>(
  format: RowFormat,
  columns: readonly Column<Name>[],
  metadata: Readonly<Record<string, string>>,
  pages: RowPages<Name>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  if (format === 'parquet') {
    const encoder = new ParquetEncoder(columns, metadata)
    for await (const rows of pages) {
      for (const bytes of encoder.add(rows)) {
        yield bytes
        // Lets other requests run between two row groups.
        await setImmediate()
      }
    }
    yield encoder.finish()
    return
  }
  if (format === 'csv') yield encode(csvLine(columns.map(column => column.name)))
  for await (const rows of pages) {
    if (rows.length > 0) yield encode(format === 'csv' ? csvRows(columns, rows) : ndjsonRows(rows))
  }
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text))
}

const rowsPerPage = 1_000

/** Encodes rows that are in memory as one body. */
export async function encodeRows<Name extends string>(
  format: RowFormat,
  columns: readonly Column<Name>[],
  metadata: Readonly<Record<string, string>>,
  rows: readonly Row<Name>[],
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of streamRows(format, columns, metadata, pagesOf(rows))) pieces.push(piece)
  return new Uint8Array(Buffer.concat(pieces))
}

function* pagesOf<T>(rows: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let at = 0; at < rows.length; at += rowsPerPage) yield rows.slice(at, at + rowsPerPage)
}

/** Encodes a list in the requested format: the whole object as JSON, or only the rows in the other
 * formats. */
export async function encodeList<Name extends string>(
  format: DataFormat,
  columns: readonly Column<Name>[],
  list: { readonly data: readonly Row<Name>[] },
): Promise<string | Uint8Array<ArrayBuffer>> {
  if (format === 'json') return JSON.stringify(list)
  return encodeRows(format, columns, listMetadata({ ...list }), list.data)
}

export interface NotedList<Name extends string> {
  readonly licence?: string
  readonly attribution: readonly string[]
  readonly note?: string
  readonly data: readonly Row<Name>[]
}

/** Like `encodeList`, with what the format has no field for: in headers and, on request, as comments in a
 * CSV. */
export async function renderList<Name extends string>(
  { format, comments }: OutputFormat,
  columns: readonly Column<Name>[],
  list: NotedList<Name>,
  terms: { readonly licenceAddress: string; readonly registerTerms: readonly string[] },
): Promise<{ content: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> }> {
  const content = await encodeList(format, columns, list)
  if (typeof content === 'string') return { content, headers: {} }
  const { licence, attribution, note = null } = list
  const notices: Notices = {
    licence: licence === undefined ? null : { text: licence, address: terms.licenceAddress },
    registerTerms: terms.registerTerms,
    attribution,
    note,
  }
  const head = comments ? encode(noticeLines(notices)) : new Uint8Array()
  return { content: new Uint8Array(Buffer.concat([head, content])), headers: noticeHeaders(notices) }
}

/** The fields of a list other than its rows, as file metadata: strings unchanged, other values as JSON. */
export function listMetadata(list: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(list)
      .filter(([name, value]) => name !== 'data' && value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

function csvRows<Name extends string>(columns: readonly Column<Name>[], rows: readonly Row<Name>[]): string {
  let text = ''
  for (const row of rows) text += csvLine(columns.map(column => flatCell(row[column.name])))
  return text
}

function ndjsonRows(rows: readonly Row[]): string {
  let text = ''
  for (const row of rows) text += `${JSON.stringify(row)}\n`
  return text
}
