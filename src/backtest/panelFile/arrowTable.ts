import { Failure } from '../../errors.ts'
import type { BodySource } from '../codec/bodyBytes.ts'
import { ColumnReader } from './arrow/columnReader.ts'
import { arrowDamage, arrowDamaged } from './arrow/faults.ts'
import { type ArrowField, buffersOf, buffersOfLayout, readField } from './arrow/fields.ts'
import {
  type ArrowMessage,
  batchHeader,
  dictionaryHeader,
  fieldsOf,
  readBatch,
  readMessages,
} from './arrow/messages.ts'
import { ViewBudget } from './arrow/viewBudget.ts'
import { EntryBudget } from './parquet/bounds.ts'
import { FileFault, FileTooLarge } from './parquet/faults.ts'
import { type FileBytes, openFileBytes } from './parquet/fileBytes.ts'
import {
  maxRowsByDefault,
  type ParquetReading,
  type ParquetSink,
  pandasIndex,
  rowsBetweenCollections,
  tooManyCells,
  tooManyRows,
} from './parquetTable.ts'

/**
 * Reads an Arrow IPC stream, one record batch after the other, with the cells that the same table has as a Parquet file of
 * pyarrow. Nothing that the stream states is trusted: its messages are walked first, every buffer must be within its
 * message, and the limits on rows and texts decide how much is decompressed. Returns the number of rows.
 */
export function readArrowChunks(
  source: BodySource,
  { numbers: _, asStored, maxRows = maxRowsByDefault, ...limits }: ParquetReading,
  { open, take, takeCodes }: ParquetSink,
): Promise<number> {
  return explained(async () => {
    const file = openFileBytes(source)
    const messages = readMessages(file)
    const fields = fieldsOf(messages).map(readField)
    const read = readableFields(fields)
    const names = read.map(({ name }) => name)
    const count = countRows(messages, maxRows)
    if (count * names.length > limits.cells) throw tooManyCells(count, names.length, limits.cells)
    open(
      names,
      count,
      read.map(({ element }) => element),
    )
    const unreadable = read.find(({ refused }) => refused !== null)
    if (unreadable !== undefined)
      throw new FileFault(
        `the column ${unreadable.name} is ${unreadable.refused}; write it as float64 or text`,
      )
    const budgets = { entries: new EntryBudget(count * names.length), views: new ViewBudget() }
    const readers = new Map(
      read.map(field => {
        const stored = asStored?.(field.name) ?? null
        const reading = {
          asStored: stored !== null,
          limits: { ...limits, ...stored },
          ...budgets,
          rows: count,
        }
        return [field, new ColumnReader(field, reading)]
      }),
    )
    const kinds = fields.map(buffersOf)
    let row = 0
    let collectedAt = 0
    for (const message of messages) {
      if (message.kind === dictionaryHeader) await readDictionary(file, message, readers)
      if (message.kind !== batchHeader) continue
      const batch = readBatch(message.header, message.to - message.from, kinds)
      for (const [index, field] of fields.entries()) {
        const first = row
        const { name } = field
        await readers.get(field)?.read({ file, from: message.from, batch, part: batch.parts[index] }, 0, {
          cells: (cells, at, length) => take(name, cells, first + at, length),
          codes:
            takeCodes &&
            ((dictionary, codes, at, length) => takeCodes(name, dictionary, codes, first + at, length)),
        })
      }
      row += batch.rows
      if (row - collectedAt < rowsBetweenCollections) continue
      Bun.gc(true)
      collectedAt = row
    }
    return count
  })
}

/** The names of a stream's columns. */
export const readArrowNames = (source: BodySource): Promise<string[]> =>
  explained(async () =>
    readableFields(fieldsOf(readMessages(openFileBytes(source))).map(readField)).map(({ name }) => name),
  )

/** A dictionary may belong to several columns. */
async function readDictionary(
  file: FileBytes,
  { header, from, to }: ArrowMessage,
  readers: ReadonlyMap<ArrowField, ColumnReader>,
): Promise<void> {
  const id = header.id(0)
  const data = header.table(1)
  if (data === null) throw arrowDamage('a dictionary has no values')
  for (const reader of readers.values()) {
    if (reader.field.dictionary?.id !== id) continue
    const batch = readBatch(data, to - from, [buffersOfLayout(reader.field.layout)])
    await reader.readDictionary({ file, from, batch, part: batch.parts[0] }, header.byte(2) === 1)
  }
}

function countRows(messages: readonly ArrowMessage[], maxRows: number): number {
  let count = 0
  for (const { kind, header } of messages) {
    if (kind === batchHeader) count += header.size(0)
    if (count > maxRows) throw tooManyRows(maxRows)
  }
  return count
}

function readableFields(fields: readonly ArrowField[]): ArrowField[] {
  const readable = fields.filter(({ name }) => !pandasIndex.test(name))
  const names = new Set<string>()
  for (const { name } of readable) {
    if (names.has(name)) throw new FileFault(`it has the column ${name} twice; write it once`)
    names.add(name)
  }
  return readable
}

async function explained<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    const reason = cause instanceof FileFault ? cause.message : arrowDamaged
    const code = cause instanceof FileTooLarge ? 'body_too_large' : 'body_invalid'
    throw new Failure(code, `It cannot be read as an Arrow stream: ${reason}.`, { cause })
  }
}
