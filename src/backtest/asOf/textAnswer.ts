import { csvCell } from '../../formats/columns.ts'
import { withinLimit } from './answerLimit.ts'
import type { JoinedColumn } from './joinTask.ts'
import { none } from './positions.ts'
import type { JoinExtra } from './request.ts'
import type { ParsedRows } from './rows.ts'
import { ByteSink, byteLength, dayBytes, type TextTable, textTable } from './texts.ts'

/** A join that is computed, before it is written. */
export interface Joined {
  readonly rows: ParsedRows
  readonly columns: readonly JoinedColumn[]
  readonly extras: readonly JoinExtra[]
}

const comma = 0x2c
const quote = 0x22
const nullWord = new TextEncoder().encode('null')

/** The bytes of all values of a column; a missing one takes `missing`. */
function valueBytes({ events, positions }: JoinedColumn, missing: number): number {
  const { textStarts } = events
  let bytes = 0
  for (const position of positions)
    bytes += position === none ? missing : textStarts[position + 1] - textStarts[position]
  return bytes
}

function countMissing({ positions }: JoinedColumn): number {
  let missing = 0
  for (const position of positions) if (position === none) missing++
  return missing
}

function nameBytes({ name, count }: ParsedRows, { starts }: TextTable): number {
  let bytes = 0
  for (let row = 0; row < count; row++) bytes += starts[name[row] + 1] - starts[name[row]]
  return bytes
}

/** Bytes of the days of a column, each in `[around]` further bytes. */
const extraBytes = (column: JoinedColumn, count: number, around: number, missing: number) => {
  const absent = countMissing(column)
  return (count - absent) * (dayBytes + around) + absent * missing
}

/** The parts of a JSON answer: what stands before its columns, and after them. */
export interface JsonFrame {
  /** Ends with the key `"columns":`. */
  readonly head: string
  readonly tail: string
}

/** A join as JSON, by column. */
export function jsonColumns({ rows, columns, extras }: Joined, { head, tail }: JsonFrame, limit: number) {
  const { count, day, name } = rows
  const names = textTable(rows.names.map(text => JSON.stringify(text)))
  const keys = [
    '"date"',
    '"ticker"',
    ...columns.flatMap(column =>
      [column.name, ...extras.map(extra => `${column.name}_${extra}`)].map(key => `"${key}"`),
    ),
  ]
  // Of each column a key, a colon, brackets and the commas between its elements; the commas between columns, and the braces.
  const frames = keys.reduce((bytes, key) => bytes + key.length + 3 + Math.max(0, count - 1), keys.length + 1)
  const cells = columns.reduce(
    (bytes, column) =>
      bytes +
      valueBytes(column, nullWord.length) +
      extras.length * extraBytes(column, count, 2, nullWord.length),
    count * (dayBytes + 2) + nameBytes(rows, names),
  )
  const sink = new ByteSink(withinLimit(byteLength(head) + frames + cells + byteLength(tail), limit))
  const separate = (key: string) => {
    sink.text(`${sink.at > headEnd ? ',' : ''}${key}:[`)
  }
  sink.text(`${head}{`)
  const headEnd = sink.at
  separate('"date"')
  for (let row = 0; row < count; row++) {
    if (row > 0) sink.bytes[sink.at++] = comma
    writeDay(sink, day[row])
  }
  sink.text(']')
  separate('"ticker"')
  for (let row = 0; row < count; row++) {
    if (row > 0) sink.bytes[sink.at++] = comma
    sink.copy(names.bytes, names.starts[name[row]], names.starts[name[row] + 1])
  }
  sink.text(']')
  for (const column of columns) {
    separate(`"${column.name}"`)
    writeValues(sink, column)
    sink.text(']')
    for (const extra of extras) {
      separate(`"${column.name}_${extra}"`)
      writeDays(sink, column, extra)
      sink.text(']')
    }
  }
  sink.text(`}${tail}`)
  return finished(sink)
}

function writeDay(sink: ByteSink, day: number): void {
  sink.bytes[sink.at++] = quote
  sink.day(day)
  sink.bytes[sink.at++] = quote
}

function writeValues(sink: ByteSink, { events, positions }: JoinedColumn): void {
  const { text, textStarts } = events
  const { bytes } = sink
  let at = sink.at
  for (let row = 0; row < positions.length; row++) {
    if (row > 0) bytes[at++] = comma
    const position = positions[row]
    const from = position === none ? nullWord : text
    const start = position === none ? 0 : textStarts[position]
    const end = position === none ? nullWord.length : textStarts[position + 1]
    for (let i = start; i < end; i++) bytes[at++] = from[i]
  }
  sink.at = at
}

function writeDays(sink: ByteSink, { events, positions }: JoinedColumn, extra: JoinExtra): void {
  const days = extra === 'end' ? events.ends : events.filed
  for (let row = 0; row < positions.length; row++) {
    if (row > 0) sink.bytes[sink.at++] = comma
    if (positions[row] === none) sink.copy(nullWord, 0, nullWord.length)
    else writeDay(sink, days[positions[row]])
  }
}

/** A join as CSV: a header, then a line per row. Names pass `csvCell`, because a spreadsheet would run some as a formula. */
export function csvLines(joined: Joined, limit: number): Uint8Array {
  const { rows, columns, extras } = joined
  const { count, day, name } = rows
  const names = textTable(rows.names.map(text => csvCell(text)))
  const header = `${columnNames(joined).join(',')}\r\n`
  const cells = columns.reduce(
    (bytes, column) => bytes + valueBytes(column, 0) + extras.length * extraBytes(column, count, 0, 0),
    count * dayBytes + nameBytes(rows, names),
  )
  const separators = count * (columns.length * (1 + extras.length) + 1 + 2)
  const sink = new ByteSink(withinLimit(header.length + cells + separators, limit))
  sink.text(header)
  const { bytes } = sink
  for (let row = 0; row < count; row++) {
    sink.day(day[row])
    bytes[sink.at++] = comma
    sink.copy(names.bytes, names.starts[name[row]], names.starts[name[row] + 1])
    for (const { events, positions } of columns) {
      const position = positions[row]
      bytes[sink.at++] = comma
      if (position !== none)
        sink.copy(events.text, events.textStarts[position], events.textStarts[position + 1])
      for (const extra of extras) {
        bytes[sink.at++] = comma
        if (position !== none) sink.day(extra === 'end' ? events.ends[position] : events.filed[position])
      }
    }
    bytes[sink.at++] = 0x0d
    bytes[sink.at++] = 0x0a
  }
  return finished(sink)
}

/** A join as NDJSON, an object per row. */
export function ndjsonLines(joined: Joined, limit: number): Uint8Array {
  const { rows, columns, extras } = joined
  const { count, day, name } = rows
  const names = textTable(rows.names.map(text => JSON.stringify(text)))
  const cells = columns.reduce(
    (bytes, column) =>
      bytes +
      valueBytes(column, nullWord.length) +
      extras.length * extraBytes(column, count, 2, nullWord.length),
    count * (dayBytes + 2) + nameBytes(rows, names),
  )
  const keys = textTable(columnNames(joined).map((key, i) => `${i === 0 ? '{' : ','}"${key}":`))
  const sink = new ByteSink(withinLimit(cells + count * (keys.bytes.length + 2), limit))
  const { bytes } = sink
  for (let row = 0; row < count; row++) {
    let key = 0
    const next = () => {
      sink.copy(keys.bytes, keys.starts[key], keys.starts[key + 1])
      key++
    }
    next()
    writeDay(sink, day[row])
    next()
    sink.copy(names.bytes, names.starts[name[row]], names.starts[name[row] + 1])
    for (const { events, positions } of columns) {
      const position = positions[row]
      next()
      if (position === none) sink.copy(nullWord, 0, nullWord.length)
      else sink.copy(events.text, events.textStarts[position], events.textStarts[position + 1])
      for (const extra of extras) {
        next()
        if (position === none) sink.copy(nullWord, 0, nullWord.length)
        else writeDay(sink, extra === 'end' ? events.ends[position] : events.filed[position])
      }
    }
    bytes[sink.at++] = 0x7d
    bytes[sink.at++] = 0x0a
  }
  return finished(sink)
}

/** The columns of an answer in their order. */
export const columnNames = ({ columns, extras }: Omit<Joined, 'rows'>): string[] => [
  'date',
  'ticker',
  ...columns.flatMap(({ name }) => [name, ...extras.map(extra => `${name}_${extra}`)]),
]

function finished({ bytes, at }: ByteSink): Uint8Array {
  if (at !== bytes.length) throw new Error(`An answer has ${at} bytes where ${bytes.length} were counted.`)
  return bytes
}
