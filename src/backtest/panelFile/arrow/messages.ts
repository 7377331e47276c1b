import { FileFault, FileTooLarge } from '../parquet/faults.ts'
import type { FileBytes } from '../parquet/fileBytes.ts'
import { arrowDamage } from './faults.ts'
import { FlatTable } from './flatTable.ts'

export const schemaHeader = 1
export const dictionaryHeader = 2
export const batchHeader = 3

/** A message of a stream: its header, and the range of its body in the stream. */
export interface ArrowMessage {
  readonly kind: number
  readonly header: FlatTable
  readonly from: number
  readonly to: number
}

const continuation = 0xffffffff
/** A batch has about 50 bytes of metadata per column, and a schema also has names and metadata. */
const maxMetadataBytes = 8 * 1_024 * 1_024
/** The same for all messages of a stream, because they are kept until the rows are read. */
const maxAllMetadataBytes = 64 * 1_024 * 1_024
/** DuckDB writes 2,048 rows a batch, so this is more than the largest panel needs. */
const maxMessages = 50_000
const maxBatchColumns = 10_000

/** Version 4 of the metadata began with Arrow 0.8, and version 5 with Arrow 1.0. */
const versions = [3, 4]

/**
 * The messages of a stream. Each begins with a marker of four bytes and the length of its metadata; its body, whose length
 * the metadata state, follows.
 *
 * https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format
 */
export function readMessages(stream: FileBytes): ArrowMessage[] {
  refuseOtherFiles(stream)
  const messages: ArrowMessage[] = []
  let metadataBytes = 0
  for (let at = 0; at < stream.length; ) {
    if (stream.length - at < 8) throw arrowDamage('it ends within a message')
    const prefix = stream.slice(at, at + 8)
    const view = new DataView(prefix.buffer, prefix.byteOffset, 8)
    const length = view.getUint32(4, true)
    if (view.getUint32(0, true) !== continuation)
      throw arrowDamage('a message does not begin with its marker')
    const start = at + 8
    if (length === 0) {
      if (start === stream.length) break
      throw new FileFault('it has bytes after its end; send one stream per request')
    }
    metadataBytes += length
    if (length > maxMetadataBytes || metadataBytes > maxAllMetadataBytes || messages.length === maxMessages)
      throw new FileTooLarge(
        `it has more than ${maxMessages.toLocaleString('en')} batches, or ${maxMetadataBytes.toLocaleString('en')} bytes of metadata in one; write it in fewer and larger batches, without metadata`,
      )
    const from = start + length
    if (from > stream.length) throw arrowDamage('it ends within a message')
    const message = FlatTable.root(stream.slice(start, from))
    if (!versions.includes(message.short(0)))
      throw new FileFault('its version of the format is not supported')
    const header = message.table(2)
    const to = from + message.size(3)
    if (header === null || to > stream.length) throw arrowDamage('it ends within a message')
    messages.push({ kind: message.byte(1), header, from, to })
    at = to
  }
  return messages
}

function refuseOtherFiles(stream: FileBytes): void {
  const beginning = Buffer.from(stream.slice(0, 6)).toString('latin1')
  if (beginning === 'ARROW1' || beginning.startsWith('FEA1'))
    throw new FileFault(
      'it is an Arrow file (Feather), not a stream; write it with pyarrow.ipc.new_stream, or write_ipc_stream of Polars',
    )
  if (beginning.startsWith('PAR1'))
    throw new FileFault('it is Parquet; send it with the Content-Type application/vnd.apache.parquet')
  if (!beginning.startsWith('\xff\xff\xff\xff'))
    throw new FileFault('it does not begin as an Arrow IPC stream; write it with pyarrow.ipc.new_stream')
}

/** The part of a record batch that belongs to one column. */
export interface ColumnPart {
  readonly nulls: number
  /** Offset and length of each buffer in the message's body, one after the other. */
  readonly buffers: readonly number[]
}

export type Codec = 'LZ4' | 'ZSTD' | null

/** A record batch, whose buffers are all within its message. */
export interface RecordBatch {
  readonly rows: number
  readonly codec: Codec
  readonly parts: readonly ColumnPart[]
}

/** @param kinds how many buffers each column has; null: as many as the batch states for it */
export function readBatch(
  header: FlatTable,
  bodyBytes: number,
  kinds: readonly (number | null)[],
): RecordBatch {
  const rows = header.size(0)
  const nodes = header.sizes(1, 2)
  const buffers = header.sizes(2, 2)
  const variadic = header.sizes(4, 1)
  if (nodes.length !== 2 * kinds.length) throw arrowDamage('a batch has other columns than the schema')
  let at = 0
  let next = 0
  const parts = kinds.map((kind, column) => {
    const count = kind ?? 2 + (variadic[next++] ?? Number.NaN)
    const own = buffers.slice(2 * at, 2 * (at + count))
    at += count
    if (own.length !== 2 * count) throw arrowDamage('a batch has fewer buffers than its columns need')
    for (let i = 0; i < own.length; i += 2)
      if (own[i] + own[i + 1] > bodyBytes) throw arrowDamage('a buffer is outside of its batch')
    const [length, nulls] = nodes.slice(2 * column, 2 * column + 2)
    if (length !== rows || nulls > rows) throw arrowDamage('the columns of a batch have different lengths')
    return { nulls, buffers: own }
  })
  if (buffers.length !== 2 * at) throw arrowDamage('a batch has more buffers than its columns need')
  return { rows, codec: codecOf(header.table(3)), parts }
}

function codecOf(compression: FlatTable | null): Codec {
  if (compression === null) return null
  const codec = compression.byte(0)
  if (compression.byte(1) !== 0 || codec > 1)
    throw new FileFault('it is compressed in an unknown way; write it with lz4, zstd or none')
  return codec === 0 ? 'LZ4' : 'ZSTD'
}

/** The fields of a schema, or a failure if it is not one of a stream. */
export function fieldsOf(messages: readonly ArrowMessage[]): FlatTable[] {
  const [first, ...others] = messages
  if (first === undefined || first.kind !== schemaHeader) throw arrowDamage('it does not begin with a schema')
  if (others.some(({ kind }) => kind !== dictionaryHeader && kind !== batchHeader))
    throw arrowDamage('a message is neither rows nor a dictionary')
  if (first.header.short(0) !== 0) throw new FileFault('it is big-endian; write it as little-endian')
  const count = first.header.count(1)
  if (count > maxBatchColumns)
    throw new FileTooLarge(
      `it has ${count.toLocaleString('en')} columns; write only the columns that are needed`,
    )
  return Array.from({ length: count }, (_, index) => first.header.tableOf(1, index))
}
