import { Failure } from '../../errors.ts'
import { LineCounter } from './bytes.ts'
import { checkSize, roomFor } from './cells.ts'
import { type JsonObject, JsonReader, type JsonValue } from './json.ts'
import { PanelColumns, type PanelRows } from './panelColumns.ts'
import { addUnusualRow, leastRow, PanelRowReader } from './panelRows.ts'
import { fieldNames } from './settings.ts'

/** A panel as NDJSON: a row a line. The first line may hold the other fields of a request instead. */
export function readNdjson(bytes: Uint8Array): { fields: JsonObject; rows: PanelRows } {
  const reader = new JsonReader(bytes)
  reader.skipSpace()
  if (reader.at === bytes.length) {
    throw new Failure(
      'body_invalid',
      'The body is empty. Send a row {date, asset, score, forward_return} a line.',
    )
  }
  const lines = new LineCounter(bytes)
  const fields = readHeader(reader, lines)
  const columns = readRows(reader, lines, Number.POSITIVE_INFINITY).columns()
  return { fields, rows: { columns, placeOf: row => `line ${lineOfRow(bytes, row)}` } }
}

/** The first line's fields, if it has any; else the reader stays before it. */
function readHeader(reader: JsonReader, lines: LineCounter): JsonObject {
  const start = reader.at
  const value = readValue(reader, lines)
  if (isHeader(value)) {
    endLine(reader)
    return value
  }
  reader.at = start
  return {}
}

function isHeader(value: JsonValue): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return fieldNames.some(name => name in value)
}

/** At most `most` rows; the reader then stands before what follows them. */
function readRows(reader: JsonReader, lines: LineCounter, most: number): PanelColumns {
  const panel = new PanelColumns(roomFor(reader.bytes, leastRow))
  const rows = new PanelRowReader(reader, panel)
  while (reader.at < reader.bytes.length && panel.count < most) {
    if (!rows.read()) {
      const place = `line ${lines.lineAt(reader.at)}`
      addUnusualRow(panel, readValue(reader, lines), [place])
    }
    checkSize(panel.count, panel.markets.names.length)
    endLine(reader)
  }
  return panel
}

function readValue(reader: JsonReader, lines: LineCounter): JsonValue {
  reader.path.push(`line ${lines.lineAt(reader.at)}`)
  const value = reader.value()
  reader.path.pop()
  return value
}

function endLine(reader: JsonReader): void {
  const { bytes, at: end } = reader
  reader.skipSpace()
  for (let i = end; i < reader.at; i++) if (bytes[i] === 0x0a) return
  if (reader.at < bytes.length) reader.malformed('a line holds more than one value')
}

/** The lines are known to be good: reading those before a row finds its own. */
function lineOfRow(bytes: Uint8Array, row: number): number {
  const reader = new JsonReader(bytes)
  const lines = new LineCounter(bytes)
  reader.skipSpace()
  readHeader(reader, lines)
  readRows(reader, lines, row)
  return lines.lineAt(reader.at)
}
