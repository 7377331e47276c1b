import { Failure } from '../../errors.ts'
import { type Horizon, horizonDays } from '../../horizons.ts'
import { BodyCursor, type BodyFile } from '../codec/bodyBytes.ts'
import { columnNames, maxAssetLength, maxMarketLength } from '../codec/cells.ts'
import { CsvReader } from '../codec/csvCells.ts'
import { plural } from '../report/numberFormat.ts'
import type { BodyFormat, BodyQuery, TableFormat, TextFormat } from '../request.ts'
import type { BacktestBenchmark } from '../requestBenchmark.ts'
import type { BacktestFactors } from '../requestFactors.ts'
import {
  firstLine,
  hasByteOrderMark,
  type PanelFormat,
  recogniseFormat,
  withoutByteOrderMark,
} from './panelFormat.ts'
import { readCsvSignals, readJsonSignals, readNdjsonSignals, readSignalTable } from './signalFile.ts'
import { areSignals, checkSignalColumns, type PanelColumns, type SignalPanel } from './signalRows.ts'
import { readTable, readTableNames } from './tableFile.ts'

type AxisValue = string | number

/** The fields of a request other than its rows, not yet validated: the engine validates them by its
 * schema. */
export interface BacktestSettings {
  readonly config?: Readonly<Record<string, AxisValue | true | object>>
  readonly sweep?: true | Readonly<Record<string, readonly AxisValue[]>>
  readonly include?: readonly string[]
  readonly evidence?: Readonly<Record<string, AxisValue | true>>
  readonly benchmark?: BacktestBenchmark
  readonly scores?: readonly string[]
  readonly trials_already_tried?: number
  readonly factors?: BacktestFactors
  readonly prices?: SentPrices
}

/** The price set that gives the returns of the rows. */
export interface SentPrices {
  readonly set: string
  readonly horizon?: number
  readonly entry_lag?: number
  readonly delisting?: number
  readonly known?: string
}

/** The body of a backtest request, made from the bytes of a file. */
export interface PanelBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly format: BodyFormat
  readonly query: BodyQuery
  /** True if the file may contain settings of its own, such as a sweep. */
  readonly mayHaveSettings: boolean
  readonly notices: readonly string[]
  /** The cursor of the following rows if the file is one page of the API's forecasts. */
  readonly next: string | null
  /** The first rows as the file writes them; null: JSON. */
  readonly head: FileHead | null
  /** Names a cell of `panel` by its position in the file; null if the body is the file. */
  readonly placeOf: SignalPanel['placeOf'] | null
}

export interface FileHead {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface PanelSource {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** undefined: detected from the bytes. */
  readonly format: PanelFormat | undefined
  /** The horizon to use from a file of forecasts; undefined: the only one in the file. */
  readonly horizon: Horizon | undefined
  /** The limit on rows times columns of a Parquet file of forecasts; by default what a separate process has
   * room for. */
  readonly cellLimit?: number
}

/** Forecasts are converted to columns; all other rows go to the engine unchanged. */
export async function makePanelBody(source: PanelSource, settings: BacktestSettings): Promise<PanelBody> {
  const { horizon, cellLimit } = source
  const format = source.format ?? recogniseFormat(source.bytes)
  const bytes = format === 'json' || format === 'ndjson' ? withoutByteOrderMark(source.bytes) : source.bytes
  const signals =
    format === 'parquet' || format === 'arrow'
      ? await readSignalsOfTable(bytes, format, horizon, cellLimit)
      : readSignals(bytes, format, horizon)
  if (signals !== null) return { ...signalBody(signals, settings), head: headOf(bytes, format) }
  if (horizon !== undefined) throw noForecasts()
  const made = format === 'json' ? jsonBody(bytes, settings) : rowsBody(bytes, format, settings)
  return { ...made, head: headOf(bytes, format) }
}

/** A body whose rows are in a file. */
export interface FileBody extends Omit<PanelBody, 'bytes' | 'head'> {
  /** What is wrapped around the file; null: the body is the file. */
  readonly frame: JsonFrame | null
}

/** The body for a panel that is too large for memory: the file itself. Returns null for forecasts, which must
 * be converted to columns. */
export async function makeFileBody(
  file: BodyFile,
  { format: named, horizon }: Pick<PanelSource, 'format' | 'horizon'>,
  settings: BacktestSettings,
): Promise<FileBody | null> {
  const { bytes: beginning } = new BodyCursor(file)
  const format = named ?? recogniseFormat(beginning)
  if (await hasSignals(file, beginning, format)) return null
  if (horizon !== undefined) throw noForecasts()
  const markBytes = format !== 'csv' && hasByteOrderMark(beginning) ? 3 : 0
  if (format === 'json') {
    const frame = jsonFrame(beginning.subarray(markBytes), settings)
    return { ...jsonParts(frame.isRequest), frame: { ...frame, skipped: frame.skipped + markBytes } }
  }
  const { bytes: _, ...body } = rowsBody(new Uint8Array(0), format, settings)
  return { ...body, frame: null }
}

async function hasSignals(file: BodyFile, beginning: Uint8Array, format: PanelFormat): Promise<boolean> {
  switch (format) {
    case 'parquet':
    case 'arrow':
      return areSignals(await readTableNames(file, format, numberColumns))
    case 'csv':
      return areSignals(csvHeader(beginning))
    case 'ndjson':
      return firstLine(beginning).includes(signalMark)
    default:
      return textOf(beginning).includes(signalMark)
  }
}

const signalMark = '"predicted_pct"'
const textOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** The limit for all columns together: what a separate process has room for. */
const maxCells = 60_000_000

/** Returns null if the rows are not forecasts. */
async function readSignalsOfTable(
  bytes: Uint8Array<ArrayBuffer>,
  format: TableFormat,
  horizon: Horizon | undefined,
  cells = maxCells,
): Promise<SignalPanel | null> {
  if (!areSignals(await readTableNames(bytes, format, numberColumns))) return null
  const table = await readTable(bytes, format, {
    numbers: numberColumns,
    cells,
    textLength: Math.max(maxAssetLength, maxMarketLength),
    check: checkSignalColumns,
  })
  return readSignalTable(table, horizon)
}

const noForecasts = () =>
  new Failure(
    'parameter_invalid',
    '--horizon chooses among forecasts (columns ticker, horizon, predicted_pct ...), but these are rows of a panel. Omit it.',
  )

/** Returns null if the rows are not forecasts. */
function readSignals(
  source: Uint8Array,
  format: TextFormat,
  horizon: Horizon | undefined,
): SignalPanel | null {
  switch (format) {
    case 'csv':
      return areSignals(csvHeader(source)) ? readCsvSignals(source, horizon) : null
    case 'ndjson':
      return firstLine(source).includes(signalMark) ? readNdjsonSignals(source, horizon) : null
    default:
      return textOf(source).includes(signalMark) ? readJsonSignals(source, horizon) : null
  }
}

/** The number of rows of a file that are shown. */
export const shownRows = 5

/** Called after the rows have been read, so that a fault in them is reported first. Null for all formats
 * but CSV; the first rows of a file of columns come from `tableHead`. */
function headOf(bytes: Uint8Array, format: PanelFormat): FileHead | null {
  if (format !== 'csv') return null
  const reader = new CsvReader(bytes)
  const columns = reader.row()
  const rows: string[][] = []
  while (rows.length < shownRows && !reader.ended && !reader.onlySpaceFollows()) rows.push(reader.row())
  return { columns, rows }
}

const csvHeader = (bytes: Uint8Array) => (bytes.length === 0 ? [] : new CsvReader(bytes).row())

function signalBody(
  { columns, horizon, openRows, next, placeOf }: SignalPanel,
  settings: BacktestSettings,
): Omit<PanelBody, 'head'> {
  // The horizon of a price set takes the place of the forecasts' own.
  const own = settings.prices?.horizon === undefined ? { returnDays: horizonDays(horizon) } : {}
  const config = { ...own, ...settings.config }
  const notices =
    openRows === 0 ? [] : [`Left out: ${plural(openRows, 'forecast')} after the last known outcome.`]
  return { ...columnsBody(columns, { ...settings, config }), notices, next, placeOf }
}

/** The columns that must be numbers. */
const numberColumns = [
  'score',
  'forward_return',
  'dollar_volume',
  'close',
  'borrow_bps',
  'predicted_pct',
  'actual_pct',
]

const encoder = new TextEncoder()

function columnsBody(panel: PanelColumns, settings: BacktestSettings) {
  const bytes = encoder.encode(JSON.stringify({ ...settings, panel }))
  return { bytes, format: 'json', query: {}, mayHaveSettings: false } as const
}

function rowsBody(
  bytes: Uint8Array<ArrayBuffer>,
  format: Exclude<PanelFormat, 'json'>,
  settings: BacktestSettings,
): Omit<PanelBody, 'head'> {
  const { config, sweep, include, evidence, benchmark, factors, prices, scores, trials_already_tried } =
    settings
  const query = {
    ...(config === undefined ? {} : { config: JSON.stringify(config) }),
    ...(sweep === undefined ? {} : { sweep: JSON.stringify(sweep) }),
    ...(include === undefined ? {} : { include: include.join(',') }),
    ...(evidence === undefined ? {} : { evidence: JSON.stringify(evidence) }),
    ...(benchmark === undefined ? {} : { benchmark: JSON.stringify(benchmark) }),
    ...(scores === undefined ? {} : { scores: scores.join(',') }),
    ...(trials_already_tried === undefined ? {} : { trials_already_tried }),
    ...(factors === undefined ? {} : { factors: JSON.stringify(factors) }),
    ...(prices === undefined ? {} : { prices: JSON.stringify(prices) }),
  }
  return {
    bytes,
    format,
    query,
    mayHaveSettings: format === 'ndjson',
    notices: [],
    next: null,
    placeOf: null,
  }
}

/** What precedes and follows a JSON file in the body that is made from it. */
export interface JsonFrame {
  readonly before: Uint8Array
  /** How many bytes at the beginning of the file are skipped. */
  readonly skipped: number
  readonly after: Uint8Array
  /** The file is a complete request rather than just its rows. */
  readonly isRequest: boolean
}

/** A complete request gets the settings added; bare rows or columns become its panel. */
function jsonFrame(bytes: Uint8Array, settings: BacktestSettings): JsonFrame {
  const beginning = new TextDecoder().decode(bytes.subarray(0, 1_000))
  const [, brace, key] = /^\s*(\{?)\s*(?:"([^"]*)")?/.exec(beginning) ?? []
  const isRequest = brace === '{' && !columnNames.some(name => name === key)
  const own = JSON.stringify(settings).slice(1, -1)
  const before = isRequest
    ? `{${own}${own === '' || key === undefined ? '' : ','}`
    : `{${own}${own === '' ? '' : ','}"panel":`
  return {
    before: encoder.encode(before),
    skipped: isRequest ? bytes.indexOf(0x7b) + 1 : 0,
    after: encoder.encode(isRequest ? '' : '}'),
    isRequest,
  }
}

function jsonBody(bytes: Uint8Array<ArrayBuffer>, settings: BacktestSettings): Omit<PanelBody, 'head'> {
  const { before, skipped, after, isRequest } = jsonFrame(bytes, settings)
  return {
    bytes: new Uint8Array(Buffer.concat([before, bytes.subarray(skipped), after])),
    ...jsonParts(isRequest),
  }
}

const jsonParts = (isRequest: boolean) =>
  ({
    format: 'json',
    query: {},
    mayHaveSettings: isRequest,
    notices: [],
    next: null,
    placeOf: null,
  }) as const
