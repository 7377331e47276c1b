import type { Column, Row, SheetFormat } from '../../model/sheet.ts'
import { writeSheet } from './writeSheet.ts'

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
