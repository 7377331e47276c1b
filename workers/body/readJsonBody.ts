import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../src/errors.ts'
import { BacktestRequest } from '../../src/model/backtest.ts'
import { PanelId } from '../../src/model/panelId.ts'
import { show, unknownParameter } from './describeFault.ts'
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
  if (panel === null) return { ...checkArchiveFields(fields), panel, panelId: null }
  if (typeof panel === 'string') return { ...checkFields(fields), panel: null, panelId: panel }
  return { ...checkFields(fields), panel }
}

/** The fields of the object that the body is; apart from the others the panel's rows, or the id of a stored one. */
export function readJsonFields(
  reader: JsonReader,
  known: readonly string[],
): { fields: JsonObject; panel: PanelRows | string | null } {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x7b) {
    throw new Failure(
      'body_invalid',
      'The body must be a JSON object such as {"config": {...}, "panel": [...]}.',
    )
  }
  const fields: JsonObject = Object.create(null)
  let panel: PanelRows | string | null = null
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

function readPanel(reader: JsonReader): PanelRows | string {
  reader.skipSpace()
  switch (reader.bytes[reader.at]) {
    case 0x22:
      return readId(reader)
    case 0x5b:
      return readPanelRows(reader)
    case 0x7b:
      return readPanelColumns(reader)
    default:
      throw new Failure(
        'parameter_invalid',
        'panel must be an array of rows {date, asset, market?, score, forward_return}, an object with an array for each of these columns, or the id of a stored panel.',
        { param: 'panel' },
      )
  }
}

const idCheck = TypeCompiler.Compile(PanelId)

function readId(reader: JsonReader): string {
  const id = reader.string()
  if (idCheck.Check(id)) return id
  throw new Failure(
    'parameter_invalid',
    `panel is ${show(id)}, which is no id of a stored panel: they look like 0b5a8f9e-3c1d-4e2f-9a7b-6d5c4b3a2f10.`,
    { param: 'panel' },
  )
}
