import type { BodyFormat, BodyQuery } from '../../src/model/bodyFormat.ts'
import type { PanelRows } from './PanelRows.ts'
import { readCsv } from './readCsv.ts'
import { readJsonBody } from './readJsonBody.ts'
import { readNdjson } from './readNdjson.ts'
import { readQueryFields } from './readQueryFields.ts'
import { type ArchiveSettings, type BacktestSettings, checkFields } from './settings.ts'

/** A request for rows that came with it, or for the archive. */
export type BacktestBody =
  | (BacktestSettings & { readonly panel: PanelRows })
  | (ArchiveSettings & { readonly panel: null })

/** A request, from bytes to checked. Fails with the place of the first fault; only the panel's cells are yet to be
 * compared with each other.
 *
 * @param query what a CSV body has no room for */
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
      return { ...checkFields(fields), panel: rows }
    }
    case 'csv':
      return { ...checkFields(readQueryFields(query)), panel: readCsv(bytes) }
    default:
      return format satisfies never
  }
}
