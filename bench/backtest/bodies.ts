import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import type { BodyFormat } from '../../src/backtest/request.ts'
import { isoDate } from '../../src/dates.ts'

export interface FormattedBody {
  readonly name: string
  readonly format: BodyFormat
  readonly type: string
  /** Query string, with its question mark. */
  readonly query: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const config = { holdDays: 5 }
const encoder = new TextEncoder()

/** The same request in each body format. */
export function formattedBodies(columns: Columns): FormattedBody[] {
  const dates = writeEach(columns, i => dateOf(columns.day[i]))
  const assets = writeEach(columns, i => columns.assetNames[columns.asset[i]])
  const markets = writeEach(columns, i => columns.marketNames[columns.market[i]])
  const { score, forwardReturn } = columns
  const rows = writeEach(
    columns,
    i =>
      `{"date":"${dates[i]}","asset":"${assets[i]}","market":"${markets[i]}","score":${score[i]},"forward_return":${forwardReturn[i]}}`,
  )
  const lines = writeEach(
    columns,
    i => `${dates[i]},${assets[i]},${markets[i]},${score[i]},${forwardReturn[i]}\n`,
  )
  const panel = {
    date: dates,
    asset: assets,
    market: markets,
    score: Array.from(score.subarray(0, columns.count)),
    forward_return: Array.from(forwardReturn.subarray(0, columns.count)),
  }
  const json = 'application/json'
  const header = JSON.stringify({ config })
  return [
    formatted('json_rows', 'json', json, `{"config":${JSON.stringify(config)},"panel":[${rows.join(',')}]}`),
    formatted('json_columns', 'json', json, JSON.stringify({ config, panel })),
    {
      ...formatted('csv', 'csv', 'text/csv', `date,asset,market,score,forward_return\n${lines.join('')}`),
      query: `?config=${encodeURIComponent(JSON.stringify(config))}`,
    },
    formatted('ndjson', 'ndjson', 'application/x-ndjson', `${header}\n${rows.join('\n')}\n`),
  ]
}

function formatted(name: string, format: BodyFormat, type: string, text: string): FormattedBody {
  return { name, format, type, query: '', bytes: encoder.encode(text) }
}

function writeEach(columns: Columns, write: (row: number) => string): string[] {
  return Array.from({ length: columns.count }, (_, i) => write(i))
}

const dateCache = new Map<number, string>()
function dateOf(day: number): string {
  const known = dateCache.get(day) ?? isoDate(day)
  dateCache.set(day, known)
  return known
}
