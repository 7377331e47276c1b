import { setImmediate } from 'node:timers/promises'
import { type Column, csvLine, type DataFormat, type Row, type SheetFormat } from './columns.ts'
import { ParquetSheet } from './parquet.ts'

export type Pages<Name extends string> = AsyncIterable<readonly Row<Name>[]> | Iterable<readonly Row<Name>[]>

/** Rows as bytes while they come, so that memory does not grow with their number. The same rows give the same cells in
 * every form. */
export async function* writeSheet<Name extends string>(
  format: SheetFormat,
  columns: readonly Column<Name>[],
  about: Readonly<Record<string, string>>,
  pages: Pages<Name>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  if (format === 'parquet') {
    const sheet = new ParquetSheet(columns, about)
    for await (const rows of pages) {
      for (const bytes of sheet.add(rows)) {
        yield bytes
        // The answers of others come between two row groups.
        await setImmediate()
      }
    }
    yield sheet.finish()
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

/** Rows that are all there, as one body. */
export async function wholeSheet<Name extends string>(
  format: SheetFormat,
  columns: readonly Column<Name>[],
  about: Readonly<Record<string, string>>,
  rows: readonly Row<Name>[],
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of writeSheet(format, columns, about, pagesOf(rows))) pieces.push(piece)
  return new Uint8Array(Buffer.concat(pieces))
}

function* pagesOf<T>(rows: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let at = 0; at < rows.length; at += rowsPerPage) yield rows.slice(at, at + rowsPerPage)
}

/** A list in the form asked for: JSON as it is, in every other form its rows. */
export async function listBody<Name extends string>(
  format: DataFormat,
  columns: readonly Column<Name>[],
  list: { readonly data: readonly Row<Name>[] },
): Promise<string | Uint8Array<ArrayBuffer>> {
  if (format === 'json') return JSON.stringify(list)
  return wholeSheet(format, columns, aboutList({ ...list }), list.data)
}

/** What a list says of itself beside its rows, for a file that can carry it: texts as they are, the rest as JSON. */
export function aboutList(list: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(list)
      .filter(([name, value]) => name !== 'data' && value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

/** Rows as records of RFC 4180. */
export function csvRows<Name extends string>(
  columns: readonly Column<Name>[],
  rows: readonly Row<Name>[],
): string {
  let text = ''
  for (const row of rows) text += csvLine(columns.map(column => row[column.name]))
  return text
}

/** Rows as JSON, a line each. */
export function ndjsonRows(rows: readonly Row[]): string {
  let text = ''
  for (const row of rows) text += `${JSON.stringify(row)}\n`
  return text
}
