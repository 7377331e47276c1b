import { ColumnChunkWriter } from '../../formats/parquet/columnChunk.ts'
import { ColumnFile } from '../../formats/parquet/columnFile.ts'
import { columnsOf, rowColumns, schemaOf } from './answerColumns.ts'
import { withinLimit } from './answerLimit.ts'
import type { Joined } from './textAnswer.ts'

/** Large enough that a row group shows most of its figures more than once. */
const rowsPerGroup = 131_072

/** @param metadata key-value metadata of the file */
export function parquetFile(
  joined: Joined,
  metadata: Readonly<Record<string, string>>,
  limit: number,
): Uint8Array {
  const { count } = joined.rows
  const lead = rowColumns(joined)
  // Uncompressed, because compression would take longer than the join.
  const chunks = new ColumnChunkWriter({ maxRows: Math.min(rowsPerGroup, count), codec: 'UNCOMPRESSED' })
  const file = new ColumnFile(chunks, schemaOf(joined, lead), metadata)
  const parts: Uint8Array[] = []
  let size = 0
  const take = () => {
    const bytes = file.take().slice()
    size = withinLimit(size + bytes.length, limit)
    parts.push(bytes)
  }
  for (let from = 0; from < count; from += rowsPerGroup) {
    const to = Math.min(count, from + rowsPerGroup)
    file.writeGroup(columnsOf(joined, lead, from, to), to - from)
    take()
  }
  file.finish()
  take()
  const whole = new Uint8Array(new SharedArrayBuffer(size))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
