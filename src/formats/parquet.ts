import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { dayNumber } from '../dates.ts'
import type { CellKind, Column, Row } from './columns.ts'

/** Rows of a row group. Encoding one holds the thread for 4 to 7 ms of processor time where the sheet is widest (restatements,
 * 13 columns), one in twenty for 10 and none of 240 for more than 15, compiling included; half as many rows take half as
 * long, and files grow by a twentieth. */
export const rowsPerGroup = 2_048

const elements: Record<CellKind, Omit<SchemaElement, 'name'>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  day: { type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' },
  whole: { type: 'INT32', repetition_type: 'OPTIONAL' },
  number: { type: 'DOUBLE', repetition_type: 'OPTIONAL' },
}

/** A Parquet file that is written a few rows at a time and handed on as it grows. */
export class ParquetSheet<Name extends string> {
  readonly #columns: readonly Column<Name>[]
  readonly #writer = new ByteWriter()
  readonly #file: ParquetWriter
  #rows: Row<Name>[] = []

  /** @param about what the file says of itself, beside its rows */
  constructor(columns: readonly Column<Name>[], about: Readonly<Record<string, string>>) {
    this.#columns = columns
    this.#file = new ParquetWriter({
      writer: this.#writer,
      schema: [
        { name: 'root', num_children: columns.length },
        ...columns.map(({ name, kind }) => ({ name, ...elements[kind] })),
      ],
      // Statistics order text by UTF-16, which readers do not, and are of no use in files of this size.
      statistics: false,
      kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    })
  }

  /** Takes rows and hands out the bytes that are complete, one row group at a time. */
  *add(rows: readonly Row<Name>[]): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    for (const row of rows) {
      this.#rows.push(row)
      if (this.#rows.length === rowsPerGroup) yield this.#writeGroup()
    }
  }

  /** The last rows and the footer. */
  finish(): Uint8Array<ArrayBuffer> {
    const rest = this.#rows.length > 0 ? this.#writeGroup() : new Uint8Array(0)
    this.#file.finish()
    const footer = this.#take()
    const bytes = new Uint8Array(rest.length + footer.length)
    bytes.set(rest)
    bytes.set(footer, rest.length)
    return bytes
  }

  #writeGroup(): Uint8Array<ArrayBuffer> {
    const rows = this.#rows
    this.#rows = []
    this.#file.write({
      columnData: this.#columns.map(({ name, kind }) => {
        const data = rows.map(row => cell(kind, row[name]))
        // In a dictionary 0 and -0 would be one value.
        return kind === 'number' ? { name, data, encoding: 'PLAIN' as const } : { name, data }
      }),
      rowGroupSize: rowsPerGroup,
    })
    return this.#take()
  }

  /** What was written since the last call. Places in the file count on, only the buffer starts over. */
  #take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#writer.getBytes())
    this.#writer.index = 0
    return bytes
  }
}

function cell(kind: CellKind, value: string | number | null): string | number | null {
  return kind === 'day' && typeof value === 'string' ? dayNumber(value) : value
}
