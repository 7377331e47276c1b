import type { BodySource } from '../codec/bodyBytes.ts'
import type { TableFormat } from '../request.ts'
import { readArrowChunks, readArrowNames } from './arrowTable.ts'
import {
  type ParquetReading,
  type ParquetSink,
  type ParquetTable,
  readParquet,
  readParquetChunks,
  readParquetNames,
} from './parquetTable.ts'

/** Reads a body that stores columns, part by part. The same table gives the same cells in either format. Returns the number
 * of rows. */
export const readTableChunks = (
  source: BodySource,
  format: TableFormat,
  reading: ParquetReading,
  sink: ParquetSink,
): Promise<number> =>
  format === 'arrow' ? readArrowChunks(source, reading, sink) : readParquetChunks(source, reading, sink)

/** The names of its columns. */
export const readTableNames = (
  source: BodySource,
  format: TableFormat,
  numbers: readonly string[],
): Promise<string[]> => (format === 'arrow' ? readArrowNames(source) : readParquetNames(source, numbers))

/** All cells of a body. */
export const readTable = (
  bytes: Uint8Array,
  format: TableFormat,
  reading: ParquetReading,
): Promise<ParquetTable> =>
  readParquet(bytes, reading, format === 'arrow' ? readArrowChunks : readParquetChunks)
