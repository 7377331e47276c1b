import { setImmediate } from 'node:timers/promises'
import { csvLine } from '../../model/csv.ts'
import type { Column, Row, SheetFormat } from '../../model/sheet.ts'
import { csvRows } from './csvRows.ts'
import { ndjsonRows } from './ndjsonRows.ts'
import { ParquetSheet } from './ParquetSheet.ts'

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
