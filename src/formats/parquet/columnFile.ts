import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { ColumnChunkWriter, ColumnValues } from './columnChunk.ts'

/** A Parquet file that is written from columns, one row group at a time. The library writes its structure,
 * and `ColumnChunkWriter` its values. Rows of objects go through `ParquetEncoder` instead. */
export class ColumnFile {
  readonly #chunks: ColumnChunkWriter
  readonly #writer = new ByteWriter()
  readonly #file: ParquetWriter

  /** @param chunks may be shared by several files that are written in turn
   * @param metadata key-value metadata of the file */
  constructor(
    chunks: ColumnChunkWriter,
    columns: readonly SchemaElement[],
    metadata: Readonly<Record<string, string>>,
  ) {
    this.#chunks = chunks
    this.#file = new ParquetWriter({
      writer: this.#writer,
      schema: [{ name: 'root', num_children: columns.length }, ...columns],
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
      createdBy: 'asfiled',
    })
  }

  /** Writes a row group.
   *
   * @param columns in the order of the schema; each is written before the next one is taken, so they may
   *   share a buffer */
  writeGroup(columns: Iterable<ColumnValues>, count: number): void {
    const start = this.#writer.offset
    const written = Array.from(columns, column => this.#chunks.write(this.#writer, column, count))
    this.#file.row_groups.push({
      columns: written,
      num_rows: BigInt(count),
      total_byte_size: written.reduce(
        (sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n),
        0n,
      ),
      total_compressed_size: BigInt(this.#writer.offset - start),
    })
    this.#file.num_rows += BigInt(count)
  }

  /** Writes the footer. */
  finish(): void {
    this.#file.finish()
  }

  /** The bytes written since the last call; overwritten by the next group. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#writer.getBytes()
    // Resets only the index of the buffer: file offsets continue.
    this.#writer.index = 0
    return bytes
  }
}
