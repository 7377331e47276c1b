import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { BacktestRequest, type BodyFormat, type BodyQuery, PanelId } from '../request.ts'
import { readCsv } from './csv.ts'
import { show, unknownParameter } from './faults.ts'
import { type JsonObject, JsonReader } from './json.ts'
import { readPanelColumns } from './jsonColumns.ts'
import { readNdjson } from './ndjson.ts'
import type { PanelRows } from './panelColumns.ts'
import { readPanelRows } from './panelRows.ts'
import {
  type ArchiveSettings,
  type BacktestSettings,
  checkArchiveFields,
  checkFields,
  readQueryFields,
} from './settings.ts'

/** A request for rows that came with it, for those of a stored panel, or for the archive. */
export type BacktestBody =
  | (BacktestSettings & { readonly panel: PanelRows })
  | (BacktestSettings & { readonly panel: null; readonly panelId: string })
  | (ArchiveSettings & { readonly panel: null; readonly panelId: null })

/** A request, from bytes to checked. Fails with the place of the first fault; only the panel's cells are yet to be
 * compared with each other.
 *
 * @param query what a CSV body has no room for; an NDJSON body can say the same in its first line instead */
export function readBody(
  bytes: Uint8Array,
  format: BodyFormat = 'json',
  query: BodyQuery = {},
): BacktestBody {
  switch (format) {
    case 'json':
      return readJsonBody(bytes)
    case 'ndjson': {
      const { fields, rows } = readNdjson(bytes)
      return { ...checkFields(joinFields(readQueryFields(query), fields)), panel: rows }
    }
    case 'csv':
      return { ...checkFields(readQueryFields(query)), panel: readCsv(bytes) }
    default:
      return format satisfies never
  }
}

function joinFields(query: JsonObject, firstLine: JsonObject): JsonObject {
  for (const name of Object.keys(query)) {
    if (!(name in firstLine)) continue
    throw new Failure(
      'parameter_repeated',
      `${name} is given twice: in the first line of the rows and beside them. Give it once.`,
      { param: name },
    )
  }
  return { ...query, ...firstLine }
}

/** The rows of a body that has nothing but rows. */
export function readPanelBody(bytes: Uint8Array, format: BodyFormat): PanelRows {
  switch (format) {
    case 'csv':
      return readCsv(bytes)
    case 'ndjson': {
      const { fields, rows } = readNdjson(bytes)
      const [name] = Object.keys(fields)
      if (name === undefined) return rows
      throw new Failure(
        'parameter_unknown',
        `${name} in the first line belongs to a backtest. A panel is stored without it: begin with the first row.`,
        { param: name },
      )
    }
    case 'json':
      return readJson(bytes)
    default:
      return format satisfies never
  }
}

function readJson(bytes: Uint8Array): PanelRows {
  const reader = new JsonReader(bytes)
  reader.skipSpace()
  if (reader.at === bytes.length) reader.malformed('it is empty; send {"panel": [...]}')
  const { panel } = readJsonFields(reader, ['panel'])
  if (panel !== null && typeof panel !== 'string') return panel
  const said = panel === null ? 'is missing' : 'is the id of a panel, which is stored already'
  throw new Failure(
    'parameter_invalid',
    `panel ${said}. Send its rows: {"panel": [...]} or {"panel": {...}}.`,
    {
      param: 'panel',
    },
  )
}

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
