import type { Column, DataFormat, Row } from '../../model/sheet.ts'
import { aboutList } from './aboutList.ts'
import { wholeSheet } from './wholeSheet.ts'

/** A list in the form asked for: JSON as it is, in every other form its rows. */
export async function listBody<Name extends string>(
  format: DataFormat,
  columns: readonly Column<Name>[],
  list: { readonly data: readonly Row<Name>[] },
): Promise<string | Uint8Array<ArrayBuffer>> {
  if (format === 'json') return JSON.stringify(list)
  return wholeSheet(format, columns, aboutList({ ...list }), list.data)
}
