import { isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Horizon } from '../../horizons.ts'
import type { ParsedPanel } from '../codec/panelBuilder.ts'
import { nameCount } from '../dataset/dataset.ts'
import {
  type BacktestSettings,
  type FileHead,
  makePanelBody,
  type PanelBody,
  shownRows,
} from '../panelFile/panelBody.ts'
import { type PanelFormat, recogniseFormat } from '../panelFile/panelFormat.ts'
import { readTableNames } from '../panelFile/tableFile.ts'
import { unpackRows } from '../panelFile/unpackRows.ts'
import type { BodyFormat, BodyQuery } from '../request.ts'
import { buildPanelDataset } from './panelDataset.ts'
import { readRequestBody } from './requestBody.ts'
import { resolveConfig } from './resolveConfig.ts'
import { panelSpacing } from './selectData.ts'

export interface PanelFileInput {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The horizon to use from a file of forecasts; undefined: the only one in the file. */
  readonly horizon: Horizon | undefined
  readonly settings: BacktestSettings
}

/** A file of rows as a valid body of a backtest, and what was detected in it. */
export interface PanelFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly format: BodyFormat
  readonly query: BodyQuery
  readonly head: FileHead | null
  readonly notices: readonly string[]
  readonly rows: number
  readonly dates: number
  readonly assets: number
  readonly firstDay: number
  readonly lastDay: number
}

/** The decompressed size of a gzipped file, with the same limit as for a plain file. */
const maxUnpackedBytes = 256 * 1_024 * 1_024

/** Limit on rows times columns of a Parquet or Arrow file of forecasts. Every thread may be reading one at the same
 * time. */
const maxParquetCells = 24_000_000

/** Reads a CSV, NDJSON or Parquet file, plain or gzipped. Validates all rows and settings now, so that a
 * fault is reported with its line immediately rather than by a backtest that has already begun. */
export async function readPanelFile({ bytes, horizon, settings }: PanelFileInput): Promise<PanelFile> {
  const plain = await unpackRows(bytes, { bytes: maxUnpackedBytes, check: refuseJson })
  const format = recogniseFormat(plain)
  refuseJson(format)
  const made = await makePanelBody({ bytes: plain, format, horizon, cellLimit: maxParquetCells }, settings)
  try {
    const parsed = await readRequestBody(made.bytes, made.format, made.query)
    if (parsed.panel === null) throw new Failure('body_invalid', 'The file has no rows.', { param: 'file' })
    const data = buildPanelDataset(parsed.panel)
    const { returnDays, spacing } = panelSpacing(data)
    resolveConfig(parsed.config, returnDays, spacing)
    return {
      body: made.bytes,
      format: made.format,
      query: made.query,
      head: made.head ?? (await tableHead(made, parsed.panel)),
      notices: made.notices,
      rows: data.asset.length,
      dates: data.days.length,
      assets: nameCount(data.assets),
      firstDay: data.days[0],
      lastDay: data.days[data.days.length - 1],
    }
  } catch (error) {
    throw error instanceof Failure ? inPlacesOfFile(error, made) : error
  }
}

/** The first rows of a panel, converted back from the numbers that the reader of columns returns. */
async function tableHead(
  { bytes, format }: Pick<PanelBody, 'bytes' | 'format'>,
  { columns }: ParsedPanel,
): Promise<FileHead | null> {
  if (format !== 'parquet' && format !== 'arrow') return null
  const numberAt = (values: Float64Array | undefined, row: number) =>
    values === undefined || Number.isNaN(values[row]) ? '' : String(values[row])
  const cells: Readonly<Record<string, (row: number) => string>> = {
    date: row => isoDate(columns.day[row]),
    asset: row => columns.assetNames[columns.asset[row]],
    market: row => columns.marketNames[columns.market[row]],
    score: row => numberAt(columns.score, row),
    forward_return: row => numberAt(columns.forwardReturn, row),
    dollar_volume: row => numberAt(columns.dollarVolume, row),
    group: row => columns.groupNames?.[columns.group?.[row] ?? 0] ?? '',
    ...Object.fromEntries(
      (columns.extras ?? []).map(({ name, values }) => [name, (row: number) => numberAt(values, row)]),
    ),
    close: row => numberAt(columns.close, row),
    borrow_bps: row => numberAt(columns.borrowBps, row),
  }
  const names = await readTableNames(bytes, format, [])
  return {
    columns: names,
    rows: Array.from({ length: Math.min(shownRows, columns.count) }, (_, row) =>
      names.map(name => cells[name](row)),
    ),
  }
}

function refuseJson(format: PanelFormat): void {
  if (format !== 'json') return
  throw new Failure(
    'body_invalid',
    'The file is JSON. Choose a CSV, NDJSON, Parquet or Arrow file, or send the JSON to POST /api/v1/backtest.',
    { param: 'file' },
  )
}

/** Replaces `panel.column[row]` in a failure by the row's position in the file. */
function inPlacesOfFile(failure: Failure, { placeOf }: PanelBody): Failure {
  if (placeOf === null) return failure
  const named = (text: string) =>
    text.replace(/\bpanel\.(\w+)\[(\d+)\]/g, (_, column: string, row: string) => placeOf(column, Number(row)))
  const { param } = failure.details
  return new Failure(failure.code, named(failure.message), {
    ...failure.details,
    ...(param === undefined ? {} : { param: named(param) }),
  })
}
