import { Failure } from '../../src/errors.ts'
import { BacktestRequest } from '../../src/model/backtest.ts'
import { unknownParameter } from './describeFault.ts'
import { type JsonObject, JsonReader } from './JsonReader.ts'
import type { PanelRows } from './PanelRows.ts'
import type { BacktestBody } from './readBody.ts'
import { readPanelColumns } from './readPanelColumns.ts'
import { readPanelRows } from './readPanelRows.ts'
import { checkArchiveFields, checkFields } from './settings.ts'

const known = Object.keys(BacktestRequest.properties)

export function readJsonBody(bytes: Uint8Array): BacktestBody {
  const reader = new JsonReader(bytes)
  reader.skipSpace()
  if (reader.at === bytes.length) reader.malformed('it is empty; send {} for the archive with defaults')
  const { fields, panel } = readJsonFields(reader, known)
  return panel === null ? { ...checkArchiveFields(fields), panel } : { ...checkFields(fields), panel }
}

/** The fields of the object that the body is, the panel's rows apart from the others. */
export function readJsonFields(
  reader: JsonReader,
  known: readonly string[],
): { fields: JsonObject; panel: PanelRows | null } {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x7b) {
    throw new Failure(
      'body_invalid',
      'The body must be a JSON object such as {"config": {...}, "panel": [...]}.',
    )
  }
  const fields: JsonObject = Object.create(null)
  let panel: PanelRows | null = null
  reader.expect(0x7b)
  if (!reader.take(0x7d)) {
    do {
      const key = reader.key(name => name in fields || (name === 'panel' && panel !== null))
      if (!known.includes(key)) throw unknownParameter(key.slice(0, 60), known)
      reader.path.push(key)
      if (key === 'panel') panel = readPanel(reader)
      else fields[key] = reader.value()
      reader.path.pop()
    } while (reader.take(0x2c))
    reader.expect(0x7d)
  }
  reader.skipSpace()
  if (reader.at < reader.bytes.length) reader.malformed('something follows the object')
  return { fields, panel }
}

function readPanel(reader: JsonReader): PanelRows {
  reader.skipSpace()
  switch (reader.bytes[reader.at]) {
    case 0x5b:
      return readPanelRows(reader)
    case 0x7b:
      return readPanelColumns(reader)
    default:
      throw new Failure(
        'parameter_invalid',
        'panel must be an array of rows {date, asset, market?, score, forward_return}, or an object with an array for each of these columns.',
        { param: 'panel' },
      )
  }
}
