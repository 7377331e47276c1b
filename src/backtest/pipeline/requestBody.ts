import { type ParsedRequest, readBody, readPanelBody, requireScores, withPanel } from '../codec/body.ts'
import type { BodySource } from '../codec/bodyBytes.ts'
import type { ParsedPanel } from '../codec/panelBuilder.ts'
import { checkSettings, namedColumns, readQuerySettings } from '../codec/settings.ts'
import { readParquetPanel } from '../panelFile/parquetPanel.ts'
import type { BodyFormat, BodyQuery } from '../request.ts'

/** Parses and validates a request in any format. */
export async function readRequestBody(
  source: BodySource,
  format: BodyFormat,
  query: BodyQuery,
): Promise<ParsedRequest> {
  if (format !== 'parquet' && format !== 'arrow') return readBody(source, format, query)
  const settings = checkSettings(readQuerySettings(query))
  const mayLackReturns = settings.prices !== undefined
  return withPanel(settings, await readParquetPanel(source, namedColumns(settings), mayLackReturns, format))
}

/** Parses a body that contains only rows, for a panel to be stored.
 *
 * @param columns the columns of the caller's own; if there are any, the rows need no column `score` */
export async function readStoredRows(
  source: BodySource,
  format: BodyFormat,
  columns: readonly string[],
): Promise<ParsedPanel> {
  if (format !== 'parquet' && format !== 'arrow') return readPanelBody(source, format, columns)
  const panel = await readParquetPanel(source, columns, false, format)
  return columns.length > 0 ? panel : requireScores(panel)
}
