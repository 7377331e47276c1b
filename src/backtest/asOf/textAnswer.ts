import { knownByRules } from '../../instants.ts'
import { withinLimit } from './answerLimit.ts'
import { csvName } from './carried/shownTexts.ts'
import { ByteSink, byteLength, dayBytes, textTable, viewOf } from './carried/texts.ts'
import type { JoinedColumn } from './joinTask.ts'
import { none } from './positions.ts'
import type { JoinExtra } from './request.ts'
import { type CellStyle, csvStyle, jsonStyle, nullText, type RowCells, rowCells } from './rowCells.ts'
import type { ParsedRows } from './rows.ts'
import { answeredColumns } from './settings.ts'

/** A join that has been computed but not written yet. */
export interface Joined {
  readonly rows: ParsedRows
  readonly columns: readonly JoinedColumn[]
  readonly extras: readonly JoinExtra[]
}

/** The columns of the response, in order. */
const columnNames = ({ rows: { layout }, columns, extras }: Joined): string[] => [
  ...layout.map(column => (typeof column === 'string' ? column : column.name)),
  ...answeredColumns({ metrics: columns.map(({ name }) => name), extras }),
]

const comma = 0x2c
const nullView = viewOf(nullText.bytes)
const nullBytes = nullText.starts[1]
const quote = 0x22
const ruleTexts = textTable(knownByRules)
const ruleView = viewOf(ruleTexts.bytes)

/** The parts of a JSON response before and after its columns. */
export interface JsonFrame {
  /** Ends with the key `"columns":`. */
  readonly head: string
  readonly tail: string
}

/** A join as JSON, by column. */
export function jsonColumns(joined: Joined, { head, tail }: JsonFrame, limit: number): Uint8Array {
  const { rows, columns, extras } = joined
  const { count } = rows
  const lead = rowCells(rows, jsonStyle)
  const keys = columnNames(joined)
  // For each column, its key, a colon, brackets and the commas between its elements. In addition, the commas
  // between columns and the braces.
  const frames = keys.reduce(
    (bytes, key) => bytes + byteLength(JSON.stringify(key)) + 3 + Math.max(0, count - 1),
    keys.length + 1,
  )
  const size = byteLength(head) + frames + cellBytes(joined, lead, jsonStyle) + byteLength(tail)
  const sink = new ByteSink(withinLimit(size, limit))
  let isFirst = true
  const begin = (key: string) => {
    sink.text(`${isFirst ? `${head}{` : ','}${JSON.stringify(key)}:[`)
    isFirst = false
  }
  const elements = (key: string, write: (row: number) => void) => {
    begin(key)
    for (let row = 0; row < count; row++) {
      if (row > 0) sink.byte(comma)
      write(row)
    }
    sink.text(']')
  }
  for (const [index, cells] of lead.entries()) elements(keys[index], row => cells.write(sink, row))
  for (const column of columns) {
    const writer = new CellWriter(sink, column)
    begin(column.name)
    writer.valuesOrNull()
    sink.text(']')
    for (const extra of extras) elements(`${column.name}_${extra}`, row => writer.extraOrNull(row, extra))
  }
  sink.text(`}${tail}`)
  return sink.finish()
}

/** A join as NDJSON, one object per row. */
export function ndjsonLines(joined: Joined, limit: number): Uint8Array {
  const { rows, columns, extras } = joined
  const { count } = rows
  const lead = rowCells(rows, jsonStyle)
  const keys = textTable(columnNames(joined).map((key, i) => `${i === 0 ? '{' : ','}${JSON.stringify(key)}:`))
  const keyBytes = keys.starts[keys.starts.length - 1]
  const size = cellBytes(joined, lead, jsonStyle) + count * (keyBytes + '}\n'.length)
  const sink = new ByteSink(withinLimit(size, limit))
  const writers = columns.map(column => new CellWriter(sink, column))
  const keyView = viewOf(keys.bytes)
  for (let row = 0; row < count; row++) {
    let key = 0
    for (let index = 0; index < lead.length; index++) {
      sink.copy(keyView, keys.starts[key], keys.starts[++key])
      lead[index].write(sink, row)
    }
    for (let metric = 0; metric < writers.length; metric++) {
      sink.copy(keyView, keys.starts[key], keys.starts[++key])
      writers[metric].valueOrNull(row)
      for (let extra = 0; extra < extras.length; extra++) {
        sink.copy(keyView, keys.starts[key], keys.starts[++key])
        writers[metric].extraOrNull(row, extras[extra])
      }
    }
    sink.byte(0x7d)
    sink.byte(0x0a)
  }
  return sink.finish()
}

/** A join as CSV: a header, then one line per row. */
export function csvLines(joined: Joined, limit: number): Uint8Array {
  const { rows, columns, extras } = joined
  const { count } = rows
  const lead = rowCells(rows, csvStyle)
  const keys = columnNames(joined)
  const header = `${keys.map(csvName).join(',')}\r\n`
  // Each cell is followed by a comma or by the two bytes of the line ending.
  const size = byteLength(header) + cellBytes(joined, lead, csvStyle) + count * (keys.length + 1)
  const sink = new ByteSink(withinLimit(size, limit))
  sink.text(header)
  const writers = columns.map(column => new CellWriter(sink, column))
  for (let row = 0; row < count; row++) {
    for (let index = 0; index < lead.length; index++) {
      if (index > 0) sink.byte(comma)
      lead[index].write(sink, row)
    }
    for (let metric = 0; metric < writers.length; metric++) {
      sink.byte(comma)
      writers[metric].value(row)
      for (let extra = 0; extra < extras.length; extra++) {
        sink.byte(comma)
        writers[metric].extra(row, extras[extra])
      }
    }
    sink.byte(0x0d)
    sink.byte(0x0a)
  }
  return sink.finish()
}

/** The total size of all cells. */
function cellBytes(
  { rows: { count }, columns, extras }: Joined,
  lead: readonly RowCells[],
  { around, missing }: CellStyle,
): number {
  let bytes = lead.reduce((sum, cells) => sum + cells.bytes, 0)
  const dayExtras = extras.filter(extra => extra !== 'known_by').length
  for (const { events, positions, byTime } of columns) {
    const { textStarts } = events
    let absent = 0
    let timed = 0
    // An iterator would allocate an object per row.
    for (let row = 0; row < count; row++) {
      const position = positions[row]
      if (position === none) absent++
      else {
        bytes += textStarts[position + 1] - textStarts[position]
        timed += byTime?.[position] ?? 0
      }
    }
    if (byTime !== null && byTime !== undefined) {
      bytes += (count - absent) * (knownByRules[0].length + around)
      bytes += timed * (knownByRules[1].length - knownByRules[0].length)
    }
    bytes += absent * missing * (1 + extras.length) + (count - absent) * (dayBytes + around) * dayExtras
  }
  return bytes
}

/** Writes the cells of one metric. */
class CellWriter {
  readonly #sink: ByteSink
  readonly #positions: Int32Array
  readonly #text: DataView
  readonly #textStarts: Int32Array
  readonly #days: Readonly<Record<'end' | 'filed', Int32Array>>
  readonly #byTime: Uint8Array | null

  constructor(sink: ByteSink, { events, positions, byTime = null }: JoinedColumn) {
    this.#sink = sink
    this.#positions = positions
    this.#text = viewOf(events.text)
    this.#textStarts = events.textStarts
    this.#days = { end: events.ends, filed: events.filed }
    this.#byTime = byTime
  }

  value(row: number): void {
    const position = this.#positions[row]
    if (position === none) return
    this.#sink.copy(this.#text, this.#textStarts[position], this.#textStarts[position + 1])
  }

  valueOrNull(row: number): void {
    if (this.#positions[row] === none) this.#sink.copy(nullView, 0, nullBytes)
    else this.value(row)
  }

  /** Writes all of them, separated by commas. Most bytes of a response are written here. */
  valuesOrNull(): void {
    const positions = this.#positions
    const textStarts = this.#textStarts
    const text = this.#text
    const sink = this.#sink
    const { view } = sink
    let { at } = sink
    for (let row = 0; row < positions.length; row++) {
      if (row > 0) view.setUint8(at++, comma)
      const position = positions[row]
      const from = position === none ? nullView : text
      const start = position === none ? 0 : textStarts[position]
      const length = position === none ? nullBytes : textStarts[position + 1] - start
      for (let i = 0; i < length; i += 8) view.setFloat64(at + i, from.getFloat64(start + i))
      at += length
    }
    sink.at = at
  }

  extra(row: number, extra: JoinExtra): void {
    const position = this.#positions[row]
    if (position === none) return
    if (extra === 'known_by') this.#rule(position)
    else this.#sink.day(this.#days[extra][position])
  }

  extraOrNull(row: number, extra: JoinExtra): void {
    const position = this.#positions[row]
    if (position === none) this.#sink.copy(nullView, 0, nullBytes)
    else if (extra === 'known_by') {
      this.#sink.byte(quote)
      this.#rule(position)
      this.#sink.byte(quote)
    } else this.#sink.quotedDay(this.#days[extra][position])
  }

  #rule(position: number): void {
    const rule = this.#byTime?.[position] ?? 0
    this.#sink.copy(ruleView, ruleTexts.starts[rule], ruleTexts.starts[rule + 1])
  }
}
