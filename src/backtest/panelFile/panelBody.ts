import { Failure } from '../../errors.ts'
import { type Horizon, horizonDays } from '../../horizons.ts'
import { columnNames, maxAssetLength, maxMarketLength } from '../codec/cells.ts'
import { CsvReader } from '../codec/csvCells.ts'
import { plural } from '../report/numberFormat.ts'
import type { BodyFormat, BodyQuery } from '../request.ts'
import type { BacktestBenchmark } from '../requestBenchmark.ts'
import { checkPanelTable, type PanelColumns, panelColumns } from './panelColumns.ts'
import { firstLine, type PanelFormat, recogniseFormat, withoutByteOrderMark } from './panelFormat.ts'
import { type ParquetTable, readParquet } from './parquetTable.ts'
import { readCsvSignals, readJsonSignals, readNdjsonSignals, readSignalTable } from './signalFile.ts'
import { areSignals, checkSignalColumns, type SignalPanel } from './signalRows.ts'

type AxisValue = string | number

/** The fields of a request other than its rows, unchecked: the engine validates them by its schema. */
export interface BacktestSettings {
  readonly config?: Readonly<Record<string, AxisValue | true>>
  readonly sweep?: true | Readonly<Record<string, readonly AxisValue[]>>
  readonly include?: readonly string[]
  readonly evidence?: Readonly<Record<string, AxisValue | true>>
  readonly benchmark?: BacktestBenchmark
}

/** The body of a backtest request, made from the bytes of a file. */
export interface PanelBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly format: BodyFormat
  readonly query: BodyQuery
  /** True if the file may ask for a sweep itself. */
  readonly mayHaveSettings: boolean
  readonly notices: readonly string[]
  /** The cursor of the rows that follow, where the file is one page of forecasts of the API. */
  readonly next: string | null
  /** The first rows, as the file writes them; null: JSON. */
  readonly head: FileHead | null
  /** Names a cell of `panel` by its place in the file; null if the body is the file. */
  readonly placeOf: SignalPanel['placeOf'] | null
}

export interface FileHead {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

interface PanelSource {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** undefined: recognised from the bytes. */
  readonly format: PanelFormat | undefined
  /** Of a file of forecasts; undefined: its only one. */
  readonly horizon: Horizon | undefined
  /** Rows times columns of a Parquet file; by default what a process of its own has room for. */
  readonly cellLimit?: number
}

/** Forecasts and Parquet become columns; all other rows go to the engine as they are. */
export async function makePanelBody(source: PanelSource, settings: BacktestSettings): Promise<PanelBody> {
  const { table, bytes, format } = await openFile(source)
  return { ...panelBody(table, bytes, format, source.horizon, settings), head: headOf(table, bytes, format) }
}

async function openFile(source: PanelSource) {
  const format = source.format ?? recogniseFormat(source.bytes)
  const bytes = format === 'json' || format === 'ndjson' ? withoutByteOrderMark(source.bytes) : source.bytes
  const table = format === 'parquet' ? await readTable(bytes, source.cellLimit) : null
  return { table, bytes, format }
}

/** Of all columns together: what a process of its own has room for. */
const maxCells = 60_000_000

const readTable = (bytes: Uint8Array<ArrayBuffer>, cells = maxCells) =>
  readParquet(bytes, {
    numbers: numberColumns,
    cells,
    textLength: Math.max(maxAssetLength, maxMarketLength),
    check: (names, rows) => (areSignals(names) ? checkSignalColumns(names) : checkPanelTable(names, rows)),
  })

function panelBody(
  table: ParquetTable | null,
  bytes: Uint8Array<ArrayBuffer>,
  format: PanelFormat,
  horizon: Horizon | undefined,
  settings: BacktestSettings,
): Omit<PanelBody, 'head'> {
  const signals = readSignals(table ?? bytes, format, horizon)
  if (signals !== null) return signalBody(signals, settings)
  if (horizon !== undefined)
    throw new Failure(
      'parameter_invalid',
      '--horizon chooses among forecasts (columns ticker, horizon, predicted_pct ...), but these are rows of a panel. Omit it.',
    )
  if (table !== null)
    return { ...columnsBody(panelColumns(table), settings), notices: [], next: null, placeOf: rowPlace }
  return format === 'json'
    ? jsonBody(bytes, settings)
    : rowsBody(bytes, format === 'csv' ? 'csv' : 'ndjson', settings)
}

/** null: the rows are not forecasts. */
function readSignals(
  source: Uint8Array | ParquetTable,
  format: PanelFormat,
  horizon: Horizon | undefined,
): SignalPanel | null {
  if (!(source instanceof Uint8Array))
    return areSignals([...source.columns.keys()]) ? readSignalTable(source, horizon) : null
  const name = '"predicted_pct"'
  switch (format) {
    case 'csv':
      return areSignals(csvHeader(source)) ? readCsvSignals(source, horizon) : null
    case 'ndjson':
      return firstLine(source).includes(name) ? readNdjsonSignals(source, horizon) : null
    default:
      return Buffer.from(source.buffer, source.byteOffset, source.length).includes(name)
        ? readJsonSignals(source, horizon)
        : null
  }
}

const shownRows = 5

/** Comes after the rows were read, so a fault in them is named first. */
function headOf(table: ParquetTable | null, bytes: Uint8Array, format: PanelFormat): FileHead | null {
  if (table !== null) {
    const columns = [...table.columns.keys()]
    const rows = Array.from({ length: Math.min(shownRows, table.count) }, (_, row) =>
      columns.map(name => String(table.columns.get(name)?.[row] ?? '')),
    )
    return { columns, rows }
  }
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
  const config = { returnDays: horizonDays(horizon), ...settings.config }
  const notices =
    openRows === 0 ? [] : [`Left out: ${plural(openRows, 'forecast')} after the last known outcome.`]
  return { ...columnsBody(columns, { ...settings, config }), notices, next, placeOf }
}

const numberColumns = ['score', 'forward_return', 'dollar_volume', 'predicted_pct', 'actual_pct']

const rowPlace = (column: string, row: number) => `row ${row + 1}.${column}`

const encoder = new TextEncoder()

function columnsBody(panel: PanelColumns, settings: BacktestSettings) {
  const bytes = encoder.encode(JSON.stringify({ ...settings, panel }))
  return { bytes, format: 'json', query: {}, mayHaveSettings: false } as const
}

function rowsBody(
  bytes: Uint8Array<ArrayBuffer>,
  format: 'csv' | 'ndjson',
  settings: BacktestSettings,
): Omit<PanelBody, 'head'> {
  const { config, sweep, include, evidence, benchmark } = settings
  const query = {
    ...(config === undefined ? {} : { config: JSON.stringify(config) }),
    ...(sweep === undefined ? {} : { sweep: JSON.stringify(sweep) }),
    ...(include === undefined ? {} : { include: include.join(',') }),
    ...(evidence === undefined ? {} : { evidence: JSON.stringify(evidence) }),
    ...(benchmark === undefined ? {} : { benchmark: JSON.stringify(benchmark) }),
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

/** A whole request gets the settings added; rows or columns alone become its panel. */
function jsonBody(bytes: Uint8Array<ArrayBuffer>, settings: BacktestSettings): Omit<PanelBody, 'head'> {
  const beginning = new TextDecoder().decode(bytes.subarray(0, 1_000))
  const [, brace, key] = /^\s*(\{?)\s*(?:"([^"]*)")?/.exec(beginning) ?? []
  const isRequest = brace === '{' && !columnNames.some(name => name === key)
  const own = JSON.stringify(settings).slice(1, -1)
  const before = isRequest
    ? `{${own}${own === '' || key === undefined ? '' : ','}`
    : `{${own}${own === '' ? '' : ','}"panel":`
  const rest = isRequest ? bytes.subarray(bytes.indexOf(0x7b) + 1) : bytes
  return {
    bytes: new Uint8Array(
      Buffer.concat([encoder.encode(before), rest, encoder.encode(isRequest ? '' : '}')]),
    ),
    ...{ format: 'json', query: {}, mayHaveSettings: isRequest, notices: [], next: null, placeOf: null },
  }
}
