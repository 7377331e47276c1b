import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Failure } from '../../errors.ts'
import { BacktestRequest, type BodyQuery, PanelId, type TextFormat } from '../request.ts'
import type { BodySource } from './bodyBytes.ts'
import { readCsv } from './csvBody.ts'
import type { WantedColumns } from './extraColumns.ts'
import { showValue, unknownParameter } from './faults.ts'
import { readJsonColumns } from './jsonColumns.ts'
import { type JsonObject, JsonReader, type JsonValue, valueLimitOf } from './jsonReader.ts'
import { readJsonRows } from './jsonRows.ts'
import { readNdjson } from './ndjson.ts'
import type { ParsedPanel } from './panelBuilder.ts'
import {
  type ArchiveRequest,
  type BacktestSettings,
  checkArchiveRequest,
  checkSettings,
  namedColumns,
  ranksByScore,
  readQuerySettings,
} from './settings.ts'

/** A request with its own rows, for a stored panel, or for the archive. */
export type ParsedRequest =
  | (BacktestSettings & { readonly panel: ParsedPanel })
  | (BacktestSettings & { readonly panel: null; readonly panelId: string })
  | (ArchiveRequest & { readonly panel: null; readonly panelId: null })

/** Parses and validates a request. Fails with the position of the first fault. Only duplicate cells are found
 * later, when the panel is sorted.
 *
 * @param query the settings for a CSV body, which contains only rows; an NDJSON body may have them in its
 *   first line instead */
export function readBody(
  bytes: BodySource,
  format: TextFormat = 'json',
  query: BodyQuery = {},
): ParsedRequest {
  switch (format) {
    case 'json':
      return readJsonBody(bytes)
    case 'ndjson': {
      let settings: BacktestSettings | null = null
      const { panel } = readNdjson(bytes, fields => {
        settings = checkSettings(mergeFields(readQuerySettings(query), fields))
        return { columns: namedColumns(settings), mayLackReturns: settings.prices !== undefined }
      })
      return withPanel(settings ?? { config: {}, include: [] }, panel)
    }
    case 'csv': {
      const settings = checkSettings(readQuerySettings(query))
      return withPanel(settings, readCsv(bytes, namedColumns(settings), settings.prices !== undefined))
    }
    default:
      return format satisfies never
  }
}

/** Rows without scores require a request that says where the scores come from. */
export function withPanel(settings: BacktestSettings, panel: ParsedPanel): ParsedRequest {
  const hasScores = settings.score?.asOf !== undefined || !ranksByScore(settings)
  if (panel.missingScore !== null && !hasScores) throw panel.missingScore
  if (settings.prices === undefined) requireReturns(panel)
  refuseUnnamed(panel, namedColumns(settings))
  return { ...settings, panel }
}

/** A column that no setting names may be a misspelt one. */
export function refuseUnnamed({ columns, refusals = [] }: ParsedPanel, named: readonly string[]): void {
  const unnamed = (columns.extras ?? []).findIndex(({ name }) => !named.includes(name))
  if (unnamed === -1) return
  const { code, message, details } = refusals[unnamed]
  const hint = 'A column of your own must be named in config.neutralise.columns, config.rankBy or scores.'
  throw new Failure(code, named.length === 0 ? message : `${message} ${hint}`, details)
}

/** Rows have returns unless a request says that prices give them. */
export function requireReturns({ missingReturn = null }: ParsedPanel): void {
  if (missingReturn !== null) throw missingReturn
}

/** Rows that are stored, or shared by many backtests, must have scores. */
export function requireScores(panel: ParsedPanel): ParsedPanel {
  if (panel.missingScore !== null) throw panel.missingScore
  return panel
}

function mergeFields(query: JsonObject, firstLine: JsonObject): JsonObject {
  for (const name of Object.keys(query)) {
    if (!(name in firstLine)) continue
    throw new Failure(
      'parameter_repeated',
      `${name} is given twice: in the first line of the rows and as a query parameter. Give it once.`,
      { param: name },
    )
  }
  return { ...query, ...firstLine }
}

/** Parses a body that contains only rows, for a panel to be stored.
 *
 * @param wanted the columns of the caller's own; with any, the rows need no column `score` */
export const readPanelBody = (
  source: BodySource,
  format: TextFormat,
  wanted: readonly string[] = [],
): ParsedPanel => {
  const panel = readRows(source, format, wanted)
  requireReturns(panel)
  return wanted.length > 0 ? panel : requireScores(panel)
}

function readRows(source: BodySource, format: TextFormat, wanted: readonly string[]): ParsedPanel {
  switch (format) {
    case 'csv':
      return readCsv(source, wanted)
    case 'ndjson': {
      const { fields, panel } = readNdjson(source, () => ({ columns: wanted }))
      const [name] = Object.keys(fields)
      if (name === undefined) return panel
      throw new Failure(
        'parameter_unknown',
        `${name} in the first line belongs to a backtest. A panel is stored without it: start the body with the first row.`,
        { param: name },
      )
    }
    case 'json':
      return readJsonPanel(source, wanted)
    default:
      return format satisfies never
  }
}

function readJsonPanel(source: BodySource, wanted: readonly string[]): ParsedPanel {
  const reader = openJson(source, 'Send {"panel": [...]}.')
  const { panel } = readFields(reader, ['panel'], undefined, wanted)
  if (panel !== null && typeof panel !== 'string') return panel
  const found = panel === null ? 'is missing' : 'is the id of a panel that is already stored'
  throw new Failure(
    'parameter_invalid',
    `panel ${found}. Send its rows: {"panel": [...]} or {"panel": {...}}.`,
    { param: 'panel' },
  )
}

const requestFields = Object.keys(BacktestRequest.properties)

function readJsonBody(bytes: BodySource): ParsedRequest {
  const reader = openJson(bytes, 'Send {} to use the archive with defaults.')
  const { fields, panel } = readFields(reader, requestFields)
  if (panel === null) return { ...checkArchiveRequest(fields), panel, panelId: null }
  if (typeof panel === 'string') return { ...checkSettings(fields), panel: null, panelId: panel }
  return withPanel(checkSettings(fields), panel)
}

/** @param mend what to send instead of an empty body */
export function openJson(source: BodySource, mend: string): JsonReader {
  const reader = new JsonReader(source)
  reader.skipSpace()
  if (reader.at === reader.bytes.length) throw new Failure('malformed_json', `The body is empty. ${mend}`)
  return reader
}

/** Reads the fields of the body's object. The panel is returned separately: its rows, or the id of a stored
 * one.
 *
 * @param readOther reads the value of a field other than the panel
 * @param wanted if the settings may follow the rows, see `refuseUnnamed` */
export function readFields(
  reader: JsonReader,
  known: readonly string[],
  readOther: (reader: JsonReader, key: string) => JsonValue = (at, key) => at.value(valueLimitOf(key)),
  wanted: WantedColumns = namedLater(reader),
): { fields: JsonObject; panel: ParsedPanel | string | null } {
  reader.skipSpace()
  if (reader.bytes[reader.at] !== 0x7b) {
    throw new Failure(
      'body_invalid',
      'The body must be a JSON object such as {"config": {...}, "panel": [...]}.',
    )
  }
  const fields: JsonObject = Object.create(null)
  let panel: ParsedPanel | string | null = null
  reader.expect(0x7b)
  if (!reader.take(0x7d)) {
    do {
      reader.ready()
      const key = reader.key(name => name in fields || (name === 'panel' && panel !== null))
      if (!known.includes(key)) throw unknownParameter(key.slice(0, 60), known)
      reader.path.push(key)
      if (key === 'panel') panel = readPanel(reader, wanted)
      else fields[key] = readOther(reader, key)
      reader.path.pop()
    } while (reader.take(0x2c))
    reader.expect(0x7d)
  }
  reader.skipSpace()
  if (reader.at < reader.bytes.length) reader.malformed('text follows the object')
  return { fields, panel }
}

/** Whether any setting of a body, before or after the rows, may name columns of the caller's own. If not, the first such
 * column is the first fault. */
function namedLater(reader: JsonReader): WantedColumns {
  let known: boolean | undefined
  return {
    mayName: () => {
      known ??= ['neutralise', 'rankBy', '"scores"', '\\u'].some(mark => reader.text.includes(mark))
      return known
    },
  }
}

function readPanel(reader: JsonReader, wanted: WantedColumns): ParsedPanel | string {
  reader.skipSpace()
  switch (reader.bytes[reader.at]) {
    case 0x22:
      return readPanelId(reader)
    case 0x5b:
      return readJsonRows(reader, wanted)
    case 0x7b:
      return readJsonColumns(reader, wanted)
    default:
      throw new Failure(
        'parameter_invalid',
        'panel must be an array of rows {date, asset, market?, score, forward_return}, an object with an array for each of these columns, or the id of a stored panel.',
        { param: 'panel' },
      )
  }
}

const panelIdCheck = TypeCompiler.Compile(PanelId)

function readPanelId(reader: JsonReader): string {
  const id = reader.string()
  if (panelIdCheck.Check(id)) return id
  throw new Failure(
    'parameter_invalid',
    `panel is ${showValue(id)}, which is not the id of a stored panel: ids look like 0b5a8f9e-3c1d-4e2f-9a7b-6d5c4b3a2f10.`,
    { param: 'panel' },
  )
}
