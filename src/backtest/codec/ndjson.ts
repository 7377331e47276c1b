import { Failure } from '../../errors.ts'
import type { BodySource } from './bodyBytes.ts'
import { checkPanelSize, rowCapacity } from './cells.ts'
import { LineCounter } from './cursor.ts'
import { type JsonObject, JsonReader, type JsonValue, valueLimitOf } from './jsonReader.ts'
import { JsonRowReader, minRowBytes, missingReturnOf, missingScoreOf, pushChecked } from './jsonRows.ts'
import { PanelBuilder, type ParsedPanel } from './panelBuilder.ts'
import { settingNames } from './settings.ts'

interface StatedColumns {
  /** Those of the caller's own. */
  readonly columns: readonly string[]
  readonly mayLackReturns?: boolean
}

/** Reads a panel as NDJSON: one row per line. The first line may contain the other fields of a request
 * instead.
 *
 * @param wantedBy what these fields say about the columns of the rows; it validates them */
export function readNdjson(
  source: BodySource,
  wantedBy: (fields: JsonObject) => StatedColumns,
): { fields: JsonObject; panel: ParsedPanel } {
  const reader = new JsonReader(source)
  reader.skipSpace()
  if (reader.at === reader.bytes.length) {
    throw new Failure(
      'body_invalid',
      'The body is empty. Send one row {date, asset, score, forward_return} per line.',
    )
  }
  const lines = new LineCounter(reader)
  const fields = readHeader(reader, lines)
  const wanted = wantedBy(fields)
  const builder = readRows(reader, lines, Number.POSITIVE_INFINITY, wanted)
  const placeOf = (row: number) => `line ${lineOfRow(source, row, wanted)}`
  const missingScore = missingScoreOf(builder, row => [placeOf(row)])
  const missingReturn = missingReturnOf(builder, row => [placeOf(row)])
  return { fields, panel: { columns: builder.columns(), placeOf, missingScore, missingReturn } }
}

/** The fields in the first line. If that line is a row, there are none, and the reader stays before it. */
function readHeader(reader: JsonReader, lines: LineCounter): JsonObject {
  const start = reader.at
  const value = readValue(reader, lines, valueLimitOf('factors'))
  if (isHeader(value)) {
    reader.endLine()
    return value
  }
  reader.at = start
  return {}
}

function isHeader(value: JsonValue): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return settingNames.some(name => name in value && (name !== 'score' || isObject(value[name])))
}

/** A row also has a `score`, which is a number or null. The `score` of a request is an object. */
const isObject = (value: JsonValue | undefined) => typeof value === 'object' && value !== null

/** Reads at most `maxRows` rows and leaves the reader after them. */
function readRows(
  reader: JsonReader,
  lines: LineCounter,
  maxRows: number,
  { columns, mayLackReturns = false }: StatedColumns,
): PanelBuilder {
  const panel = new PanelBuilder(rowCapacity(reader.totalBytes, minRowBytes), columns, () => mayLackReturns)
  const rows = new JsonRowReader(reader, panel)
  while (reader.at < reader.bytes.length && panel.count < maxRows) {
    if (!rows.read()) {
      const location = `line ${lines.lineAt(reader.at)}`
      pushChecked(panel, readValue(reader, lines), [location])
    }
    checkPanelSize(panel.count, panel.markets.names.length)
    reader.endLine()
    reader.ready()
  }
  return panel
}

function readValue(reader: JsonReader, lines: LineCounter, limit?: number): JsonValue {
  reader.path.push(`line ${lines.lineAt(reader.at)}`)
  const value = reader.value(limit)
  reader.path.pop()
  return value
}

/** Finds the line of a row by reading everything before it, which is already known to be valid. */
function lineOfRow(source: BodySource, row: number, wanted: StatedColumns): number {
  const reader = new JsonReader(source)
  const lines = new LineCounter(reader)
  reader.skipSpace()
  readHeader(reader, lines)
  readRows(reader, lines, row, wanted)
  return lines.lineAt(reader.at)
}
