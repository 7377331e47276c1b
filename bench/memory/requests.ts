import { parquetWriteBuffer } from 'hyparquet-writer'
import { isoDate } from '../../src/dates.ts'
import { formattedBodies } from '../backtest/bodies.ts'
import { makePanel } from '../backtest/makePanel.ts'

/** One request of the load. */
export interface LargeRequest {
  readonly name: string
  readonly path: string
  /** If present, the request is a POST. */
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly type?: string
  /** Makes the client disconnect after half of its body or after the first bytes of the answer. By default it reads the
   * whole answer. */
  readonly leaves?: 'while sending' | 'while reading'
}

const csv = 'text/csv'
const json = 'application/json'
const parquet = 'application/vnd.apache.parquet'
const lineEnd = 0x0a
const firstDay = 14_613
/** This many panels take more memory together than an unused cache keeps. */
const storedPanels = 4
/** Every row of a join names one of these: companies of the shipped sample. */
const tickers = ['AAPL', 'GOOGL', 'SNOW', 'ABT', 'HPQ', 'IBM', 'JPM', 'XOM']
const metrics = 'revenue,net_income,assets,equity,roe'

interface JoinRows {
  readonly date: string[]
  readonly ticker: string[]
}

function joinRows(count: number): JoinRows {
  return {
    date: Array.from({ length: count }, (_, i) => isoDate(firstDay + (i % 3_650))),
    ticker: Array.from({ length: count }, (_, i) => tickers[i % tickers.length]),
  }
}

const csvOf = ({ date, ticker }: JoinRows) =>
  `date,ticker\n${date.map((day, i) => `${day},${ticker[i]}`).join('\n')}\n`

const parquetOf = ({ date, ticker }: JoinRows) =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'date', data: date, type: 'STRING' },
        { name: 'ticker', data: ticker, type: 'STRING' },
      ],
    }),
  )

function withoutLastLines(bytes: Uint8Array<ArrayBuffer>, count: number): Uint8Array<ArrayBuffer> {
  let end = bytes.length
  for (let line = 0; line < count; line++) end = bytes.lastIndexOf(lineEnd, end - 2) + 1
  return bytes.subarray(0, end)
}

/** The largest requests of every kind that a paid key may send. `scale` 1: joins of a million and of five million
 * rows, backtests of two million. */
export function largeRequests(scale = 1): LargeRequest[] {
  const million = Math.round(1_000_000 * scale)
  const many = joinRows(million)
  const most = csvOf(joinRows(5 * million))
  const join = (form: string) => `/api/v1/as-of?metrics=${metrics}&with=end,filed&format=${form}`
  const narrow = '/api/v1/as-of?metrics=revenue&format=parquet'
  const dates = Math.round(2_000 * scale)
  const [rows, columns, lines] = formattedBodies(makePanel(dates, 1_000))
  const settings = { quantile: [0.1, 0.2, 0.3], holdDays: [1, 5, 10] }
  const inQuery = (field: string, value: object) => `?${field}=${encodeURIComponent(JSON.stringify(value))}`
  const ofArchive = { source: { market: 'US' } }
  return [
    { name: 'join of a CSV to CSV', path: join('csv'), body: csvOf(many), type: csv },
    {
      name: 'join of a Parquet file to Parquet',
      path: join('parquet'),
      body: parquetOf(many),
      type: parquet,
    },
    {
      name: 'join of JSON to JSON',
      path: '/api/v1/as-of',
      body: JSON.stringify({ rows: many, metrics: metrics.split(','), with: ['end', 'filed'] }),
      type: json,
    },
    { name: 'join of the largest CSV', path: narrow, body: most, type: csv },
    { name: 'backtest of JSON rows', path: '/api/v1/backtest', body: rows.bytes, type: json },
    { name: 'backtest of JSON columns', path: '/api/v1/backtest', body: columns.bytes, type: json },
    { name: 'backtest of a CSV', path: '/api/v1/backtest', body: lines.bytes, type: csv },
    {
      name: 'report of a CSV',
      path: `/api/v1/backtest${inQuery('config', { holdDays: 5 })}&format=html`,
      body: lines.bytes,
      type: csv,
    },
    {
      name: 'sweep of a CSV',
      path: `/api/v1/backtest${inQuery('sweep', settings)}`,
      body: lines.bytes,
      type: csv,
    },
    // Each has fewer rows, so none is the panel that the key already has.
    ...Array.from({ length: storedPanels }, (_, n) => ({
      name: `stored panel ${n}`,
      path: '/api/v1/panels',
      body: withoutLastLines(lines.bytes, n),
      type: csv,
    })),
    {
      name: 'sweep of the archive',
      path: '/api/v1/backtest',
      body: JSON.stringify({ ...ofArchive, sweep: settings }),
      type: json,
    },
    {
      name: 'batch',
      path: '/api/v1/backtests/batch',
      body: JSON.stringify({
        ...ofArchive,
        configs: Array.from({ length: 200 }, (_, i) => ({ holdDays: 1 + (i % 20) })),
      }),
      type: json,
    },
    {
      name: 'cross-section as CSV',
      path: '/api/v1/cross-section?market=US&metric=revenue&limit=1000&format=csv',
    },
    {
      name: 'cross-section as Parquet',
      path: '/api/v1/cross-section?market=US&metric=roe&limit=1000&format=parquet',
    },
    { name: 'wide cross-section', path: `/api/v1/cross-section?market=US&metric=${metrics}&limit=1000` },
    { name: 'upload cut off', path: narrow, body: most, type: csv, leaves: 'while sending' },
    { name: 'answer not read', path: join('json'), body: csvOf(many), type: csv, leaves: 'while reading' },
    { name: 'signals as CSV', path: '/api/v1/signals?market=US&limit=50000&format=csv' },
    { name: 'history as Parquet', path: '/api/v1/fundamentals?ticker=AAPL,GOOGL,IBM&format=parquet' },
    { name: 'page of a company', path: '/companies/AAPL' },
    { name: 'download of a company', path: '/companies/AAPL/download' },
  ]
}
