import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { ColumnChunkWriter, type ColumnValues } from '../../formats/parquet/columnChunk.ts'
import { ColumnFile } from '../../formats/parquet/columnFile.ts'
import { rowsPerGroup } from './rowBuffer.ts'
import { type BulkColumn, parquetColumns } from './schema.ts'

const chunks = new ColumnChunkWriter({ maxRows: rowsPerGroup, codec: 'ZSTD' })

/** A Parquet file of a release, open for writing. */
export class ReleaseFile {
  readonly #fd: number
  readonly #hash = new Bun.CryptoHasher('sha256')
  readonly #file: ColumnFile
  rows = 0
  bytes = 0

  constructor(path: string, columns: readonly BulkColumn[], metadata: Readonly<Record<string, string>>) {
    this.#fd = openSync(path, 'w', 0o644)
    this.#file = new ColumnFile(chunks, parquetColumns(columns), metadata)
  }

  writeColumns(columns: Iterable<ColumnValues>, count: number): void {
    this.#file.writeGroup(columns, count)
    this.rows += count
    this.#flush()
  }

  /** Writes the footer and waits until the file is on disk. Returns its digest. */
  finish(): string {
    this.#file.finish()
    this.#flush()
    fsyncSync(this.#fd)
    closeSync(this.#fd)
    return this.#hash.digest('hex')
  }

  abandon(): void {
    closeSync(this.#fd)
  }

  #flush(): void {
    const bytes = this.#file.take()
    this.#hash.update(bytes)
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at)
    this.bytes += bytes.length
  }
}
