import { type ParsedRequest, readBody, readPanelBody, requireScores, withPanel } from '../codec/body.ts'
import type { BodySource } from '../codec/bodyBytes.ts'
import type { ParsedPanel } from '../codec/panelBuilder.ts'
import { checkSettings, readQuerySettings } from '../codec/settings.ts'
import { readParquetPanel } from '../panelFile/parquetPanel.ts'
import type { BodyFormat, BodyQuery } from '../request.ts'

/** Parses and validates a request in any format. */
export async function readRequestBody(
  source: BodySource,
  format: BodyFormat,
  query: BodyQuery,
): Promise<ParsedRequest> {
  if (format !== 'parquet') return readBody(source, format, query)
  const settings = checkSettings(readQuerySettings(query))
  return withPanel(settings, await readParquetPanel(source))
}

/** Parses a body that contains only rows, for a panel to be stored. */
export async function readStoredRows(source: BodySource, format: BodyFormat): Promise<ParsedPanel> {
  return format === 'parquet' ? requireScores(await readParquetPanel(source)) : readPanelBody(source, format)
}
