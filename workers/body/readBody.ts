import { Failure } from '../../src/errors.ts'
import type { BodyFormat, BodyQuery } from '../../src/model/bodyFormat.ts'
import type { JsonObject } from './JsonReader.ts'
import type { PanelRows } from './PanelRows.ts'
import { readCsv } from './readCsv.ts'
import { readJsonBody } from './readJsonBody.ts'
import { readNdjson } from './readNdjson.ts'
import { readQueryFields } from './readQueryFields.ts'
import { type ArchiveSettings, type BacktestSettings, checkFields } from './settings.ts'

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
